/** The rules of metadata that hold for every kind. */
import {
  fieldForbidden,
  fieldInvalid,
  fieldRequired,
  fieldTooLong,
  isDns1123Subdomain,
  isLabelValue,
  isPathSegmentName,
  isQualifiedName,
  type KubeObject,
  type ObjectMeta,
  type OwnerReference,
  type StatusCause,
} from "../../../api/index.js";
import type { Random } from "../../../base/index.js";
import type { Strategy } from "../../contracts/strategy.js";

export type NameRule = (name: string, prefix: boolean) => readonly string[];

/** The default rule for names; a trailing dash of a prefix is masked, because a suffix will follow it. */
const subdomainName: NameRule = (name, prefix) => isDns1123Subdomain(prefix ? maskTrailingDash(name) : name);

export const nameRuleOf = ({ validateName }: Pick<Strategy, "validateName">): NameRule => validateName ?? subdomainName;

function maskTrailingDash(name: string): string {
  return name.length > 1 && name.endsWith("-") ? `${name.slice(0, -2)}a` : name;
}

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
  errors.push(...validatePrefix(meta, nameRule));
  if (!meta.name) errors.push(fieldRequired("metadata.name", "name or generateName is required"));
  else for (const wrong of nameRule(meta.name, false)) errors.push(fieldInvalid("metadata.name", meta.name, wrong));
  if (options.namespaced) {
    if (!meta.namespace) errors.push(fieldRequired("metadata.namespace"));
  } else if (meta.namespace) {
    errors.push(fieldForbidden("metadata.namespace", "not allowed on this type"));
  }
  return [...errors, ...validateCommon(meta)];
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
  ];
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
    size += Buffer.byteLength(key) + Buffer.byteLength(value);
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

/** Finalizers that are older than the rule that a finalizer's name has a domain. */
export const standardFinalizers: ReadonlySet<string> = new Set(["kubernetes", "orphan", "foregroundDeletion"]);

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
export function validateFinalizerDomains({ finalizers = [] }: ObjectMeta, { lenient }: Strategy): StatusCause[] {
  if (lenient?.finalizers === true) return [];
  const why = "name is neither a standard finalizer name nor is it fully qualified";
  return finalizers.flatMap((finalizer, i) =>
    finalizer.includes("/") || standardFinalizers.has(finalizer)
      ? []
      : [fieldInvalid(`metadata.finalizers[${i}]`, finalizer, why)],
  );
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

/** Keeps one of several owner references with the same uid. */
export function withoutDuplicateOwners(object: KubeObject, warn: (text: string) => void): KubeObject {
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
  warn(
    `.metadata.ownerReferences contains duplicate entries; API server dedups owner references in 1.20+, and may reject such requests as early as 1.24; please fix your requests; duplicate UID(s) observed: ${doubled.join(", ")}`,
  );
  return { ...object, metadata: { ...object.metadata, ownerReferences: kept } };
}
