/** What the kind CustomResourceDefinition does differently: its defaults, its rules, and what its deletion begins with. */
import {
  type CustomResourceDefinition,
  type CustomResourceDefinitionVersion,
  deepEqual,
  fieldInvalid,
  fieldNotSupported,
  fieldRequired,
  isDns1035Label,
  isDns1123Subdomain,
  type StatusCause,
} from "../../api/index.js";
import type { Strategy } from "../registry/strategy.js";
import { timestamp } from "../registry/scope.js";
import { withCondition } from "./conditions.js";
import type { JsonSchema } from "./schema/json-schema.js";
import { validateExtensions, validateStructural } from "./schema/structural.js";

export const cleanupFinalizer = "customresourcecleanup.apiextensions.k8s.io";
const approvalAnnotation = "api-approved.kubernetes.io";

export const definitionStrategy: Strategy<CustomResourceDefinition> = {
  group: "apiextensions.k8s.io",
  kind: "CustomResourceDefinition",
  generation: "spec",
  allowUnconditionalUpdate: false,

  setDefaults(definition) {
    const { names, conversion } = definition.spec;
    const { kind } = names;
    return {
      ...definition,
      spec: {
        ...definition.spec,
        names: {
          ...names,
          singular: names.singular || kind.toLowerCase(),
          listKind: names.listKind || (kind && `${kind}List`),
        },
        conversion: conversion ?? { strategy: "None" },
      },
    };
  },

  prepareForCreate: (definition) => withStoredVersions({ ...definition, status: emptyStatus }),
  prepareForUpdate: (definition) => withStoredVersions(definition),
  validateCreate: (definition) => [
    ...nameErrors(definition),
    ...specErrors(definition),
    ...storedErrors(definition),
    ...approvalErrors(definition),
  ],
  validateUpdate: (definition, old) => [
    ...specErrors(definition),
    ...updateErrors(definition, old),
    ...storedErrors(definition),
  ],

  onDeletionStart(definition, now) {
    const finalizers = definition.metadata.finalizers ?? [];
    const dying = withCondition(definition, {
      type: "Terminating",
      status: "True",
      reason: "InstanceDeletionPending",
      message: "CustomResourceDefinition marked for deletion; CustomResource deletion will begin soon",
      lastTransitionTime: timestamp(now),
    });
    if (finalizers.includes(cleanupFinalizer)) return dying;
    return { ...dying, metadata: { ...dying.metadata, finalizers: [...finalizers, cleanupFinalizer] } };
  },
  // the server itself deletes the instances, then lets go
  holdsDeletion: (definition) => definition.metadata.deletionTimestamp === undefined,
};

const emptyStatus = { conditions: [], acceptedNames: { plural: "", kind: "" }, storedVersions: [] } as const;

function withStoredVersions(definition: CustomResourceDefinition): CustomResourceDefinition {
  const storage = definition.spec.versions.find((version) => version.storage)?.name;
  const stored = definition.status?.storedVersions ?? [];
  if (storage === undefined || stored.includes(storage)) return definition;
  return { ...definition, status: { ...emptyStatus, ...definition.status, storedVersions: [...stored, storage] } };
}

function nameErrors({ metadata, spec }: CustomResourceDefinition): readonly StatusCause[] {
  if (metadata.name === `${spec.names.plural}.${spec.group}`) return [];
  return [fieldInvalid("metadata.name", metadata.name, 'must be spec.names.plural+"."+spec.group')];
}

