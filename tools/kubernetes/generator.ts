/** Generates everything from the Kubernetes sources: types, descriptors, schema and discovery tables. */
import type { Generator } from "../generate.js";
import { emitDescriptions, readDescriptions } from "./descriptions.js";
import { readDiscovery } from "./discovery.js";
import { emitDiscovery } from "./emit/discovery.js";
import { emitRoles } from "./emit/roles.js";
import { emitSchemas } from "./emit/schemas.js";
import { banner, emitTypes } from "./emit/types.js";
import { readModel } from "./model.js";
import { moduleFolders } from "./modules.js";

const folder = "src/api/generated";
const serverFolder = "src/apiserver/generated";

export const kubernetesGenerator: Generator = {
  name: "kubernetes",
  folders: [folder, serverFolder],
  async files() {
    const folders = await moduleFolders();
    const model = await readModel(folders);
    const discovery = await readDiscovery(folders);
    const descriptions = readDescriptions(model);
    const files = new Map<string, string>();
    for (const [name, content] of emitTypes(model, discovery, descriptions.words))
      files.set(`${folder}/${name}`, content);
    files.set(`${folder}/schemas.ts`, emitSchemas(model, discovery));
    files.set(`${folder}/discovery.ts`, emitDiscovery(discovery));
    files.set(`${folder}/descriptions.ts`, emitDescriptions(banner, descriptions));
    files.set(`${serverFolder}/roles.ts`, await emitRoles(folders));
    return files;
  },
};
