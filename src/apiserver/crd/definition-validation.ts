/** Validates a CustomResourceDefinition, in the words of the API server. */
import {
  isConditionTrue,
  type CustomResourceDefinition,
  type CustomResourceDefinitionVersion,
  deepEqual,
  type FieldPath,
  fieldPath,
  isDns1035Label,
  isDns1123Subdomain,
  type StatusCause,
} from "../../api/index.js";
import { conversionErrors } from "./conversion/validation.js";
import { deprecationErrors, partErrors, type VersionPlaces } from "./version-validation.js";

type Spec = CustomResourceDefinition["spec"];

const at = fieldPath("spec");
const approvalAnnotation = "api-approved.kubernetes.io";

export function validateDefinition(definition: CustomResourceDefinition): readonly StatusCause[] {
  return [
    ...nameErrors(definition),
    ...specErrors(definition.spec),
    ...storedErrors(definition),
    ...approvalErrors(definition),
  ];
}

export function validateDefinitionUpdate(
  definition: CustomResourceDefinition,
  old: CustomResourceDefinition,
): readonly StatusCause[] {
  return [...specErrors(definition.spec), ...updateErrors(definition, old), ...storedErrors(definition)];
}

function nameErrors({ metadata, spec }: CustomResourceDefinition): readonly StatusCause[] {
  const wanted = `${spec.names.plural}.${spec.group}`;
  const why = 'must be spec.names.plural+"."+spec.group';
  return (["name", "generateName"] as const)
    .filter((field) => metadata[field] && metadata[field] !== wanted)
    .map((field) => fieldPath("metadata", field).invalid(metadata[field], why));
}

function specErrors(spec: Spec): readonly StatusCause[] {
  return [
    ...groupErrors(spec),
    ...versionsErrors(spec),
    ...requiredNames(spec.names),
    ...namesErrors(at.child("names"), spec.names),
    ...sharedErrors(spec),
    ...conversionErrors(spec.conversion, at.child("conversion")),
    ...preserveErrors(spec),
  ];
}

function groupErrors({ group, scope }: Spec): readonly StatusCause[] {
  const errors: StatusCause[] = [];
  const wrong = group ? isDns1123Subdomain(group) : [];
  if (!group) errors.push(at.child("group").required());
  else if (wrong.length > 0) errors.push(at.child("group").invalid(group, wrong.join(",")));
  else if (!group.includes("."))
    errors.push(at.child("group").invalid(group, "should be a domain with at least one dot"));
  if (!scope) errors.push(at.child("scope").required());
  else if (scope !== "Cluster" && scope !== "Namespaced")
    errors.push(at.child("scope").notSupported(scope, ["Cluster", "Namespaced"]));
  return errors;
}

/** A part that is equal in all versions is reported once, for all of them. */
function isAlike({ versions: [first, ...others] }: Spec, part: keyof CustomResourceDefinitionVersion): boolean {
  return others.every((other) => deepEqual(other[part], first?.[part]));
}

/** The parts of versions that have a place of their own. */
const parts = ["schema", "subresources", "additionalPrinterColumns", "selectableFields"] as const;

function placesWhere(
  isPlaced: (part: (typeof parts)[number]) => boolean,
  alike: boolean,
  path: (part: string) => FieldPath,
): VersionPlaces {
  const place = (part: (typeof parts)[number], name: string): FieldPath | undefined =>
    isPlaced(part) ? path(name) : undefined;
  return {
    schema: place("schema", alike ? "validation" : "schema"),
    subresources: place("subresources", "subresources"),
    columns: place("additionalPrinterColumns", "additionalPrinterColumns"),
    selectable: place("selectableFields", "selectableFields"),
  };
}

function sharedErrors(spec: Spec): readonly StatusCause[] {
  const [first] = spec.versions;
  if (first === undefined) return [];
  return partErrors(
    first,
    placesWhere(
      (part) => isAlike(spec, part),
      true,
      (name) => at.child(name),
    ),
  );
}

function versionsErrors(spec: Spec): readonly StatusCause[] {
  const { versions } = spec;
  const errors: StatusCause[] = [];
  const here = at.child("versions");
  for (const [path, { schema }] of here.items(versions))
    if (schema?.openAPIV3Schema === undefined) errors.push(path.child("schema", "openAPIV3Schema").required());
  const own = new Set(parts.filter((part) => !isAlike(spec, part)));
  for (const [path, version] of here.items(versions)) {
    const wrong = isDns1035Label(version.name ?? "");
    if (wrong.length > 0) errors.push(path.child("name").invalid(version.name, wrong.join(",")));
    const places = placesWhere(
      (part) => own.has(part),
      false,
      (name) => path.child(name),
    );
    errors.push(...deprecationErrors(version, path), ...partErrors(version, places));
  }
  const names = versions.map(({ name }) => name);
  if (new Set(names).size < names.length) errors.push(here.invalid(versions, "must contain unique version names"));
  if (versions.filter(({ storage }) => storage).length !== 1)
    errors.push(here.invalid(versions, "must have exactly one version marked as storage version"));
  // messages about a single version name the first one
  const first = names[0] ? isDns1035Label(names[0]) : [];
  if (first.length > 0) errors.push(at.child("version").invalid(names[0], first.join(",")));
  return errors;
}

