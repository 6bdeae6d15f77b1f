/**
 * Makes an endpoint of one version of a custom kind: its schema is compiled once, and objects are pruned, defaulted and
 * validated by it.
 */
import { exactJson } from "../../api/values/exact-json.js";
import { defined } from "../../base/defined.js";
import { createHash } from "node:crypto";
import {
  type CustomResourceDefinition,
  type CustomResourceDefinitionVersion,
  deepEqual,
  goQuote,
  isDeleting,
  type KubeObject,
  type StatusCause,
} from "../../api/index.js";
import { Causes } from "../../api/status.js";
import type { Codec, Decoded } from "../contracts/codec.js";
import type { ServedResource, ServedSubresource } from "../contracts/served.js";
import { decodeJson } from "../codec/index.js";
import type { Endpoint, ScaleFields } from "../contracts/endpoint.js";
import type { FieldManager } from "../contracts/field-manager.js";
import { standardFinalizers } from "../registry/kinds/rules/names.js";
import { compareVersions } from "../registry/registry.js";
import type { Strategy, StrategyContext } from "../contracts/strategy.js";
import { type ConversionParts, conversionsOf } from "./conversion/forms.js";
import { schemaOf } from "./schema/of-version.js";
import { customTable, parseJsonPath } from "../table/index.js";
import { compileRules, type Rules } from "./cel/rules.js";
import { withDefaults, withoutForbiddenNulls } from "./schema/defaults.js";
import { embedsObjects, validateEmbedded, withEmbeddedInForm } from "./schema/embedded.js";
import type { PlainObject, StructuralSchema } from "./schema/json-schema.js";
import { pruneObject } from "./schema/prune.js";
import { validateListTypes, validateValue } from "./schema/validate.js";
import { scaleErrors } from "./scale-rules.js";
import { Effort } from "./schema/effort.js";
import { Patterns } from "../text/pattern/pattern.js";

const allVerbs = ["delete", "deletecollection", "get", "list", "patch", "create", "update", "watch"];
const statusVerbs = ["get", "patch", "update"];

/** The collection of the store that holds a definition's objects. */
export const collectionOf = ({ spec }: CustomResourceDefinition): string => `${spec.group}/${spec.names.plural}`;

export interface CustomEndpointParts extends ConversionParts {
  readonly fieldManager: FieldManager;
}

/** Limits on the unknown fields that are reported: an object may have very many, each below long names. */
const maxUnknown = 1_000;
const maxUnknownCharacters = 256 * 1024;

export function customEndpoint(
  definition: CustomResourceDefinition,
  version: CustomResourceDefinitionVersion,
  { fieldManager, ...conversion }: CustomEndpointParts,
): Endpoint {
  const schema = schemaOf(version);
  const served = servedBy(definition, version);
  const normalize = (decoded: Decoded): Decoded => {
    const unknown: string[] = [];
    let characters = 0;
    const pruned = pruneObject(decoded.object as unknown as PlainObject, schema, (path) => {
      if (unknown.length > maxUnknown || characters > maxUnknownCharacters) return;
      unknown.push(path);
      characters += path.length;
    });
    const object = withoutForbiddenNulls(pruned, schema);
    const problems = unknown.toSorted().map((path) => `unknown field ${JSON.stringify(path)}`);
    return { object: object as unknown as KubeObject, problems: [...decoded.problems, ...problems] };
  };
  const scale = scalePaths(version);
  return {
    served,
    collection: collectionOf(definition),
    strategy: customStrategy(definition, version, { schema, scale }),
    fieldManager,
    custom: true,
    table: customTable(version.additionalPrinterColumns),
    *decode(codec: Codec, bytes, expected) {
      const decoded = yield* codec.decode(bytes, expected);
      yield;
      return normalize(decoded);
    },
    *normalize(value) {
      const text = exactJson(value);
      yield;
      const decoded = yield* decodeJson(text, served);
      yield;
      return normalize(decoded);
    },
    ...conversionsOf(definition, version, conversion),
    ...(!isDeleting(definition) ? {} : { terminating: true }),
    ...defined({ scale }),
    ...deprecationOf(definition, version),
  };
}

