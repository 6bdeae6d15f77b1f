/** The rules of metadata that hold for every kind. */
import {
  byteLength,
  deepEqual,
  type FieldPath,
  fieldPath,
  isPathSegmentName,
  type KubeObject,
  type ManagedFieldsEntry,
  type ObjectMeta,
  type OwnerReference,
  type StatusCause,
} from "../../../api/index.js";
import type { Random } from "../../../base/index.js";
import { annotationMap, labelMap, nonNegative, qualifiedName } from "../kinds/rules/issues.js";
import { finalizerDomains, type NameRule, subdomainName } from "../kinds/rules/names.js";
import type { Strategy } from "../../contracts/strategy.js";
import { repeats } from "../../../base/members.js";

export const nameRuleOf = ({ validateName }: Pick<Strategy, "validateName">): NameRule => validateName ?? subdomainName;

const suffixLetters = "bcdfghjklmnpqrstvwxz2456789";
const maxGeneratedBase = 58;

export function generateName(base: string, random: Random): string {
  let name = base.slice(0, maxGeneratedBase);
  for (let i = 0; i < 5; i++) name += suffixLetters[random.int(suffixLetters.length)];
  return name;
}

const at = fieldPath("metadata");
const forbiddenOwners = new Set(["v1 Event"]);

/** Faults in upstream's order, found as somebody asks for them: each may quote much of the object. */
type Faults = Iterable<StatusCause>;

export function* validateObjectMeta(
  meta: ObjectMeta,
  { namespaced, nameRule }: { readonly namespaced: boolean; readonly nameRule: NameRule },
): Faults {
  yield* validateNames(meta, nameRule);
  if (!meta.name) yield at.child("name").required("name or generateName is required");
  if (namespaced) {
    if (!meta.namespace) yield at.child("namespace").required();
  } else if (meta.namespace) yield at.child("namespace").forbidden("not allowed on this type");
  yield* validateCommon(meta);
}

/** Of a name and a prefix that are there. */
export function* validateNames(meta: ObjectMeta, nameRule: NameRule): Faults {
  const { name } = meta;
  yield* validatePrefix(meta, nameRule);
  if (name) for (const why of nameRule(name, false)) yield at.child("name").invalid(name, why);
}

function* validatePrefix({ generateName: prefix }: ObjectMeta, nameRule: NameRule): Faults {
  if (prefix) for (const wrong of nameRule(prefix, true)) yield at.child("generateName").invalid(prefix, wrong);
}

function* validateCommon(meta: ObjectMeta): Faults {
  yield* nonNegative(at.child("generation"), meta.generation);
  yield* labelMap(at.child("labels"), meta.labels);
  yield* annotationMap(at.child("annotations"), meta.annotations);
  yield* validateOwnerReferences(meta.ownerReferences ?? []);
  yield* validateFinalizers(meta.finalizers ?? []);
  for (const [here, entry] of at.child("managedFields").items(meta.managedFields)) {
    yield* managerEntryErrors(entry, here);
  }
}

const maxManagerBytes = 128;
const maxSubresourceBytes = 256;
const printable = /^[\p{L}\p{M}\p{N}\p{P}\p{S} ]*$/u;

function* managerEntryErrors(entry: ManagedFieldsEntry, at: FieldPath): Faults {
  const { operation = "", fieldsType = "", manager = "", subresource = "" } = entry;
  if (operation !== "Apply" && operation !== "Update") {
    yield at.child("operation").invalid(operation, "must be `Apply` or `Update`");
  }
  if (fieldsType !== "" && fieldsType !== "FieldsV1") {
    yield at.child("fieldsType").invalid(fieldsType, "must be `FieldsV1`");
  }
  yield* managerErrors(manager, at.child("manager"));
  if (byteLength(subresource) > maxSubresourceBytes) yield at.child("subresource").tooLong(maxSubresourceBytes);
}

/** Objections to the name of a field manager, which stands at `at`. */
export function* managerErrors(manager: string, at: FieldPath): Faults {
  if (byteLength(manager) > maxManagerBytes) yield at.tooLong(maxManagerBytes);
  else if (!printable.test(manager)) yield* unprintable(manager, at);
}

function* unprintable(manager: string, at: FieldPath): Faults {
  let position = 0;
  for (const character of manager) {
    const code = character.codePointAt(0) ?? 0;
    const shown = `U+${code.toString(16).toUpperCase().padStart(4, "0")}`;
    const why = `invalid character ${shown} (at position ${position})`;
    if (!printable.test(character)) yield at.invalid(manager, why);
    position += byteLength(character);
  }
}

function* validateOwnerReferences(references: readonly OwnerReference[]): Faults {
  let controller: string | undefined;
  const owners = at.child("ownerReferences");
  for (const owner of references) {
    const parts = (owner.apiVersion ?? "").split("/");
    if (!parts.at(-1) || parts.length > 2)
      yield owners.child("apiVersion").invalid(owner.apiVersion ?? "", "version must not be empty");
    for (const field of ["kind", "name", "uid"] as const) {
      if (!owner[field]) yield owners.child(field).invalid(owner[field] ?? "", "must not be empty");
    }
    if (forbiddenOwners.has(`${owner.apiVersion} ${owner.kind}`)) {
      yield owners.invalid(owner, `/${owner.apiVersion}, Kind=${owner.kind} is disallowed from being an owner`);
    }
    if (owner.controller !== true) continue;
    if (controller !== undefined) {
      const why = `Only one reference can have Controller set to true. Found "true" in references for ${controller} and ${owner.kind}/${owner.name}`;
      yield owners.invalid(references, why);
    } else controller = `${owner.kind}/${owner.name}`;
  }
}