function preserveErrors({ preserveUnknownFields }: Spec): readonly StatusCause[] {
  if (preserveUnknownFields !== true) return [];
  const why = "cannot set to true, set x-kubernetes-preserve-unknown-fields to true in spec.versions[*].schema instead";
  return [at.child("preserveUnknownFields").invalid(true, why)];
}

function requiredNames(names: Spec["names"]): readonly StatusCause[] {
  return (["plural", "singular", "kind", "listKind"] as const)
    .filter((name) => !names[name])
    .map((name) => at.child("names", name).required());
}

/** A status must not accept names that a spec could not have. */
export function validateDefinitionStatus({ status }: CustomResourceDefinition): readonly StatusCause[] {
  const names = status?.acceptedNames;
  return names === undefined || names === null ? [] : namesErrors(fieldPath("status", "acceptedNames"), names);
}

function namesErrors(place: FieldPath, names: Spec["names"]): StatusCause[] {
  const { plural, singular, kind, listKind } = names;
  const errors: StatusCause[] = [];
  const label = (field: FieldPath, text: string | undefined): void => {
    const wrong = text === undefined ? [] : isDns1035Label(text);
    if (wrong.length > 0) errors.push(field.invalid(text, wrong.join(",")));
  };
  const kindLabel = (field: FieldPath, text: string): void => {
    const wrong = text === "" ? [] : isDns1035Label(text.toLowerCase());
    const why = `may have mixed case, but should otherwise match: ${wrong.join(",")}`;
    if (wrong.length > 0) errors.push(field.invalid(text, why));
  };
  label(place.child("plural"), plural || undefined);
  label(place.child("singular"), singular || undefined);
  kindLabel(place.child("kind"), kind ?? "");
  kindLabel(place.child("listKind"), listKind ?? "");
  for (const [here, short] of place.child("shortNames").items(names.shortNames)) label(here, short);
  if (kind && kind === listKind)
    errors.push(place.child("listKind").invalid(listKind, "kind and listKind may not be the same"));
  for (const [itemAt, category] of place.child("categories").items(names.categories)) label(itemAt, category);
  return errors;
}

function approvalErrors({ spec, metadata }: CustomResourceDefinition): readonly StatusCause[] {
  if (!/(^|\.)(k8s|kubernetes)\.io$/.test(spec.group)) return [];
  const value = metadata.annotations?.[approvalAnnotation];
  if (value !== undefined && (value.startsWith("unapproved") || URL.canParse(value))) return [];
  const here = fieldPath("metadata", "annotations").key(approvalAnnotation);
  const wanted = `protected groups must have approval annotation "${approvalAnnotation}"`;
  const see = "see https://github.com/kubernetes/enhancements/pull/1111";
  if (value === undefined) return [here.required(`${wanted}, ${see}`)];
  return [here.invalid(value, `${wanted} with either a URL or a reason starting with "unapproved", ${see}`)];
}

function updateErrors({ spec }: CustomResourceDefinition, old: CustomResourceDefinition): readonly StatusCause[] {
  const errors: StatusCause[] = [];
  const established = isConditionTrue(old.status?.conditions, "Established");
  const immutable = (field: FieldPath, now: unknown, before: unknown): void => {
    if (now !== before) errors.push(field.invalid(now, "field is immutable"));
  };
  if (established) {
    immutable(at.child("scope"), spec.scope, old.spec.scope);
    immutable(at.child("names", "kind"), spec.names.kind, old.spec.names.kind);
  }
  immutable(at.child("group"), spec.group, old.spec.group);
  immutable(at.child("names", "plural"), spec.names.plural, old.spec.names.plural);
  return errors;
}

function storedErrors({ spec, status }: CustomResourceDefinition): readonly StatusCause[] {
  const stored = status?.storedVersions ?? [];
  const here = fieldPath("status", "storedVersions");
  if (stored.length === 0) return [here.invalid(undefined, "must have at least one stored version")];
  const names = new Set(spec.versions.map(({ name }) => name));
  // `delete` removes the name, so a repeated version counts as missing
  const known = new Set(stored);
  const missing = spec.versions
    .filter(({ storage, name }) => !known.delete(name) && storage)
    .map(({ name }) => here.invalid(stored, `must have the storage version ${name}`));
  const left = stored.flatMap((version, i) => {
    if (names.has(version)) return [];
    const why = `missing from spec.versions; ${version} was previously a storage version, and must remain in spec.versions until a storage migration ensures no data remains persisted in ${version} and removes ${version} from status.storedVersions`;
    return [here.index(i).invalid(version, why)];
  });
  return [...missing, ...left];
}
