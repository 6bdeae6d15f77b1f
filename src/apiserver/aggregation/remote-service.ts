/** Takes an APIService object; gives the facts about the server that answers for its group and version. */
import { isConditionTrue, type APIService, type KubeObject } from "../../api/index.js";
import type { ServiceReference } from "../outbound/service-address.js";

export const collection = "apiregistration.k8s.io/apiservices";

export interface RemoteService {
  /** `version.group`. */
  readonly name: string;
  readonly group: string;
  readonly version: string;
  readonly groupPriority: number;
  readonly versionPriority: number;
  readonly service: ServiceReference;
  /** Base64 of PEM; "" for the authorities of this machine. */
  readonly caBundle: string;
  readonly insecure: boolean;
  readonly available: boolean;
}

/** Undefined for a local APIService, which this server answers for itself. */
export function remoteServiceOf(object: KubeObject): RemoteService | undefined {
  const { metadata, spec, status } = object as APIService;
  if (!spec?.service) return undefined;
  const { group = "", version = "", groupPriorityMinimum, versionPriority } = spec;
  const { namespace = "", name = "", port = 443 } = spec.service;
  return {
    name: metadata.name,
    group,
    version,
    groupPriority: groupPriorityMinimum,
    versionPriority,
    service: { namespace, name, port },
    caBundle: spec.caBundle ?? "",
    insecure: spec.insecureSkipTLSVerify ?? false,
    available: isConditionTrue(status?.conditions, "Available"),
  };
}

/** Equal for two states of an APIService that lead to the same server in the same way. */
export const placeOf = ({ service, caBundle, insecure }: RemoteService): string =>
  JSON.stringify([service.namespace, service.name, service.port, caBundle, insecure]);

/** The path at which a server lists the resources of the group and version. */
export const discoveryPath = ({ group, version }: Pick<RemoteService, "group" | "version">): string =>
  group === "" ? `/api/${version}` : `/apis/${group}/${version}`;