/** The deprecation warning, which recommends the best newer version if there is one. */
function deprecationOf(
  { spec: { group, names, versions } }: CustomResourceDefinition,
  { name, deprecated, deprecationWarning }: CustomResourceDefinitionVersion,
): { readonly deprecation?: string } {
  if (!deprecated) return {};
  const [better] = versions
    .filter((one) => one.served && !one.deprecated && compareVersions(one.name, name) < 0)
    .toSorted((a, b) => compareVersions(a.name, b.name));
  const called = (version: string): string => `${group}/${version} ${names.kind}`;
  const end = better === undefined ? "" : `; use ${called(better.name)}`;
  return { deprecation: deprecationWarning ?? `${called(name)} is deprecated${end}` };
}

const storageVersion = ({ versions }: CustomResourceDefinition["spec"]): string =>
  versions.find((one) => one.storage)?.name ?? "";

function servedBy(
  { spec, status }: CustomResourceDefinition,
  { name, subresources }: CustomResourceDefinitionVersion,
): ServedResource {
  const names = status?.acceptedNames?.plural ? status.acceptedNames : spec.names;
  const { kind } = names;
  const subs: ServedSubresource[] = [];
  if (subresources?.status !== undefined)
    subs.push({ name: "status", kind: { group: spec.group, version: name, kind }, verbs: statusVerbs });
  if (subresources?.scale !== undefined)
    subs.push({ name: "scale", kind: { group: "autoscaling", version: "v1", kind: "Scale" }, verbs: statusVerbs });
  return {
    group: spec.group,
    version: name,
    kind,
    plural: names.plural,
    singular: names.singular ?? kind.toLowerCase(),
    listKind: names.listKind ?? `${kind}List`,
    scope: spec.scope as ServedResource["scope"],
    shortNames: names.shortNames ?? [],
    categories: names.categories ?? [],
    verbs: allVerbs,
    subresources: subs,
    storageVersionHash: createHash("sha256")
      .update(`${spec.group}/${storageVersion(spec)}/${kind}`)
      .digest()
      .subarray(0, 8)
      .toString("base64"),
  };
}

function scalePaths({ subresources }: CustomResourceDefinitionVersion): ScaleFields | undefined {
  const { scale } = subresources ?? {};
  if (scale === undefined) return undefined;
  const parts = (path: string): readonly string[] => path.split(".").filter((part) => part !== "");
  return {
    spec: parts(scale.specReplicasPath),
    status: parts(scale.statusReplicasPath),
    ...(scale.labelSelectorPath ? { selector: parts(scale.labelSelectorPath) } : {}),
  };
}

const blocking = new Set([
  "FieldValueNotSupported",
  "FieldValueRequired",
  "FieldValueTooLong",
  "FieldValueTooMany",
  "FieldValueTypeInvalid",
]);

const notChecked: StatusCause = {
  reason: "FieldValueInvalid",
  field: "<nil>",
  message:
    "Invalid value: null: some validation rules were not checked because the object was invalid; correct the existing errors to complete validation",
};

function customStrategy(
  definition: CustomResourceDefinition,
  version: CustomResourceDefinitionVersion,
  { schema, scale }: { readonly schema: StructuralSchema; readonly scale: ScaleFields | undefined },
): Strategy {
  const { group, names } = definition.spec;
  const hasStatus = version.subresources?.status !== undefined;
  const embeds = embedsObjects(schema);
  // the identity of the whole object is judged before
  const inner = { ...schema, "x-kubernetes-embedded-resource": false };
  const patterns = new Patterns();
  let rules: Rules | undefined | null = null;
  const judge = (
    of: "object" | "status",
    object: KubeObject,
    { old, context }: { readonly old?: KubeObject; readonly context?: StrategyContext } = {},
  ): readonly StatusCause[] => {
    if (rules === null) rules = compileRules(schema);
    const errors = new Causes();
    errors.add((of === "status" ? statusErrors : objectErrors)(object, schema, { old, patterns }));
    if (scale !== undefined) errors.add(scaleErrors(object, scale, of));
    errors.add(validateListTypes(object, schema, ""));
    if (embeds) errors.add(validateEmbedded(object, inner, ""));
    errors.add(nameErrors(object, schema, patterns));
    if (rules === undefined || errors.full) return errors.all;
    // rules may rely on values that have the declared types
    const blocked = errors.all.some(({ reason }) => blocking.has(reason ?? ""));
    errors.add(
      blocked
        ? [notChecked]
        : rules.validate(object, old, (cause) => context?.warn(`${cause.field}: ${cause.message}`)),
    );
    return errors.all;
  };
  const selectableFields = (version.selectableFields ?? []).map(({ jsonPath }) => {
    const read = parseJsonPath(jsonPath);
    return [jsonPath.replace(/^\./, ""), (object: KubeObject) => textOf(read(object)[0])] as const;
  });
  return {
    group,
    kind: names.kind,
    setDefaults: (object) => {
      const given = object as unknown as PlainObject;
      return withDefaults(embeds ? withEmbeddedInForm(given, schema) : given, schema) as unknown as KubeObject;
    },
    validateCreate: (object) => judge("object", object),
    validateUpdate: (object, old, context) => judge("object", object, { old, context }),
    status: { validateUpdate: (object, old, context) => judge("status", object, { old, context }) },
    warningsOnCreate: (object) => finalizerWarnings(object, []),
    warningsOnUpdate: (object, old) => finalizerWarnings(object, old.metadata.finalizers ?? []),
    allowUnconditionalUpdate: false,
    generation: (object, old) => !deepEqual(counted(object, hasStatus), counted(old, hasStatus)),
    selectableFields: Object.fromEntries(selectableFields),
  };
}

