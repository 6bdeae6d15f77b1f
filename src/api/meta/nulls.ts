/** Removes the null members of built-in kinds from parsed JSON, so that null reads like absent. */
import { setMember } from "../../base/members.js";

/**
 * Servers written in Go give null for a time that was never set and for a list without items: `lastProbeTime` in every
 * pod, `endpoints` of an empty slice, `rules` of an aggregated role. No field of a built-in kind tells null from
 * absent, so an object read from a server has no null members, and the types need not speak of them. Custom kinds may
 * mean something by null.
 */
const builtInGroups: ReadonlySet<string> = new Set([
  "",
  "admissionregistration.k8s.io",
  "apiextensions.k8s.io",
  "apiregistration.k8s.io",
  "apps",
  "authentication.k8s.io",
  "authorization.k8s.io",
  "autoscaling",
  "batch",
  "certificates.k8s.io",
  "coordination.k8s.io",
  "discovery.k8s.io",
  "events.k8s.io",
  "flowcontrol.apiserver.k8s.io",
  "internal.apiserver.k8s.io",
  "networking.k8s.io",
  "node.k8s.io",
  "policy",
  "rbac.authorization.k8s.io",
  "resource.k8s.io",
  "scheduling.k8s.io",
  "storage.k8s.io",
  "storagemigration.k8s.io",
]);

/**
 * Kinds with parts of foreign origin (a patch, a default value, a driver's parameters), where null may mean something.
 */
const kindsWithForeignParts: ReadonlySet<string> = new Set([
  "ControllerRevision",
  "CustomResourceDefinition",
  "DeviceClass",
  "ResourceClaim",
  "ResourceClaimTemplate",
  "ResourceSlice",
]);

/** Whether null and absent mean the same in every member of the kind's objects. */
export function hasNoNulls(object: { readonly apiVersion?: unknown; readonly kind?: unknown }): boolean {
  const { apiVersion, kind } = object;
  if (typeof apiVersion !== "string" || typeof kind !== "string" || kindsWithForeignParts.has(kind)) return false;
  const slash = apiVersion.indexOf("/");
  return builtInGroups.has(slash < 0 ? "" : apiVersion.slice(0, slash));
}

/** The text of a value, as characters or as bytes. */
interface Text {
  includes(part: "null"): boolean;
}

/** The value that this text says, without null members at any depth. Null items of lists stay. */
export function withoutNullMembers<T>(value: T, text: Text): T {
  return text.includes("null") ? (without(value) as T) : value;
}

/** Makes a new object wherever a member goes: deleting members makes an object slow to read and large. */
function without(value: unknown): unknown {
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return withoutInItems(value);
  const given = value as Readonly<Record<string, unknown>>;
  let left: Record<string, unknown> | undefined;
  // parsed JSON inherits no member that is enumerated, and this loop makes no list of names
  for (const name in given) {
    const member = given[name];
    const inner = without(member);
    if (left === undefined && inner === member && member !== null) continue;
    left ??= membersBefore(name, given);
    if (inner !== null) setMember(left, name, inner);
  }
  return left ?? value;
}

function withoutInItems(items: readonly unknown[]): readonly unknown[] {
  let left: unknown[] | undefined;
  for (let index = 0; index < items.length; index++) {
    const item = items[index];
    const inner = without(item);
    if (left === undefined && inner === item) continue;
    left ??= items.slice(0, index);
    left.push(inner);
  }
  return left ?? items;
}

function membersBefore(end: string, given: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const members: Record<string, unknown> = {};
  for (const name in given) {
    if (name === end) break;
    setMember(members, name, given[name]);
  }
  return members;
}
