/** An APIService for each served group and version: built-in ones from the start, custom ones as they come and go. */
import { defined } from "../../base/defined.js";
import { lookup } from "../../base/members.js";
import { type APIService, isNotFound, type KubeObject } from "../../api/index.js";
import type { Registry } from "../registry/registry.js";
import type { RequestScope } from "../contracts/scope.js";
import { deleteObject } from "../registry/write/delete.js";
import { ensure, type SystemObject } from "./bootstrap.js";

const automanaged = "kube-aggregator.kubernetes.io/automanaged";
const group = "apiregistration.k8s.io";
const collection = `${group}/apiservices`;

/** Groups with a higher number come first in discovery. */
const groupPriorities: Readonly<Record<string, number>> = lookup({
  "": 18_000,
  apps: 17_800,
  "events.k8s.io": 17_750,
  "authentication.k8s.io": 17_700,
  "authorization.k8s.io": 17_600,
  autoscaling: 17_500,
  batch: 17_400,
  "certificates.k8s.io": 17_300,
  "networking.k8s.io": 17_200,
  policy: 17_100,
  "rbac.authorization.k8s.io": 17_000,
  "storage.k8s.io": 16_800,
  "apiextensions.k8s.io": 16_700,
  "admissionregistration.k8s.io": 16_700,
  "scheduling.k8s.io": 16_600,
  "coordination.k8s.io": 16_500,
  "node.k8s.io": 16_300,
  "discovery.k8s.io": 16_200,
  "resource.k8s.io": 16_200,
  "flowcontrol.apiserver.k8s.io": 16_100,
});

/** Versions whose priority is not 15. */
const versionPriorities: Readonly<Record<string, number>> = lookup({
  "v1.": 1,
  "v2.autoscaling": 30,
  "v1.flowcontrol.apiserver.k8s.io": 21,
  "v1.resource.k8s.io": 21,
});

/** The groups that an aggregated server would serve come last. */
const measuredGroup = /(^|\.)metrics\.k8s\.io$/;

const nameOf = (groupName: string, version: string): string => `${version}.${groupName}`;

function apiService(groupName: string, version: string): APIService {
  const name = nameOf(groupName, version);
  const builtIn = groupPriorities[groupName];
  return {
    apiVersion: `${group}/v1`,
    kind: "APIService",
    metadata: { name, labels: { [automanaged]: builtIn === undefined ? "true" : "onstart" } },
    spec: {
      ...defined({ group: groupName || undefined }),
      version,
      groupPriorityMinimum: builtIn ?? (measuredGroup.test(groupName) ? 100 : 1000),
      versionPriority: builtIn === undefined ? 100 : (versionPriorities[name] ?? 15),
    },
  };
}

/** The APIServices of all groups but apiregistration.k8s.io, which has none. */
function served(registry: Registry): readonly APIService[] {
  return registry
    .groups()
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
    await deleteObject({ endpoint, namespace: "", name: object.metadata.name, options: {}, scope }).catch(
      (error: unknown) => {
        if (!isNotFound(error)) throw error;
      },
    );
  }
}

const isFollowed = ({ metadata }: KubeObject): boolean => metadata.labels?.[automanaged] === "true";
