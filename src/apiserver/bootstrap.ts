/** Objects that every client may expect on an empty server, made through the same pipelines as any other. */
import { isAlreadyExists, type KubeObject } from "../api/index.js";
import { apiserverUser } from "./auth/user.js";
import type { Registry } from "./registry/registry.js";
import type { Machinery, RequestScope } from "./registry/scope.js";
import { createObject } from "./registry/write/create.js";

const systemNamespaces = ["default", "kube-system", "kube-public", "kube-node-lease"] as const;

export async function bootstrap(machinery: Machinery, registry: Registry): Promise<void> {
  const scope: RequestScope = {
    machinery,
    user: apiserverUser,
    dryRun: false,
    manager: "coxswain",
    signal: new AbortController().signal,
    warn: () => {},
  };
  for (const name of systemNamespaces) {
    await ensure(registry, scope, { apiVersion: "v1", kind: "Namespace", metadata: { name } });
  }
}

async function ensure(registry: Registry, scope: RequestScope, object: KubeObject): Promise<void> {
  const [group = "", version = ""] = object.apiVersion.includes("/")
    ? object.apiVersion.split("/")
    : ["", object.apiVersion];
  const endpoint = [...registry.endpoints()].find(
    ({ served }) => served.group === group && served.version === version && served.kind === object.kind,
  );
  if (endpoint === undefined) return;
  const { namespace = "", name } = object.metadata;
  if (scope.machinery.store.get(endpoint.collection, namespace === "" ? name : `${namespace}/${name}`) !== undefined)
    return;
  try {
    await createObject({ endpoint, namespace, object: endpoint.normalize(object).object, scope });
  } catch (error) {
    if (!isAlreadyExists(error)) throw error;
  }
}