function specErrors({ spec }: CustomResourceDefinition): readonly StatusCause[] {
  const errors: StatusCause[] = [];
  const wrongGroup = spec.group ? isDns1123Subdomain(spec.group) : [];
  if (!spec.group) errors.push(fieldRequired("spec.group"));
  else if (wrongGroup.length > 0) errors.push(fieldInvalid("spec.group", spec.group, wrongGroup.join(",")));
  else if (!spec.group.includes("."))
    errors.push(fieldInvalid("spec.group", spec.group, "should be a domain with at least one dot"));
  if (!spec.scope) errors.push(fieldRequired("spec.scope"));
  else if (spec.scope !== "Cluster" && spec.scope !== "Namespaced") {
    errors.push(fieldNotSupported("spec.scope", spec.scope, ["Cluster", "Namespaced"]));
  }
  for (const [i, version] of spec.versions.entries()) {
    if (version.schema?.openAPIV3Schema === undefined)
      errors.push(fieldRequired(`spec.versions[${i}].schema.openAPIV3Schema`));
  }
  // what all versions say alike counts as said once, for all of them
  const [first, ...others] = spec.versions;
  const alike = (part: keyof CustomResourceDefinitionVersion): boolean =>
    others.every((other) => deepEqual(other[part], first?.[part]));
  const places = (i: number): VersionPlaces => ({
    schema: alike("schema") ? undefined : `spec.versions[${i}].schema`,
    subresources: alike("subresources") ? undefined : `spec.versions[${i}].subresources`,
    columns: alike("additionalPrinterColumns") ? undefined : `spec.versions[${i}].additionalPrinterColumns`,
  });
  for (const [i, version] of spec.versions.entries()) {
    errors.push(...versionErrors(version, `spec.versions[${i}]`), ...partErrors(version, places(i)));
  }
  const names = spec.versions.map(({ name }) => name);
  if (new Set(names).size < names.length)
    errors.push(fieldInvalid("spec.versions", spec.versions, "must contain unique version names"));
  if (spec.versions.filter(({ storage }) => storage).length !== 1) {
    errors.push(
      fieldInvalid("spec.versions", spec.versions, "must have exactly one version marked as storage version"),
    );
  }
  const shared =
    first === undefined
      ? []
      : partErrors(first, {
          schema: alike("schema") ? "spec.validation" : undefined,
          subresources: alike("subresources") ? "spec.subresources" : undefined,
          columns: alike("additionalPrinterColumns") ? "spec.additionalPrinterColumns" : undefined,
        });
  return [...errors, ...namesErrors(spec.names), ...shared, ...preserveErrors(spec)];
}

/** Where a version's parts stand; undefined for what is judged elsewhere. */
interface VersionPlaces {
  readonly schema: string | undefined;
  readonly subresources: string | undefined;
  readonly columns: string | undefined;
}

function preserveErrors({ preserveUnknownFields }: CustomResourceDefinition["spec"]): readonly StatusCause[] {
  if (preserveUnknownFields !== true) return [];
  const why = "cannot set to true, set x-kubernetes-preserve-unknown-fields to true in spec.versions[*].schema instead";
  return [fieldInvalid("spec.preserveUnknownFields", true, why)];
}

function namesErrors(names: CustomResourceDefinition["spec"]["names"]): readonly StatusCause[] {
  const errors: StatusCause[] = [];
  for (const name of ["plural", "singular", "kind", "listKind"] as const) {
    if (!names[name]) errors.push(fieldRequired(`spec.names.${name}`));
  }
  const label = (at: string, text: string | undefined): void => {
    const wrong = text ? isDns1035Label(text.toLowerCase()) : [];
    if (wrong.length > 0) errors.push(fieldInvalid(at, text, wrong.join(",")));
  };
  const { plural, singular, kind, listKind, shortNames = [], categories = [] } = names;
  if (plural && isDns1035Label(plural).length > 0)
    errors.push(fieldInvalid("spec.names.plural", plural, isDns1035Label(plural).join(",")));
  if (singular && isDns1035Label(singular).length > 0) {
    errors.push(fieldInvalid("spec.names.singular", singular, isDns1035Label(singular).join(",")));
  }
  label("spec.names.kind", kind);
  label("spec.names.listKind", listKind);
  for (const [i, short] of shortNames.entries()) {
    const wrong = isDns1035Label(short);
    if (wrong.length > 0) errors.push(fieldInvalid(`spec.names.shortNames[${i}]`, short, wrong.join(",")));
  }
  if (kind && kind === listKind)
    errors.push(fieldInvalid("spec.names.listKind", listKind, "kind and listKind may not be the same"));
  for (const [i, category] of categories.entries()) {
    const wrong = isDns1035Label(category);
    if (wrong.length > 0) errors.push(fieldInvalid(`spec.names.categories[${i}]`, category, wrong.join(",")));
  }
  return errors;
}

const columnTypes = ["integer", "number", "string", "boolean", "date"];

function versionErrors(version: CustomResourceDefinitionVersion, path: string): readonly StatusCause[] {
  const errors: StatusCause[] = [];
  const wrong = isDns1035Label(version.name ?? "");
  if (wrong.length > 0) errors.push(fieldInvalid(`${path}.name`, version.name, wrong.join(",")));
  if (version.deprecated !== true && version.deprecationWarning !== undefined) {
    errors.push(
      fieldInvalid(`${path}.deprecationWarning`, version.deprecationWarning, "can only be set for deprecated versions"),
    );
  }
  return errors;
}

