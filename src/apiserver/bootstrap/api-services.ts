/** An APIService for each served group and version: built-in ones from the start, custom ones as they come and go. */
import { defined } from "../../base/defined.js";
import { type APIService, isNotFound, type KubeObject, unless } from "../../api/index.js";
import { groupPriority, isBuiltInGroup, versionPriority } from "../discovery/index.js";
import type { Registry } from "../registry/registry.js";
import type { RequestScope } from "../contracts/scope.js";
import { deleteObject } from "../registry/write/delete.js";
import { ensure, type SystemObject } from "./bootstrap.js";

const automanaged = "kube-aggregator.kubernetes.io/automanaged";
const group = "apiregistration.k8s.io";
export const collection: string = `${group}/apiservices`;

const nameOf = (groupName: string, version: string): string => `${version}.${groupName}`;

function apiService(groupName: string, version: string): APIService {
  const name = nameOf(groupName, version);
  const builtIn = isBuiltInGroup(groupName);
  return {
    apiVersion: `${group}/v1`,
    kind: "APIService",
    metadata: { name, labels: { [automanaged]: builtIn ? "onstart" : "true" } },
    spec: {
      ...defined({ group: groupName || undefined }),
      version,
      groupPriorityMinimum: groupPriority(groupName),
      versionPriority: versionPriority(groupName, version),
    },
  };
}

/** The APIServices of all groups but apiregistration.k8s.io, which has none. */
function served(registry: Registry): readonly APIService[] {
  return registry
    .local()
    .filter((one) => one.group !== group)
    .flatMap((one) => one.versions.map(({ version }) => apiService(one.group, version)));
}

/** The APIServices of the groups that are served at the start; those of custom groups follow later. */
export function localServices(registry: Registry): readonly SystemObject[] {
  return served(registry).map((object) => ({ object, manager: "kube-apiserver" }));
}

/** Creates missing APIServices, and deletes those of custom groups that are no longer served. */
export async function followServices(registry: Registry, scope: RequestScope): Promise<void> {
  const { store } = scope.machinery;
  const wanted = served(registry);
  for (const object of wanted) await ensure(registry, scope, { object, manager: "kube-apiserver" });
  const names = new Set(wanted.map(({ metadata }) => metadata.name));
  const endpoint = registry.endpoint(group, "v1", "apiservices");
  const { items } = store.list({ collection, prefix: "", from: "" });
  for (const { object } of items) {
    if (endpoint === undefined || !isFollowed(object) || names.has(object.metadata.name)) continue;
    const { name } = object.metadata;
    await deleteObject({ endpoint, namespace: "", name, options: {}, scope }).catch(unless(isNotFound));
  }
}

const isFollowed = ({ metadata }: KubeObject): boolean => metadata.labels?.[automanaged] === "true";
