/** Takes a reference to a service; gives the addresses at which its endpoints can be reached from here. */
import type { EndpointSlice, Service } from "../../api/index.js";
import type { Store } from "../storage/contract.js";

export interface Address {
  readonly host: string;
  readonly port: number;
}

export interface ServiceReference {
  readonly namespace: string;
  readonly name: string;
  readonly port: number;
}

/**
 * The ready endpoints, because there is no service proxy here; the host of an external name. At least one: throws if
 * there is none.
 */
export function addressesOf(store: Store, { namespace, name, port }: ServiceReference): readonly Address[] {
  const service = store.get("services", `${namespace}/${name}`)?.object as Service | undefined;
  if (service === undefined) throw new Error(`service ${JSON.stringify(name)} not found`);
  if (service.spec?.type === "ExternalName") return [{ host: service.spec.externalName ?? "", port }];
  const served = service.spec?.ports?.find((one) => one.port === port);
  if (served === undefined) throw new Error(`no service port ${port} found for service ${JSON.stringify(name)}`);
  const addresses = slicesOf(store, namespace, name).flatMap((slice) => readyIn(slice, served.name ?? ""));
  if (addresses.length === 0) throw new Error(`no endpoints available for service ${JSON.stringify(name)}`);
  return addresses;
}

/** The ready endpoints with the named port. */
function readyIn({ ports, endpoints }: EndpointSlice, portName: string): readonly Address[] {
  const port = ports?.find(({ name = "" }) => name === portName)?.port;
  if (port === undefined) return [];
  const ready = (endpoints ?? []).filter(({ conditions }) => conditions?.ready !== false);
  return ready.flatMap(({ addresses: [host] }) => (host === undefined ? [] : [{ host, port }]));
}

export function slicesOf(store: Store, namespace: string, service: string): readonly EndpointSlice[] {
  const { items } = store.list({ collection: "discovery.k8s.io/endpointslices", prefix: `${namespace}/`, from: "" });
  return items
    .filter(({ labels }) => labels?.["kubernetes.io/service-name"] === service)
    .map(({ object }) => object as EndpointSlice);
}