function partErrors(version: CustomResourceDefinitionVersion, places: VersionPlaces): readonly StatusCause[] {
  const errors: StatusCause[] = [];
  const schema = version.schema?.openAPIV3Schema as JsonSchema | undefined;
  if (schema !== undefined && places.schema !== undefined) {
    const at = `${places.schema}.openAPIV3Schema`;
    const structural = validateStructural(schema, at);
    errors.push(...structural, ...(structural.length === 0 ? validateExtensions(schema, at) : []));
  }
  const scale = version.subresources?.scale;
  if (scale !== undefined && places.subresources !== undefined) {
    errors.push(...scaleErrors(scale, `${places.subresources}.scale`));
  }
  if (places.columns === undefined) return errors;
  for (const [i, column] of (version.additionalPrinterColumns ?? []).entries()) {
    const at = `${places.columns}[${i}]`;
    if (!column.name) errors.push(fieldRequired(`${at}.name`));
    if (!column.type) errors.push(fieldRequired(`${at}.type`, `must be one of ${columnTypes.join(",")}`));
    else if (!columnTypes.includes(column.type)) errors.push(fieldNotSupported(`${at}.type`, column.type, columnTypes));
    if (!column.jsonPath) errors.push(fieldRequired(`${at}.jsonPath`));
  }
  return errors;
}

function scaleErrors(
  scale: { readonly specReplicasPath?: string; readonly statusReplicasPath?: string },
  path: string,
): readonly StatusCause[] {
  const errors: StatusCause[] = [];
  for (const [name, start] of [
    ["specReplicasPath", ".spec."],
    ["statusReplicasPath", ".status."],
  ] as const) {
    const value = scale[name];
    if (!value) errors.push(fieldRequired(`${path}.${name}`));
    else if (!value.startsWith(start))
      errors.push(fieldInvalid(`${path}.${name}`, value, `should be a json path under ${start.slice(0, -1)}`));
  }
  return errors;
}

function approvalErrors({ spec, metadata }: CustomResourceDefinition): readonly StatusCause[] {
  if (!/(^|\.)(k8s|kubernetes)\.io$/.test(spec.group)) return [];
  const value = metadata.annotations?.[approvalAnnotation];
  if (value !== undefined && (value.startsWith("unapproved") || URL.canParse(value))) return [];
  const at = `metadata.annotations[${approvalAnnotation}]`;
  const why =
    'protected groups must have approval annotation "api-approved.kubernetes.io", see https://github.com/kubernetes/enhancements/pull/1111';
  return value === undefined ? [fieldRequired(at, why)] : [fieldInvalid(at, value, why)];
}

function updateErrors({ spec }: CustomResourceDefinition, old: CustomResourceDefinition): readonly StatusCause[] {
  const errors: StatusCause[] = [];
  const established = old.status?.conditions?.some(({ type, status }) => type === "Established" && status === "True");
  const immutable = (at: string, now: unknown, before: unknown): void => {
    if (now !== before) errors.push(fieldInvalid(at, now, "field is immutable"));
  };
  if (established) {
    immutable("spec.scope", spec.scope, old.spec.scope);
    immutable("spec.names.kind", spec.names.kind, old.spec.names.kind);
  }
  immutable("spec.group", spec.group, old.spec.group);
  immutable("spec.names.plural", spec.names.plural, old.spec.names.plural);
  return errors;
}

function storedErrors({ spec, status }: CustomResourceDefinition): readonly StatusCause[] {
  const names = new Set(spec.versions.map(({ name }) => name));
  if ((status?.storedVersions ?? []).length === 0) {
    return [fieldInvalid("status.storedVersions", undefined, "must have at least one stored version")];
  }
  return (status?.storedVersions ?? []).flatMap((version, i) => {
    if (names.has(version)) return [];
    const why = `missing from spec.versions; ${version} was previously a storage version, and must remain in spec.versions until a storage migration ensures no data remains persisted in ${version} and removes ${version} from status.storedVersions`;
    return [fieldInvalid(`status.storedVersions[${i}]`, version, why)];
  });
}
