/** The rules of metadata that hold for every kind. */
import {
  byteLength,
  fieldForbidden,
  fieldInvalid,
  fieldRequired,
  fieldTooLong,
  isLabelValue,
  isPathSegmentName,
  isQualifiedName,
  type KubeObject,
  type ManagedFieldsEntry,
  type ObjectMeta,
  type OwnerReference,
  type StatusCause,
} from "../../../api/index.js";
import type { Random } from "../../../base/index.js";
import { finalizerDomains, type NameRule, subdomainName } from "../kinds/rules/names.js";
import type { Strategy } from "../../contracts/strategy.js";

export const nameRuleOf = ({ validateName }: Pick<Strategy, "validateName">): NameRule => validateName ?? subdomainName;

const suffixLetters = "bcdfghjklmnpqrstvwxz2456789";
const maxGeneratedBase = 58;

export function generateName(base: string, random: Random): string {
  let name = base.slice(0, maxGeneratedBase);
  for (let i = 0; i < 5; i++) name += suffixLetters[random.int(suffixLetters.length)];
  return name;
}

const maxAnnotationBytes = 256 * 1024;
const forbiddenOwners = new Set(["v1 Event"]);

export function validateObjectMeta(
  meta: ObjectMeta,
  options: { readonly namespaced: boolean; readonly nameRule: NameRule },
): StatusCause[] {
  const { nameRule } = options;
  const errors: StatusCause[] = [];
  errors.push(...validateNames(meta, nameRule));
  if (!meta.name) errors.push(fieldRequired("metadata.name", "name or generateName is required"));
  if (options.namespaced) {
    if (!meta.namespace) errors.push(fieldRequired("metadata.namespace"));
  } else if (meta.namespace) {
    errors.push(fieldForbidden("metadata.namespace", "not allowed on this type"));
  }
  return [...errors, ...validateCommon(meta)];
}

/** Of a name and a prefix that are there. */
export function validateNames(meta: ObjectMeta, nameRule: NameRule): StatusCause[] {
  const { name } = meta;
  const wrong = name ? nameRule(name, false) : [];
  return [...validatePrefix(meta, nameRule), ...wrong.map((why) => fieldInvalid("metadata.name", name, why))];
}

function validatePrefix({ generateName: prefix }: ObjectMeta, nameRule: NameRule): StatusCause[] {
  return prefix ? nameRule(prefix, true).map((wrong) => fieldInvalid("metadata.generateName", prefix, wrong)) : [];
}

function validateCommon(meta: ObjectMeta): StatusCause[] {
  return [
    ...((meta.generation ?? 0) < 0
      ? [fieldInvalid("metadata.generation", meta.generation, "must be greater than or equal to 0")]
      : []),
    ...validateLabels(meta.labels, "metadata.labels"),
    ...validateAnnotations(meta.annotations, "metadata.annotations"),
    ...validateOwnerReferences(meta.ownerReferences ?? []),
    ...validateFinalizers(meta.finalizers ?? []),
    ...(meta.managedFields ?? []).flatMap((entry, index) =>
      managerEntryErrors(entry, `metadata.managedFields[${index}]`),
    ),
  ];
}

const maxManagerBytes = 128;
const maxSubresourceBytes = 256;
const printable = /^[\p{L}\p{M}\p{N}\p{P}\p{S} ]*$/u;

function managerEntryErrors(entry: ManagedFieldsEntry, at: string): StatusCause[] {
  const { operation = "", fieldsType = "", manager = "", subresource = "" } = entry;
  const errors: StatusCause[] = [];
  if (operation !== "Apply" && operation !== "Update") {
    errors.push(fieldInvalid(`${at}.operation`, operation, "must be `Apply` or `Update`"));
  }
  if (fieldsType !== "" && fieldsType !== "FieldsV1") {
    errors.push(fieldInvalid(`${at}.fieldsType`, fieldsType, "must be `FieldsV1`"));
  }
  errors.push(...managerErrors(manager, `${at}.manager`));
  if (byteLength(subresource) > maxSubresourceBytes)
    errors.push(fieldTooLong(`${at}.subresource`, maxSubresourceBytes));
  return errors;
}

/** Objections to the name of a field manager, which stands at `at`. */
export function managerErrors(manager: string, at: string): readonly StatusCause[] {
  if (byteLength(manager) > maxManagerBytes) return [fieldTooLong(at, maxManagerBytes)];
  if (printable.test(manager)) return [];
  const errors: StatusCause[] = [];
  let position = 0;
  for (const character of manager) {
    const code = character.codePointAt(0) ?? 0;
    const shown = `U+${code.toString(16).toUpperCase().padStart(4, "0")}`;
    const why = `invalid character ${shown} (at position ${position})`;
    if (!printable.test(character)) errors.push(fieldInvalid(at, manager, why));
    position += byteLength(character);
  }
  return errors;
}

