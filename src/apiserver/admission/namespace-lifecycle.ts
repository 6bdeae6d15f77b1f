/**
 * NamespaceLifecycle: nothing is created in a namespace that is missing or being deleted, and the namespaces that every
 * cluster needs cannot be deleted.
 */
import { isDeleting, newForbidden, newNotFound, type Status, StatusError } from "../../api/index.js";
import type { Store } from "../storage/contract.js";
import type { AdmissionPlugin, AdmissionRequest } from "../contracts/admission.js";

const immortal = new Set(["default", "kube-system", "kube-public"]);
const namespaces = { group: "", resource: "namespaces" };

export function namespaceLifecycle(store: Store): AdmissionPlugin {
  const check = (request: AdmissionRequest): void => {
    const { resource, operation, namespace, name, subresource } = request;
    const own = { group: resource.group, resource: resource.resource };
    if (own.group === "" && own.resource === "namespaces") {
      if (operation === "DELETE" && immortal.has(name))
        throw newForbidden(own, name, "this namespace may not be deleted");
      return;
    }
    if (namespace === "" || operation !== "CREATE" || subresource !== "") return;
    const home = store.get("namespaces", namespace)?.object;
    if (home === undefined) throw newNotFound(namespaces, namespace);
    if (!isDeleting(home)) return;
    throw terminating(
      newForbidden(own, name, `unable to create new content in namespace ${namespace} because it is being terminated`),
      namespace,
    );
  };
  return {
    name: "NamespaceLifecycle",
    mutate(request) {
      check(request);
      return request.object;
    },
    validate(request) {
      if (request.operation === "DELETE") check(request);
    },
  };
}

function terminating({ status }: StatusError, namespace: string): StatusError {
  const causes = [
    {
      reason: "NamespaceTerminating",
      message: `namespace ${namespace} is being terminated`,
      field: "metadata.namespace",
    },
  ];
  return new StatusError({ ...status, details: { ...status.details, causes } } satisfies Status);
}
