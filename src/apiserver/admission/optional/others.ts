/** Plug-ins that are off by default, about namespaces, services and all writes. */
import { type KubeObject, newForbidden, newNotFound, type Service } from "../../../api/index.js";
import type { AdmissionPlugin, AdmissionRequest } from "../../contracts/admission.js";
import type { Store } from "../../storage/contract.js";

const namespaces = { group: "", resource: "namespaces" };

/** A write of an object in a namespace. */
const isInNamespace = ({ namespace, kind }: AdmissionRequest): boolean =>
  namespace !== "" && !(kind.group === "" && kind.kind === "Namespace");

/** NamespaceExists: nothing is written in a namespace that does not exist. */
export const namespaceExists = (store: Store): AdmissionPlugin => ({
  name: "NamespaceExists",
  validate(request) {
    if (request.operation === "CONNECT" || !isInNamespace(request)) return;
    if (store.get("namespaces", request.namespace) === undefined) throw newNotFound(namespaces, request.namespace);
  },
});

/** NamespaceAutoProvision: a namespace is created with the first object in it. */
export const namespaceAutoProvision = (
  store: Store,
  create: (namespace: KubeObject) => Promise<unknown>,
): AdmissionPlugin => ({
  name: "NamespaceAutoProvision",
  mutate(request) {
    const { object, namespace: name } = request;
    if (request.operation !== "CREATE" || request.dryRun || !isInNamespace(request)) return object;
    if (store.get("namespaces", name) !== undefined) return object;
    const made = { apiVersion: "v1", kind: "Namespace", metadata: { name } } as KubeObject;
    return create(made).then(() => object);
  },
});

/** DenyServiceExternalIPs: no service gets an external address that it does not have. */
export const denyServiceExternalIps: AdmissionPlugin = {
  name: "DenyServiceExternalIPs",
  validate({ operation, resource, subresource, object, old, name }) {
    if (operation !== "CREATE" && operation !== "UPDATE") return;
    if (resource.group !== "" || resource.resource !== "services" || subresource !== "") return;
    const known = new Set((old as Service | undefined)?.spec?.externalIPs);
    if ((object as Service).spec?.externalIPs?.every((address) => known.has(address)) ?? true) return;
    throw newForbidden(resource, name, "Use of external IPs is denied by admission control");
  },
};

function deny({ resource, name, user }: AdmissionRequest): void {
  // without the objects that it makes for itself the server would not start
  if (user.username === "system:apiserver") return;
  throw newForbidden(resource, name, "admission control is denying all modifications");
}

/** AlwaysDeny refuses the writes of all users. */
export const alwaysDeny: AdmissionPlugin = {
  name: "AlwaysDeny",
  mutate(request) {
    deny(request);
    return request.object;
  },
  validate: deny,
};