function validateLabels(labels: Readonly<Record<string, string>> | undefined, at: string): StatusCause[] {
  const errors: StatusCause[] = [];
  for (const [key, value] of Object.entries(labels ?? {})) {
    for (const wrong of isQualifiedName(key)) errors.push(fieldInvalid(at, key, wrong));
    for (const wrong of isLabelValue(value)) errors.push(fieldInvalid(at, value, wrong));
  }
  return errors;
}

function validateAnnotations(annotations: Readonly<Record<string, string>> | undefined, at: string): StatusCause[] {
  const errors: StatusCause[] = [];
  let size = 0;
  for (const [key, value] of Object.entries(annotations ?? {})) {
    for (const wrong of isQualifiedName(key.toLowerCase())) errors.push(fieldInvalid(at, key, wrong));
    size += byteLength(key) + byteLength(value);
  }
  if (size > maxAnnotationBytes) errors.push(fieldTooLong(at, maxAnnotationBytes));
  return errors;
}

function validateOwnerReferences(references: readonly OwnerReference[]): StatusCause[] {
  const errors: StatusCause[] = [];
  let controller: string | undefined;
  const at = "metadata.ownerReferences";
  for (const owner of references) {
    const parts = (owner.apiVersion ?? "").split("/");
    if (!parts.at(-1) || parts.length > 2)
      errors.push(fieldInvalid(`${at}.apiVersion`, owner.apiVersion ?? "", "version must not be empty"));
    if (!owner.kind) errors.push(fieldInvalid(`${at}.kind`, owner.kind ?? "", "must not be empty"));
    if (!owner.name) errors.push(fieldInvalid(`${at}.name`, owner.name ?? "", "must not be empty"));
    if (!owner.uid) errors.push(fieldInvalid(`${at}.uid`, owner.uid ?? "", "must not be empty"));
    if (forbiddenOwners.has(`${owner.apiVersion} ${owner.kind}`)) {
      errors.push(
        fieldInvalid(at, owner, `/${owner.apiVersion}, Kind=${owner.kind} is disallowed from being an owner`),
      );
    }
    if (owner.controller !== true) continue;
    if (controller !== undefined) {
      const why = `Only one reference can have Controller set to true. Found "true" in references for ${controller} and ${owner.kind}/${owner.name}`;
      errors.push(fieldInvalid("metadata.ownerReferences", references, why));
    } else controller = `${owner.kind}/${owner.name}`;
  }
  return errors;
}

function validateFinalizers(finalizers: readonly string[]): StatusCause[] {
  const errors: StatusCause[] = [];
  for (const finalizer of finalizers) {
    for (const wrong of isQualifiedName(finalizer)) errors.push(fieldInvalid("metadata.finalizers", finalizer, wrong));
  }
  if (finalizers.includes("orphan") && finalizers.includes("foregroundDeletion")) {
    const why = "finalizer orphan and foregroundDeletion cannot be both set";
    errors.push(fieldInvalid("metadata.finalizers", finalizers, why));
  }
  return errors;
}

/** Most built-in kinds require a domain in a finalizer's name, except for the old ones. */
export function validateFinalizerDomains({ finalizers }: ObjectMeta, { lenient }: Strategy): readonly StatusCause[] {
  return lenient?.finalizers === true ? [] : finalizerDomains(finalizers);
}

/** The rules that hold on update as well as on create. */
export const validateUpdatedMeta = (meta: ObjectMeta, strategy: Strategy): StatusCause[] => [
  ...validatePrefix(meta, isPathSegmentName),
  ...(strategy.lenient?.prefixOnUpdate === true ? [] : validatePrefix(meta, nameRuleOf(strategy))),
  ...validateCommon(meta),
];

/** Both objects carry the metadata that the server owns, so the remaining differences are changes by the client. */
export function validateMetaChange(meta: ObjectMeta, old: ObjectMeta): StatusCause[] {
  const errors: StatusCause[] = [];
  if (old.deletionTimestamp !== undefined) {
    const had = new Set(old.finalizers ?? []);
    const added = (meta.finalizers ?? []).filter((finalizer) => !had.has(finalizer)).toSorted();
    if (added.length > 0) {
      const why = `no new finalizers can be added if the object is being deleted, found new finalizers []string{${added.map((one) => JSON.stringify(one)).join(", ")}}`;
      errors.push(fieldForbidden("metadata.finalizers", why));
    }
  }
  for (const name of immutable) {
    if (meta[name] !== old[name]) errors.push(fieldInvalid(`metadata.${name}`, meta[name] ?? "", "field is immutable"));
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
  const seen = new Set<string>();
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
    if (!seen.has(id)) kept.push(owner);
    else doubled.push(owner.uid);
    seen.add(id);
  }
  if (doubled.length === 0) return object;
  const when = admitted ? " after mutating admission happens" : "";
  warn(
    `.metadata.ownerReferences contains duplicate entries${when}; API server dedups owner references in 1.20+, and may reject such requests as early as 1.24; please fix your requests; duplicate UID(s) observed: ${doubled.join(", ")}`,
  );
  return { ...object, metadata: { ...object.metadata, ownerReferences: kept } };
}