/**
 * Warnings about finalizers without a domain, which may collide with those of others. Finalizers that the object had
 * before get no warning.
 */
function finalizerWarnings({ metadata }: KubeObject, before: readonly string[]): readonly string[] {
  const why = "prefer a domain-qualified finalizer name to avoid accidental conflicts with other finalizer writers";
  return (metadata.finalizers ?? [])
    .filter((name) => !name.includes("/") && !standardFinalizers.has(name) && !before.includes(name))
    .map((name) => `metadata.finalizers: ${goQuote(name)}: ${why}`);
}

const textOf = (value: unknown): string => (value === undefined || value === null ? "" : String(value));

function counted(object: KubeObject, hasStatus: boolean): unknown {
  const { metadata: _, apiVersion: _version, ...rest } = object as KubeObject & { status?: unknown };
  if (!hasStatus) return rest;
  const { status: _status, ...without } = rest;
  return without;
}

function withoutMeta(object: KubeObject): PlainObject {
  const { metadata: _metadata, kind: _kind, apiVersion: _version, ...rest } = object;
  return rest;
}

const metaNames = new Set(["metadata", "kind", "apiVersion"]);

function schemaWithoutMeta(schema: StructuralSchema): StructuralSchema {
  const required = schema.required?.filter((name) => !metaNames.has(name));
  return { ...schema, ...defined({ required }) };
}

interface Judging {
  readonly old: KubeObject | undefined;
  readonly patterns: Patterns;
}

function objectErrors(
  object: KubeObject,
  schema: StructuralSchema,
  { old, patterns }: Judging,
): readonly StatusCause[] {
  const judging = { path: "", old: old && withoutMeta(old), effort: new Effort(), patterns };
  return validateValue(withoutMeta(object), schemaWithoutMeta(schema), judging);
}

/** As upstream, a write of the status is judged by the status alone, whose paths begin there. */
function statusErrors(
  object: KubeObject,
  { properties }: StructuralSchema,
  { old, patterns }: Judging,
): readonly StatusCause[] {
  const [value, before] = [object, old].map((one) => (one as { readonly status?: unknown } | undefined)?.status);
  const schema = properties?.["status"];
  if (value === undefined || schema === undefined) return [];
  const inStatus = (field = ""): string => (field === "" || field === "<nil>" ? "status" : `status.${field}`);
  return validateValue(value, schema, { path: "", old: before, effort: new Effort(), patterns }).map((cause) => ({
    ...cause,
    field: inStatus(cause.field),
  }));
}

/** Of metadata, a schema may restrict the name alone. */
function nameErrors({ metadata }: KubeObject, schema: StructuralSchema, patterns: Patterns): readonly StatusCause[] {
  const name = schema.properties?.["metadata"]?.properties?.["name"];
  if (name === undefined) return [];
  return validateValue(metadata.name, name, { path: "metadata.name", old: undefined, effort: new Effort(), patterns });
}
