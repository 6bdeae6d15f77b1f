/** Creates the objects that clients expect on an empty server, through the same pipelines as any other write. */
import { defined } from "../../base/defined.js";
import { inOneGo, uninterrupted } from "../../base/index.js";
import { formatTime, isAlreadyExists, type KubeObject } from "../../api/index.js";
import { apiserverUser } from "../contracts/user.js";
import { type Endpoint, storageKey } from "../contracts/endpoint.js";
import type { Registry } from "../registry/registry.js";
import type { Machinery, RequestScope } from "../contracts/scope.js";
import { createObject } from "../registry/write/create.js";
import { modifyObject } from "../registry/write/modify.js";

/** An object and the field manager that writes it. */
export interface SystemObject {
  readonly object: KubeObject;
  readonly manager: string;
  /** A status to apply once the object exists. */
  readonly status?: { readonly manager: string; readonly value: object };
}

export interface OwnNetwork {
  /** The address of the server's own service. */
  readonly address: string;
  /** The ranges of all services, at most one of each family. */
  readonly cidrs: readonly string[];
}

/** Creates the objects without which the server itself does not work. */
export async function bootstrap(machinery: Machinery, registry: Registry, network: OwnNetwork): Promise<void> {
  const scope = serverScope(machinery, new AbortController().signal);
  const now = formatTime(machinery.clock.now());
  for (const object of initialObjects(network, now)) await ensure(registry, scope, object);
}

export function serverScope(machinery: Machinery, signal: AbortSignal): RequestScope {
  const about = { user: apiserverUser, dryRun: false, manager: "kube-apiserver", warn: () => {} };
  return { machinery, signal, slice: uninterrupted, ...about };
}

const systemNamespaces = ["default", "kube-system", "kube-public", "kube-node-lease"] as const;

export function systemObject(apiVersion: string, kind: string, name: string, rest: object): KubeObject {
  const [namespace, own] = name.includes("/") ? name.split("/") : ["", name];
  return {
    apiVersion,
    kind,
    metadata: { name: own as string, ...defined({ namespace: namespace || undefined }) },
    ...rest,
  };
}

function initialObjects({ address, cidrs }: OwnNetwork, now: string): readonly SystemObject[] {
  const priority = (name: string, value: number, description: string): KubeObject =>
    systemObject("scheduling.k8s.io/v1", "PriorityClass", name, { value, description });
  const service = {
    type: "ClusterIP",
    clusterIP: address,
    ipFamilyPolicy: "SingleStack",
    sessionAffinity: "None",
    ports: [{ name: "https", protocol: "TCP", port: 443, targetPort: 6443 }],
  };
  const labels = { component: "apiserver", provider: "kubernetes" };
  const ready = {
    type: "Ready",
    status: "True",
    lastTransitionTime: now,
    message: "Kubernetes default Service CIDR is ready",
  };
  const own = [
    ...systemNamespaces.map((name) => systemObject("v1", "Namespace", name, {})),
    priority(
      "system-node-critical",
      2_000_001_000,
      "Used for system critical pods that must not be moved from their current node.",
    ),
    priority(
      "system-cluster-critical",
      2_000_000_000,
      "Used for system critical pods that must run in the cluster, but can be moved to another node if necessary.",
    ),
    {
      ...systemObject("v1", "Service", "default/kubernetes", { spec: service }),
      metadata: { name: "kubernetes", namespace: "default", labels },
    },
  ];
  return [
    ...own.map((one) => ({ object: one, manager: "kube-apiserver" })),
    {
      object: systemObject("networking.k8s.io/v1", "ServiceCIDR", "kubernetes", { spec: { cidrs } }),
      manager: "kube-apiserver",
      status: { manager: "kubernetes-service-cidr-controller", value: { conditions: [ready] } },
    },
  ];
}

/** Creates the object unless one of its name exists. */
export async function ensure(registry: Registry, scope: RequestScope, wanted: SystemObject): Promise<void> {
  const { object: given, manager, status } = wanted;
  const endpoint = registry.endpointOfKind(given.apiVersion, given.kind);
  if (endpoint === undefined) return;
  const { namespace = "", name } = given.metadata;
  if (scope.machinery.store.get(endpoint.collection, storageKey(namespace, name)) !== undefined) return;
  try {
    const { object } = inOneGo(endpoint.normalize(given));
    await createObject({ endpoint, namespace, object, scope: { ...scope, manager } });
    if (status !== undefined) await applyStatus(endpoint, scope, { name, apiVersion: given.apiVersion, ...status });
  } catch (error) {
    if (!isAlreadyExists(error)) throw error;
  }
}

export async function applyStatus(
  endpoint: Endpoint,
  scope: RequestScope,
  status: { readonly name: string; readonly apiVersion: string; readonly manager: string; readonly value: object },
): Promise<void> {
  const { name, apiVersion, manager, value } = status;
  const time = formatTime(scope.machinery.clock.now());
  const applied = { apiVersion, kind: endpoint.served.kind, metadata: { name }, status: value } as KubeObject;
  const request = { manager, apiVersion, subresource: "status", time, force: true };
  await modifyObject(endpoint, { namespace: "", name }, scope, (live) => {
    const merged = inOneGo(endpoint.fieldManager.apply(live, applied, request));
    return inOneGo(endpoint.normalize(merged)).object;
  });
}