function* validateFinalizers(finalizers: readonly string[]): Faults {
  const here = at.child("finalizers");
  for (const finalizer of finalizers) yield* qualifiedName(here, finalizer);
  if (finalizers.includes("orphan") && finalizers.includes("foregroundDeletion")) {
    yield here.invalid(finalizers, "finalizer orphan and foregroundDeletion cannot be both set");
  }
}

/** Most built-in kinds require a domain in a finalizer's name, except for the old ones. */
export function validateFinalizerDomains({ finalizers }: ObjectMeta, { lenient }: Pick<Strategy, "lenient">): Faults {
  return lenient?.finalizers === true ? [] : finalizerDomains(finalizers);
}

/** The rules that hold on update as well as on create. */
export function* validateUpdatedMeta(meta: ObjectMeta, strategy: Strategy): Faults {
  yield* validatePrefix(meta, isPathSegmentName);
  if (strategy.lenient?.prefixOnUpdate !== true) yield* validatePrefix(meta, nameRuleOf(strategy));
  yield* validateCommon(meta);
}

/** Metadata that a write may change. */
export type DraftMetadata = { -readonly [K in keyof KubeObject["metadata"]]: KubeObject["metadata"][K] };

/** Taken from the stored object, if it has them. */
const fromStored = ["creationTimestamp", "resourceVersion", "deletionTimestamp"] as const;
/** Fields that are taken from the stored object if they were not sent; a differing value is refused later. */
const ifNotSent = ["uid", "deletionGracePeriodSeconds"] as const;

/** The object with the metadata that the server owns. */
export function withServerMetadata(object: KubeObject, old: KubeObject): KubeObject {
  if (object.metadata === old.metadata) return object;
  const metadata: DraftMetadata = { ...object.metadata };
  for (const name of fromStored) {
    const value = old.metadata[name];
    if (value !== undefined) metadata[name] = value;
  }
  for (const name of ifNotSent) {
    const value = old.metadata[name];
    if (value !== undefined && (metadata[name] ?? "") === "") metadata[name] = value as never;
  }
  const { generation } = old.metadata;
  if (generation !== undefined) metadata.generation = generation;
  else if (metadata.generation !== undefined) delete metadata.generation;
  return { ...object, metadata };
}

/** Both objects carry the metadata that the server owns, so the remaining differences are changes by the client. */
export function validateMetaChange(meta: ObjectMeta, old: ObjectMeta): StatusCause[] {
  const errors: StatusCause[] = [];
  if (old.deletionTimestamp !== undefined) {
    const had = new Set(old.finalizers ?? []);
    const added = (meta.finalizers ?? []).filter((finalizer) => !had.has(finalizer)).toSorted();
    if (added.length > 0) {
      const why = `no new finalizers can be added if the object is being deleted, found new finalizers []string{${added.map((one) => JSON.stringify(one)).join(", ")}}`;
      errors.push(at.child("finalizers").forbidden(why));
    }
  }
  for (const name of immutable) {
    if (meta[name] !== old[name]) errors.push(at.child(name).invalid(meta[name] ?? "", "field is immutable"));
  }
  return errors;
}

const immutable = [
  "name",
  "namespace",
  "uid",
  "creationTimestamp",
  "deletionTimestamp",
  "deletionGracePeriodSeconds",
] as const;

/**
 * Keeps one of several equal owner references. `admitted`: the object has been through admission, so that the warning
 * names admission as a possible source.
 */
export function withoutDuplicateOwners(
  object: KubeObject,
  { warn, admitted }: { readonly warn: (text: string) => void; readonly admitted: boolean },
): KubeObject {
  const owners = object.metadata.ownerReferences;
  if (owners === undefined || owners.length < 2) return object;
  const isRepeat = repeats();
  const kept: OwnerReference[] = [];
  const doubled: string[] = [];
  for (const owner of owners) {
    const id = JSON.stringify([
      owner.apiVersion,
      owner.kind,
      owner.name,
      owner.uid,
      owner.controller,
      owner.blockOwnerDeletion,
    ]);
    if (isRepeat(id)) doubled.push(owner.uid);
    else kept.push(owner);
  }
  if (doubled.length === 0) return object;
  const when = admitted ? " after mutating admission happens" : "";
  warn(
    `.metadata.ownerReferences contains duplicate entries${when}; API server dedups owner references in 1.20+, and may reject such requests as early as 1.24; please fix your requests; duplicate UID(s) observed: ${doubled.join(", ")}`,
  );
  return { ...object, metadata: { ...object.metadata, ownerReferences: kept } };
}

/** True if nothing changed but the times of managedFields, which does not need a write. */
export function sameButForTimes(object: KubeObject, old: KubeObject): boolean {
  // comparing metadata needs copies, so everything else is compared first
  return sameButForMetadata(object, old) && deepEqual(timeless(object), timeless(old));
}

function sameButForMetadata(object: KubeObject, old: KubeObject): boolean {
  const [a, b] = [object as unknown as Fields, old as unknown as Fields];
  for (const name in a) if (name !== "metadata" && !deepEqual(a[name], b[name])) return false;
  for (const name in b) if (a[name] === undefined && b[name] !== undefined) return false;
  return true;
}

type Fields = Readonly<Record<string, unknown>>;

function timeless({ metadata }: KubeObject): object {
  const { managedFields, resourceVersion: _, ...rest } = metadata;
  return managedFields === undefined
    ? rest
    : { ...rest, managedFields: managedFields.map(({ time: _time, ...entry }) => entry) };
}
