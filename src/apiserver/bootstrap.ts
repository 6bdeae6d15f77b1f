/** Objects that every client may expect on an empty server, made through the same pipelines as any other. */
import { cooperative } from "../base/index.js";
import { isAlreadyExists, type KubeObject, parseGroupVersion } from "../api/index.js";
import { defaultRoles } from "./bootstrap-roles.js";
import { apiserverUser } from "./auth/user.js";
import { storageKey } from "./registry/endpoint.js";
import type { Registry } from "./registry/registry.js";
import type { Machinery, RequestScope } from "./registry/scope.js";
import { createObject } from "./registry/write/create.js";

/** `address` is that of the server's own service. */
export async function bootstrap(
  machinery: Machinery,
  registry: Registry,
  { address }: { readonly address: string },
): Promise<void> {
  const scope = scopeOf(machinery, new AbortController().signal);
  for (const object of initialObjects(address)) await ensure(registry, scope, object);
}

/** The default roles and bindings, a few at a time; ends early when the signal does. */
export async function bootstrapRoles(machinery: Machinery, registry: Registry, signal: AbortSignal): Promise<void> {
  const scope = scopeOf(machinery, signal);
  const slice = cooperative({ clock: machinery.clock });
  for (const object of defaultRoles()) {
    if (signal.aborted) return;
    await ensure(registry, scope, object);
    if (slice.due()) await slice.pause();
  }
}

function scopeOf(machinery: Machinery, signal: AbortSignal): RequestScope {
  return { machinery, user: apiserverUser, dryRun: false, manager: "kube-apiserver", signal, warn: () => {} };
}

const systemNamespaces = ["default", "kube-system", "kube-public", "kube-node-lease"] as const;

function initialObjects(address: string): readonly KubeObject[] {
  const object = (apiVersion: string, kind: string, name: string, rest: object): KubeObject => {
    const [namespace, own] = name.includes("/") ? name.split("/") : ["", name];
    return { apiVersion, kind, metadata: { name: own as string, ...(namespace ? { namespace } : {}) }, ...rest };
  };
  return [
    ...systemNamespaces.map((name) => object("v1", "Namespace", name, {})),
    ...[
      [
        "system-node-critical",
        2_000_001_000,
        "Used for system critical pods that must not be moved from their current node.",
      ],
      [
        "system-cluster-critical",
        2_000_000_000,
        "Used for system critical pods that must run in the cluster, but can be moved to another node if necessary.",
      ],
    ].map(([name, value, description]) =>
      object("scheduling.k8s.io/v1", "PriorityClass", name as string, { value, description }),
    ),
    {
      ...object("v1", "Service", "default/kubernetes", {
        spec: {
          type: "ClusterIP",
          clusterIP: address,
          clusterIPs: [address],
          ipFamilies: ["IPv4"],
          ipFamilyPolicy: "SingleStack",
          sessionAffinity: "None",
          ports: [{ name: "https", protocol: "TCP", port: 443, targetPort: 6443 }],
        },
      }),
      metadata: {
        name: "kubernetes",
        namespace: "default",
        labels: { component: "apiserver", provider: "kubernetes" },
      },
    },
  ];
}

async function ensure(registry: Registry, scope: RequestScope, object: KubeObject): Promise<void> {
  const { group, version } = parseGroupVersion(object.apiVersion);
  const endpoint = [...registry.endpoints()].find(
    ({ served }) => served.group === group && served.version === version && served.kind === object.kind,
  );
  if (endpoint === undefined) return;
  const { namespace = "", name } = object.metadata;
  if (scope.machinery.store.get(endpoint.collection, storageKey(namespace, name)) !== undefined) return;
  try {
    await createObject({ endpoint, namespace, object: endpoint.normalize(object).object, scope });
  } catch (error) {
    if (!isAlreadyExists(error)) throw error;
  }
}
