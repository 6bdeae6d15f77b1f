/** OwnerReferencesPermissionEnforcement: a user changes owners, or blocks their deletion, only with the permission to delete. */
import {
  newForbidden,
  type OwnerReference,
  parseGroupVersion,
  semanticEqual,
  type StatusError,
} from "../../../api/index.js";
import type { AdmissionPlugin, AdmissionRequest } from "../../contracts/admission.js";
import { type Authorizer, deciding, type Decision } from "../../contracts/authorizer.js";
import type { Endpoint } from "../../contracts/endpoint.js";
import type { Registry } from "../../registry/registry.js";

interface Options {
  readonly authorizer: Authorizer;
  registry(): Registry;
}

export function ownerReferences({ authorizer, registry }: Options): AdmissionPlugin {
  const checkBlocking = (request: AdmissionRequest, { apiVersion, kind, name }: OwnerReference, ask: Ask): void => {
    const found = owners(registry(), apiVersion, kind);
    if (found.length === 0) {
      const what = `cannot find RESTMapping for APIVersion ${apiVersion} Kind ${kind}: no matches for kind ${JSON.stringify(kind)} in version ${JSON.stringify(apiVersion)}`;
      throw refusal(request, `cannot set blockOwnerDeletion in this case because ${what}`);
    }
    for (const { served } of found) {
      const namespace = served.scope === "Namespaced" ? request.namespace : "";
      const { group, version, plural: resource } = served;
      const about = { group, version, resource, subresource: "finalizers", namespace, name };
      const decision = ask("update", about);
      if (decision.allowed) continue;
      const what =
        "cannot set blockOwnerDeletion if an ownerReference refers to a resource you can't set finalizers on";
      throw refusal(request, `${what}: ${decision.reason ?? ""}, <nil>`);
    }
  };
  const check = (request: AdmissionRequest, ask: Ask): void => {
    const { operation, resource, subresource, namespace, name } = request;
    const now = request.object?.metadata?.ownerReferences ?? [];
    const before = request.old?.metadata?.ownerReferences ?? [];
    if (operation === "UPDATE") {
      const { allowed, reason = "" } = ask("delete", { ...resource, subresource, namespace, name });
      if (!allowed) throw refusal(request, `cannot set an ownerRef on a resource you can't delete: ${reason}, <nil>`);
    }
    const blocking = newlyBlocking(now, before);
    if (blocking.length === 0 || ask("update", anything).allowed) return;
    for (const one of blocking) checkBlocking(request, one, ask);
  };
  return {
    name: "OwnerReferencesPermissionEnforcement",
    validate(request) {
      const { operation, resource, subresource } = request;
      if (operation !== "CREATE" && operation !== "UPDATE") return;
      if (resource.group === "" && resource.resource === "pods" && subresource === "status") return;
      const now = request.object?.metadata?.ownerReferences ?? [];
      const before = request.old?.metadata?.ownerReferences ?? [];
      if (semanticEqual(now, before)) return;
      return deciding(authorizer, (decide) => {
        const ask: Ask = (verb, about) =>
          decide(request.user, { type: "resource", verb, inNamespace: about.namespace !== "", rest: [], ...about });
        check(request, ask);
      });
    },
  };
}

type Ask = (verb: string, about: Asked) => Decision;

interface Asked {
  readonly group: string;
  readonly version: string;
  readonly resource: string;
  readonly subresource: string;
  readonly namespace: string;
  readonly name: string;
}

const anything: Asked = {
  group: "*",
  version: "*",
  resource: "*",
  subresource: "finalizers",
  namespace: "",
  name: "*",
};

const refusal = ({ resource, name }: AdmissionRequest, why: string): StatusError => newForbidden(resource, name, why);

function newlyBlocking(now: readonly OwnerReference[], before: readonly OwnerReference[]): readonly OwnerReference[] {
  const blocked = new Set(before.filter((one) => one.blockOwnerDeletion).map(({ uid }) => uid));
  return now.filter((one) => one.blockOwnerDeletion && !blocked.has(one.uid));
}

function owners(registry: Registry, apiVersion: string, kind: string): readonly Endpoint[] {
  const { group, version } = parseGroupVersion(apiVersion);
  return [...registry.endpoints()].filter(
    ({ served }) => served.group === group && served.version === version && served.kind === kind,
  );
}
