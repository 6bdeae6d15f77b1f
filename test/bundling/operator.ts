/** A small operator with its own server, as a user would bundle it into one file. */
import { Client, ConfigMap, defineResource, Manager } from "coxswain";
import { startApiServer } from "coxswain/apiserver";
import { loadKubeconfig } from "coxswain/client";
import { writeFileSync } from "node:fs";

const kubeconfigText = `kind: Config
clusters: [{ name: here, cluster: { server: "https://127.0.0.1:1" } }]
contexts: [{ name: here, context: { cluster: here, user: me } }]
`;

const Foo = defineResource({
  group: "example.com",
  version: "v1",
  kind: "Foo",
  plural: "foos",
  scope: "Namespaced",
  schema: { type: "object", properties: { spec: { type: "object" } } },
});

const path = process.argv[2] ?? "";
writeFileSync(path, kubeconfigText);
const { contexts } = await loadKubeconfig(path);
await using server = await startApiServer({});
const client = new Client({ transport: server.transport() });
const manager = await Manager.create({ client });
const seen = new Promise<string>((resolve) => {
  manager.controller({
    name: "copier",
    for: ConfigMap,
    async reconcile({ object }) {
      resolve(object.metadata.name);
    },
  });
});
await using _running = manager.start();
await client.resource(ConfigMap, { namespace: "default" }).create({ metadata: { name: "bundled" } });
process.stdout.write(`reconciled ${await seen}, knows ${Foo.kind} and ${Object.keys(contexts).length} context\n`);
