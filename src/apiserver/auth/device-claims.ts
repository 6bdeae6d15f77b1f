/**
 * Guards of device claims: administrators' access needs a label on the namespace, and each part of a claim's status a
 * permission of its own.
 */
import {
  type AllocatedDeviceStatus,
  type AllocationResult,
  deepEqual,
  type DeviceClaim,
  type FieldPath,
  fieldPath,
  type ResourceClaim,
  type ResourceClaimStatus,
  type ResourceClaimTemplate,
  type StatusCause,
} from "../../api/index.js";
import { type Authorizer, type Decide, deciding } from "../contracts/authorizer.js";
import type { Guard, GuardedWrite } from "../contracts/scope.js";
import type { Store } from "../storage/contract.js";
import { refusalOf } from "./authorize.js";

const group = "resource.k8s.io";
const adminLabel = "resource.kubernetes.io/admin-access";
const status = fieldPath("status");
const results = status.child("allocation", "devices", "results");

/** The guards, by the collection that each guards. */
export function claimGuards(store: Store, authorizer: Authorizer): ReadonlyMap<string, Guard> {
  const adminCauses = (at: FieldPath | undefined, namespace: string): readonly StatusCause[] => {
    const labels = at === undefined ? undefined : store.get("namespaces", namespace)?.object.metadata.labels;
    if (at === undefined || labels?.[adminLabel] === "true") return [];
    const why = `admin access to devices requires the \`${adminLabel}: true\` label on the containing namespace`;
    return [at.forbidden(why)];
  };
  const causesOf = (write: GuardedWrite, decide: Decide): readonly StatusCause[] => {
    const { object, old, namespace, subresource } = write;
    const claim = object as ResourceClaim;
    if (old === undefined) return adminCauses(adminRequest(claim.spec?.devices), namespace);
    if (subresource !== "status") return [];
    const [now, before] = [claim.status ?? {}, (old as ResourceClaim).status ?? {}];
    const granted = adminResult(before.allocation) === undefined ? adminResult(now.allocation) : undefined;
    return [...adminCauses(granted, namespace), ...statusCauses(write, { now, before, decide })];
  };
  const ofClaim: Guard = (write) => deciding(authorizer, (decide) => causesOf(write, decide));
  const ofTemplate: Guard = ({ object, old, namespace }) =>
    old === undefined
      ? adminCauses(adminRequest((object as ResourceClaimTemplate).spec?.spec?.devices), namespace)
      : [];
  return new Map([
    [`${group}/resourceclaims`, ofClaim],
    [`${group}/resourceclaimtemplates`, ofTemplate],
  ]);
}

/** The first field that asks for administrators' access. As upstream, the path of a template's request is that of a claim's. */
function adminRequest(devices: DeviceClaim | undefined): FieldPath | undefined {
  const index = devices?.requests?.findIndex((request) => request.exactly?.adminAccess === true) ?? -1;
  return index < 0 ? undefined : fieldPath("spec", "devices", "requests").index(index).child("adminAccess");
}

function adminResult(allocation: AllocationResult | undefined): FieldPath | undefined {
  const index = allocation?.devices?.results?.findIndex(({ adminAccess }) => adminAccess === true) ?? -1;
  return index < 0 ? undefined : results.index(index).child("adminAccess");
}

interface StatusChange {
  readonly now: ResourceClaimStatus;
  readonly before: ResourceClaimStatus;
  readonly decide: Decide;
}

/** An allocation needs a permission on all claims, the status of devices one for their driver. */
function* statusCauses(write: GuardedWrite, { now, before, decide }: StatusChange): Iterable<StatusCause> {
  const { user, verb, namespace } = write;
  const refusal = (asked: { verb: string; subresource: string; namespace: string; name: string }) => {
    const inNamespace = asked.namespace !== "";
    const more = { group, version: "v1", resource: write.resource, inNamespace, rest: [] };
    return refusalOf(decide, user, { type: "resource", ...asked, ...more });
  };
  if (!deepEqual(now.allocation, before.allocation) || !deepEqual(now.reservedFor, before.reservedFor)) {
    const refused = refusal({ verb, subresource: "binding", namespace: "", name: "" });
    const why = `changing status.allocation or status.reservedFor requires resource="resourceclaims/binding", verb="${verb}" permission: ${refused?.message}`;
    if (refused !== undefined) yield status.child("allocation").forbidden(why);
  }
  if (now.allocation === undefined) return;
  const verbs = [`arbitrary-node:${verb}`];
  if (isOnNode(write, now.allocation)) verbs.unshift(`associated-node:${verb}`);
  for (const driver of changedDrivers(now.devices ?? [], before.devices ?? [])) {
    const refused = verbs.map((one) => refusal({ verb: one, subresource: "driver", namespace, name: driver }));
    if (refused.includes(undefined)) continue;
    const why = `changing status.devices requires resource="resourceclaims/driver", verb="[${verbs.join(" ")}]" permission: ${refused[0]?.message}`;
    yield status.child("devices").forbidden(why);
  }
}

/** Whether the account's pod runs on the one node of the allocation. */
function isOnNode({ user }: GuardedWrite, { nodeSelector }: AllocationResult): boolean {
  const [term, ...others] = nodeSelector?.nodeSelectorTerms ?? [];
  const [field, ...rest] = term?.matchFields ?? [];
  if (field === undefined || others.length + rest.length + (term?.matchExpressions ?? []).length > 0) return false;
  const isName = field.key === "metadata.name" && field.operator === "In" && field.values?.length === 1;
  const nodes = user.extra?.["authentication.kubernetes.io/node-name"] ?? [];
  const isAccount = user.username.startsWith("system:serviceaccount:");
  return isName && isAccount && nodes.length === 1 && nodes[0] === field.values?.[0];
}

/** The drivers of devices whose status came, went or changed; sorted. */
function changedDrivers(
  now: readonly AllocatedDeviceStatus[],
  before: readonly AllocatedDeviceStatus[],
): readonly string[] {
  const isIn = (list: readonly AllocatedDeviceStatus[], one: AllocatedDeviceStatus): boolean =>
    list.some((other) => deepEqual(one, other));
  const changed = [...now.filter((one) => !isIn(before, one)), ...before.filter((one) => !isIn(now, one))];
  return [...new Set(changed.map(({ driver }) => driver))].sort();
}
