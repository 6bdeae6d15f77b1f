/** The audiences for which a node may request tokens of a pod's account: the audiences that the pod's volumes name. */
import type { CSIDriver, KubeObject, PersistentVolume, PersistentVolumeClaim, Pod } from "../../../api/index.js";
import type { AdmissionRequest } from "../../contracts/admission.js";
import type { Decide } from "../../contracts/authorizer.js";
import type { Store } from "../../storage/contract.js";
import { joinedErrors } from "../../../api/errors/field-error.js";

interface TokenQuestion {
  readonly audiences: readonly string[];
  readonly pod: Pod;
  readonly store: Store;
  readonly decide: Decide;
  readonly request: AdmissionRequest;
}

/** The text that refuses, or undefined. A permission of its own opens an audience that no volume names. */
export function tokenFault({ audiences, pod, store, decide, request }: TokenQuestion): string | undefined {
  if (audiences.length > 1) return "node may only request 0 or 1 audiences";
  const [audience = ""] = audiences;
  const named = namedIn(pod, audience, store);
  if (named === true) return undefined;
  if (named.length > 0) return `error validating audience ${JSON.stringify(audience)}: ${joinedErrors(named)}`;
  const { user, namespace, name } = request;
  const asked = { type: "resource", verb: "request-serviceaccounts-token-audience", group: "", version: "v1" } as const;
  const where = { namespace, inNamespace: true, resource: audience, name, subresource: "", rest: [] };
  if (decide(user, { ...asked, ...where }).allowed) return undefined;
  const unfound = `audience ${JSON.stringify(audience)} not found in pod spec volume`;
  return `${unfound}, ${user.username} is not authorized to request tokens for this audience`;
}

/** True if a volume names the audience; else the errors about volumes whose driver is unknown. */
function namedIn({ metadata, spec }: Pod, audience: string, store: Store): true | readonly string[] {
  const { namespace = "", name: podName } = metadata;
  const errors = new Set<string>();
  for (const { name, projected, persistentVolumeClaim: claim, ephemeral, csi } of spec?.volumes ?? []) {
    const isProjected = (projected?.sources ?? []).some(
      ({ serviceAccountToken: token }) => token !== undefined && (token.audience ?? "") === audience,
    );
    if (isProjected) return true;
    const claimName = ephemeral === undefined ? claim?.claimName : `${podName}-${name}`;
    try {
      const driver = claimName === undefined ? csi?.driver : driverOf(store, namespace, claimName);
      if (!driver) continue;
      const { tokenRequests = [] } = found<CSIDriver>(store, "storage.k8s.io/csidrivers", driver).spec;
      if (tokenRequests.some((one) => one.audience === audience)) return true;
    } catch (error) {
      if (!(error instanceof Missing)) throw error;
      errors.add(error.message);
    }
  }
  return [...errors];
}

class Missing extends Error {}

function found<T extends KubeObject>(store: Store, collection: string, key: string): T {
  const stored = store.get(collection, key);
  if (stored !== undefined) return stored.object as T;
  const [, group, plural = collection] = /^(?:(.*)\/)?([^/]*)$/.exec(collection) ?? [];
  const kind = plural.slice(0, -1) + (group === undefined ? "" : `.${group}`);
  throw new Missing(`${kind} ${JSON.stringify(key.slice(key.indexOf("/") + 1))} not found`);
}

function driverOf(store: Store, namespace: string, claim: string): string | undefined {
  const { spec } = found<PersistentVolumeClaim>(store, "persistentvolumeclaims", `${namespace}/${claim}`);
  return found<PersistentVolume>(store, "persistentvolumes", spec?.volumeName ?? "").spec?.csi?.driver;
}
