/** The service `kubernetes` through which pods reach this server, and its endpoints once the server listens. */
import { networkInterfaces } from "node:os";
import { isLoopback } from "../../base/index.js";
import { deepEqual, type KubeObject, type Service } from "../../api/index.js";
import type { Registry } from "../registry/registry.js";
import { frontProxyName, remoteHeaders } from "../contracts/user.js";
import type { RequestScope } from "../contracts/scope.js";
import { updateObject } from "../registry/write/update.js";
import { ensure } from "./bootstrap.js";

export interface Reached {
  readonly address: string;
  readonly port: number;
  /** The certificate, in PEM, of the authority of client certificates; undefined if there is none. */
  readonly authority: string | undefined;
  /** The certificate, in PEM, of the authority of this server's own certificate as a front proxy. */
  readonly frontProxy: string;
}

/** An address of this machine for others on the network: endpoints must not be loopback addresses. */
export function advertised(bound: string): string | undefined {
  if (!isLoopback(bound) && bound !== "0.0.0.0" && bound !== "::") return bound;
  return Object.values(networkInterfaces())
    .flatMap((addresses) => addresses ?? [])
    .find(({ family, internal }) => family === "IPv4" && !internal)?.address;
}

export async function publishOwnService(registry: Registry, scope: RequestScope, reached: Reached): Promise<void> {
  const { port, authority } = reached;
  const address = advertised(reached.address);
  const objects = [
    ...(address === undefined ? [] : endpointsOf(address, port)),
    ...(authority === undefined ? [] : [authenticationOf(authority, reached.frontProxy)]),
  ];
  for (const object of objects) {
    await ensure(registry, scope, { object, manager: "kube-apiserver" });
    await rewrite(registry, scope, object, (live) => ({ ...live, ...contentOf(object) }));
  }
  const service = { apiVersion: "v1", kind: "Service", metadata: { name: "kubernetes", namespace: "default" } };
  await rewrite(registry, scope, service, (live) => {
    const { spec } = live as Service;
    return { ...live, spec: { ...spec, ports: (spec?.ports ?? []).map((one) => ({ ...one, targetPort: port })) } };
  });
}

function contentOf(object: KubeObject): object {
  const { apiVersion: _version, kind: _kind, metadata: _metadata, ...content } = object;
  return content;
}

async function rewrite(
  registry: Registry,
  scope: RequestScope,
  { apiVersion, kind, metadata }: KubeObject,
  change: (live: KubeObject) => KubeObject,
): Promise<void> {
  const endpoint = registry.endpointOfKind(apiVersion, kind);
  const { name, namespace = "" } = metadata;
  const current = endpoint && scope.machinery.store.get(endpoint.collection, `${namespace}/${name}`)?.object;
  if (endpoint === undefined || current === undefined || deepEqual(change(current), current)) return;
  const about = { endpoint, namespace, name, subresource: "", scope, missing: "refuse", unconditional: true } as const;
  await updateObject({ ...about, change: (live) => change(live as KubeObject) });
}

function endpointsOf(address: string, port: number): readonly KubeObject[] {
  const named = (labels: Readonly<Record<string, string>>): KubeObject["metadata"] => ({
    name: "kubernetes",
    namespace: "default",
    labels,
  });
  const objects: readonly object[] = [
    {
      apiVersion: "v1",
      kind: "Endpoints",
      metadata: named({ "endpointslice.kubernetes.io/skip-mirror": "true" }),
      subsets: [{ addresses: [{ ip: address }], ports: [{ name: "https", port, protocol: "TCP" }] }],
    },
    {
      apiVersion: "discovery.k8s.io/v1",
      kind: "EndpointSlice",
      metadata: named({ "kubernetes.io/service-name": "kubernetes" }),
      addressType: "IPv4",
      endpoints: [{ addresses: [address], conditions: { ready: true } }],
      ports: [{ name: "https", port, protocol: "TCP" }],
    },
  ];
  return objects as readonly KubeObject[];
}

/** The ConfigMap from which extension servers learn which client certificates, and which of this server's headers, to trust. */
function authenticationOf(authority: string, frontProxy: string): KubeObject {
  const metadata = { name: "extension-apiserver-authentication", namespace: "kube-system" };
  const { user, uid, group, extraPrefix } = remoteHeaders;
  const data = {
    "client-ca-file": authority,
    "requestheader-allowed-names": JSON.stringify([frontProxyName]),
    "requestheader-client-ca-file": frontProxy,
    "requestheader-extra-headers-prefix": JSON.stringify([extraPrefix]),
    "requestheader-group-headers": JSON.stringify([group]),
    "requestheader-uid-headers": JSON.stringify([uid]),
    "requestheader-username-headers": JSON.stringify([user]),
  };
  return { apiVersion: "v1", kind: "ConfigMap", metadata, data } as KubeObject;
}
