/**
 * Validates a value by a schema, in the words of the API server. On update, faults of unchanged values are tolerated
 * (ratcheting).
 */
import { getOrMake } from "../../../base/containers/recent.js";
import { exactJson, isNumeric, sortedJson } from "../../../api/values/exact-json.js";
import { deepEqual, type FieldPath, fieldPath, type StatusCause } from "../../../api/index.js";
import { Causes } from "../../../api/status.js";
import { isRecord, lookup, repeats } from "../../../base/members.js";
import { hasFormat, isKnownFormat } from "../../text/formats.js";
import { additionalSchema, type PlainObject, type StructuralSchema } from "./json-schema.js";
import type { Patterns } from "../../text/pattern/pattern.js";
import type { Effort } from "./effort.js";
import { SameParts } from "./same-parts.js";
import { codePoints } from "../../text/code-points.js";

/** The place of a value, and the means of judging it. */
interface Judging {
  readonly path: string;
  /** Undefined if there is no old value, or if it is unknown which one corresponds. */
  readonly old: unknown;
  readonly effort: Effort;
  /** The compiled patterns of the schema. */
  readonly patterns: Patterns;
}

export function validateValue(value: unknown, schema: StructuralSchema, judging: Judging): readonly StatusCause[] {
  const { path, old, effort, patterns } = judging;
  return causesOf(value, schema, { path, old, effort, patterns, matches: undefined });
}

interface Outcome {
  readonly causes: readonly StatusCause[];
  /** The number of checks that were made or passed, as the library behind the real server counts them. */
  readonly matches: number;
}

type Begun = Judging & Pick<Judgement, "matches">;

function causesOf(value: unknown, schema: StructuralSchema, begun: Begun): readonly StatusCause[] {
  const { path, old, effort, patterns, matches } = begun;
  const errors = new Causes();
  const judgement = { errors, effort, patterns, matches, parts: new SameParts(), enums: new Map() };
  validate(value, schema, { path, old, judgement });
  return errors.all;
}

/** One of several schemas for a value. Branches have no old value. */
function outcomeOf(value: unknown, schema: StructuralSchema, { path, judgement }: Context): Outcome {
  const { effort, patterns } = judgement;
  const matches = { count: 0 };
  const causes = causesOf(value, schema, { path, old: undefined, effort, patterns, matches });
  return { causes, matches: matches.count };
}

interface Context {
  /** Made into one text for a fault alone: each item of a list has a path of its own, and names may be long. */
  readonly path: string;
  readonly old: unknown;
  readonly judgement: Judgement;
}

/** The state that all parts of a value share while it is judged by one schema. */
interface Judgement {
  readonly errors: Causes;
  readonly effort: Effort;
  readonly patterns: Patterns;
  /**
   * Grows with each check; of several schemas none of which fits, the one with the most is said to be meant. Undefined
   * outside of such schemas, where nobody asks.
   */
  readonly matches: { count: number } | undefined;
  readonly parts: SameParts;
  /** The values of enums as sets, so that a value is looked up and not compared with each of a long list. */
  readonly enums: Map<readonly unknown[], ReadonlySet<unknown>>;
}

function validate(value: unknown, schema: StructuralSchema, context: Context): void {
  const { old, path, judgement } = context;
  const { errors, effort, matches } = judgement;
  if (errors.full) return;
  effort.spend(1);
  if (old !== undefined && judgement.parts.same(value, old)) return;
  const wrongType = typeError(value, schema, path);
  if (wrongType !== undefined) errors.push(wrongType);
  if (matches !== undefined) matches.count += checksOf(value, schema, wrongType === undefined);
  if (schema.enum !== undefined && !isOneOf(value, schema.enum, context)) {
    const allowed = schema.enum.map((one) => (typeof one === "string" ? one : exactJson(one)));
    errors.push(trimmed(path).notSupported(value, allowed));
  }
  if (value === null) return;
  // a value is validated by the type that it has, even if the schema wants another
  combinations(value, schema, context);
  if (typeof value === "string") validateText(value, schema, context);
  else if (isNumeric(value)) validateNumber(value, schema, context);
  else if (Array.isArray(value)) validateItems(value, schema, context);
  if (isRecord(value)) validateMembers(value, schema, context);
}

/** As kube-openapi counts: a check of a sort that fits the value is one, and one more if the sort says so of itself. */
function checksOf(value: unknown, schema: StructuralSchema, isOfType: boolean): number {
  const passed = isOfType ? 1 : 0;
  if (value === null) return passed;
  const { type, format } = schema;
  const isFormatted = format !== undefined && isKnownFormat(type, format);
  const isTyped = type !== undefined || isFormatted || schema["x-kubernetes-int-or-string"] === true;
  // combinations with their own one, the enum, and the schema itself
  const always = 4 + (isTyped ? 1 + passed : 0);
  if (typeof value === "string") return always + (isFormatted ? 2 : 1);
  if (isNumeric(value) || Array.isArray(value)) return always + 2;
  return always + (isRecord(value) ? 1 : 0);
}

function isOneOf(value: unknown, allowed: readonly unknown[], { judgement }: Context): boolean {
  const known = getOrMake(judgement.enums, allowed, () => new Set(allowed.map(identified)));
  return known.has(identified(value));
}

/** A scalar itself; the same text for lists and objects that are equal. */
function identified(value: unknown): unknown {
  if (typeof value !== "object" || value === null) return value;
  return `${Array.isArray(value) ? "list" : "object"} ${sortedJson(value)}`;
}

const trimmed = (path: string): FieldPath => fieldPath(path.replace(/^\./, ""));

function typeName(value: unknown): string {
  if (value === null) return "null";
  if (Array.isArray(value)) return "array";
  if (isNumeric(value)) return isWhole(value) ? "integer" : "number";
  return typeof value;
}

/** A number beyond 2^53 that is no bigint was written as a float, or does not fit into 64 bits: Go reads it as a float64. */
const isWhole = (value: number | bigint): boolean => typeof value === "bigint" || Number.isSafeInteger(value);

/** Whether 64 bits hold the value, also of a number that was written as a float. */
const isInt64 = (value: number | bigint): boolean =>
  typeof value === "bigint" || (Number.isInteger(value) && value >= -(2 ** 63) && value < 2 ** 63);

/** The format that Go derives from a value's type. */
const ownFormats: Readonly<Record<string, string>> = lookup({ integer: "int64", number: "float64" });

function typeError(value: unknown, schema: StructuralSchema, path: string): StatusCause | undefined {
  const types = schema["x-kubernetes-int-or-string"]
    ? ["integer", "string"]
    : schema.type === undefined
      ? []
      : [schema.type];
  if (types.length === 0) return undefined;
  const found = typeName(value);
  if (types.includes(found) || (found === "integer" && types.includes("number"))) return undefined;
  if (found === "null" && schema.nullable) return undefined;
  const { format, type } = schema;
  if (format !== undefined && found !== "null" && isKnownFormat(type, format)) {
    // upstream: a string type with a format accepts lists
    if (type === "string" && found === "array") return undefined;
    if (found !== "string" && found !== "array") {
      const own = ownFormats[found] ?? "";
      const why = `${path} in body must be of type ${format}: ${JSON.stringify(own)}`;
      return trimmed(path).typeInvalid(own, why);
    }
  }
  return trimmed(path).typeInvalid(
    found,
    `${path} in body must be of type ${types.join(",")}: ${JSON.stringify(found)}`,
  );
}

function validateText(value: string, schema: StructuralSchema, context: Context): void {
  const { path, judgement } = context;
  const { errors } = judgement;
  const { format } = schema;
  const wrong = textError(value, schema, context);
  if (wrong !== undefined) errors.push(wrong);
  if (format === undefined || hasFormat(format, value)) return;
  const why = `${path} in body must be of type ${format}: ${JSON.stringify(value)}`;
  errors.push(trimmed(path).typeInvalid(value, why));
}

/** The first fault of a text. */
function textError(
  value: string,
  { maxLength, minLength, pattern }: StructuralSchema,
  { path, judgement: { effort, patterns } }: Context,
): StatusCause | undefined {
  const length = codePoints(value);
  if (maxLength !== undefined && length > maxLength) return trimmed(path).tooLong(maxLength);
  if (minLength !== undefined && length < minLength) {
    return trimmed(path).invalid(value, `${path} in body should be at least ${minLength} chars long`);
  }
  if (pattern === undefined || patterns.of(pattern, effort.onPattern).test(value, effort.onPattern)) return undefined;
  return trimmed(path).invalid(value, `${path} in body should match '${pattern}'`);
}

function validateNumber(value: number | bigint, schema: StructuralSchema, { path, judgement }: Context): void {
  const { errors } = judgement;
  const fail = (what: string): void => errors.push(trimmed(path).invalid(value, `${path} in body should be ${what}`));
  // an integer is compared with integer bounds
  const bound = (given: number | undefined): number | undefined =>
    given !== undefined && isWhole(value) ? Math.trunc(given) : given;
  const [multipleOf, maximum, minimum] = [bound(schema.multipleOf), bound(schema.maximum), bound(schema.minimum)];
  const numeric = rangeError(value, schema, path);
  if (numeric !== undefined) errors.push(numeric);
  if (multipleOf === 0) {
    const why = `factor MultipleOf declared for ${path} must be positive: 0`;
    errors.push(trimmed(path).invalid(0, why));
  } else if (multipleOf !== undefined && !isMultiple(value, multipleOf)) fail(`a multiple of ${multipleOf}`);
  if (maximum !== undefined && (schema.exclusiveMaximum ? value >= maximum : value > maximum)) {
    fail(schema.exclusiveMaximum ? `less than ${maximum}` : `less than or equal to ${maximum}`);
  }
  if (minimum !== undefined && (schema.exclusiveMinimum ? value <= minimum : value < minimum)) {
    fail(schema.exclusiveMinimum ? `greater than ${minimum}` : `greater than or equal to ${minimum}`);
  }
}

const largestFloat32 = 3.4028234663852886e38;

/** The fault of a number that its type or format cannot hold. */
function rangeError(value: number | bigint, { type, format }: StructuralSchema, path: string): StatusCause | undefined {
  if (type !== "integer" && type !== "number") return undefined;
  const fits =
    type === "number"
      ? format !== "float" || Math.abs(Number(value)) <= largestFloat32
      : isInt64(value) && (format !== "int32" || (value >= -(2 ** 31) && value < 2 ** 31));
  if (fits) return undefined;
  const wanted = format === undefined ? `${type} (default format)` : `${type} with format ${format}`;
  return fieldPath("<nil>").invalid("", `Checked value must be of type ${wanted} in ${path}`);
}

function isMultiple(value: number | bigint, factor: number): boolean {
  if (typeof value === "bigint") return value % BigInt(factor) === 0n;
  const times = value / factor;
  // beyond the precision of a double, no number counts as a multiple of a fraction
  if (Math.abs(times) > Number.MAX_SAFE_INTEGER) return isWhole(value) && value % factor === 0;
  return Math.abs(times - Math.round(times)) < 1e-9;
}

function validateItems(value: readonly unknown[], schema: StructuralSchema, context: Context): void {
  const { path, judgement, old } = context;
  const { errors } = judgement;
  const { items, minItems, maxItems, uniqueItems } = schema;
  if (items !== undefined) {
    const oldItem = correlate(schema, old);
    for (const [i, item] of value.entries())
      validate(item, items, { path: `${path}[${i}]`, old: oldItem(item), judgement });
  }
  if (minItems !== undefined && value.length < minItems) {
    errors.push(trimmed(path).invalid(value.length, `${path} in body should have at least ${minItems} items`));
  }
  if (maxItems !== undefined && value.length > maxItems) errors.push(trimmed(path).tooMany(value.length, maxItems));
  if (uniqueItems && value.some((item, i) => value.slice(0, i).some((other) => deepEqual(item, other)))) {
    errors.push(trimmed(path).invalid("", `${path} in body shouldn't contain duplicates`));
  }
}

/** Finds the old item of a new one: by its keys in a list of type map; undefined for other lists. */
export function correlate(schema: StructuralSchema, old: unknown): (item: unknown) => unknown {
  const keys = schema["x-kubernetes-list-map-keys"] ?? [];
  if (!Array.isArray(old) || schema["x-kubernetes-list-type"] !== "map" || keys.length === 0) return () => undefined;
  const byKey = new Map(old.filter(isRecord).map((item) => [keyOf(item, keys), item]));
  return (item) => (isRecord(item) ? byKey.get(keyOf(item, keys)) : undefined);
}

const keyOf = (item: PlainObject, keys: readonly string[]): string => exactJson(keys.map((key) => item[key] ?? null));

function validateMembers(value: PlainObject, schema: StructuralSchema, context: Context): void {
  const { path, old, judgement } = context;
  const { errors, effort } = judgement;
  const names = Object.keys(value);
  const { minProperties, maxProperties, properties = {} } = schema;
  if (minProperties !== undefined && names.length < minProperties) {
    errors.push(
      trimmed(path).invalid(names.length, `${path} in body should have at least ${minProperties} properties`),
    );
  }
  if (maxProperties !== undefined && names.length > maxProperties) {
    errors.push(trimmed(path).tooMany(names.length, maxProperties));
  }
  const before = isRecord(old) ? old : {};
  const additional = additionalSchema(schema);
  for (const name of names) {
    const own = Object.hasOwn(properties, name) ? properties[name] : undefined;
    const member = own ?? additional;
    if (member === undefined) continue;
    const child = path === "" && own !== undefined ? name : `${path}.${name}`;
    validate(value[name], member, { path: child, old: before[name], judgement });
  }
  effort.spend((schema.required ?? []).length / 8);
  for (const name of schema.required ?? []) {
    if (!Object.hasOwn(value, name)) errors.push(trimmed(`${path}.${name}`).required());
  }
}

function combinations(value: unknown, schema: StructuralSchema, context: Context): void {
  const { path, judgement } = context;
  const { errors, effort, patterns, matches } = judgement;
  const outcomesOf = (branches: readonly StructuralSchema[]): readonly Outcome[] =>
    branches.map((branch) => outcomeOf(value, branch, context));
  const complain = (text: string): void =>
    errors.push(fieldPath("<nil>").invalid("", `${JSON.stringify(path)} must ${text}`));
  const take = (outcome: Outcome | undefined): void => {
    errors.push(...(outcome?.causes ?? []));
    if (matches !== undefined) matches.count += outcome?.matches ?? 0;
  };
  const { anyOf, oneOf, allOf, not } = schema;
  if (anyOf !== undefined && anyOf.length > 0) {
    const any = outcomesOf(anyOf);
    const fitting = any.find(isValid);
    if (fitting === undefined) complain("validate at least one schema (anyOf)");
    take(fitting ?? closest(any));
  }
  if (oneOf !== undefined && oneOf.length > 0) {
    const one = outcomesOf(oneOf);
    const valid = one.filter(isValid);
    if (valid.length !== 1) {
      const found = valid.length === 0 ? "Found none valid" : `Found ${valid.length} valid alternatives`;
      complain(`validate one and only one schema (oneOf). ${found}`);
    }
    if (valid.length < 2) take(valid[0] ?? closest(one));
  }
  if (allOf !== undefined) {
    let unmet = 0;
    for (const branch of allOf) {
      const causes = causesOf(value, branch, { path, old: undefined, effort, patterns, matches });
      if (causes.length > 0) {
        errors.push(...causes);
        unmet += 1;
      }
    }
    if (unmet > 0) complain(`validate all the schemas (allOf)${unmet === allOf.length ? ". None validated" : ""}`);
  }
  if (not !== undefined) {
    const causes = causesOf(value, not, { path, old: undefined, effort, patterns, matches: undefined });
    if (causes.length === 0) complain("not validate the schema (not)");
  }
}

const isValid = ({ causes }: Outcome): boolean => causes.length === 0;

/** The first of the outcomes with the most checks. */
const closest = (outcomes: readonly Outcome[]): Outcome | undefined =>
  outcomes.reduce<Outcome | undefined>(
    (best, one) => (best === undefined || one.matches > best.matches ? one : best),
    undefined,
  );

/** Reports duplicates in sets and in lists of type map, each value once. */
export function validateListTypes(
  value: unknown,
  schema: StructuralSchema | undefined,
  path: string,
): readonly StatusCause[] {
  const errors = new Causes();
  findDuplicates(value, schema, { path, errors });
  return errors.all;
}

interface Place {
  readonly path: string;
  readonly errors: Causes;
}

function findDuplicates(value: unknown, schema: StructuralSchema | undefined, { path, errors }: Place): void {
  if (schema === undefined || errors.full) return;
  if (Array.isArray(value)) {
    duplicates(value, schema, { path, errors });
    for (const [i, item] of value.entries()) findDuplicates(item, schema.items, { path: `${path}[${i}]`, errors });
  } else if (isRecord(value)) {
    const additional = additionalSchema(schema);
    for (const [name, member] of Object.entries(value)) {
      const own =
        schema.properties !== undefined && Object.hasOwn(schema.properties, name) ? schema.properties[name] : undefined;
      const child = own === undefined ? `${path}[${name}]` : path === "" ? name : `${path}.${name}`;
      findDuplicates(member, own ?? additional, { path: child, errors });
    }
  }
}

function duplicates(items: readonly unknown[], schema: StructuralSchema, { path, errors }: Place): void {
  const type = schema["x-kubernetes-list-type"];
  const keys = schema["x-kubernetes-list-map-keys"] ?? [];
  if (type !== "set" && !(type === "map" && keys.length > 0)) return;
  const isRepeat = repeats();
  const isReported = repeats();
  for (const [i, item] of items.entries()) {
    if (type === "map" && !isRecord(item)) {
      const why = "must be an object for an array of list-type map";
      if (item === null) continue;
      errors.push(fieldPath(`${path}[${i}]`).invalid(item, why));
      return;
    }
    const shown =
      type === "set" || !isRecord(item)
        ? item
        : Object.fromEntries(keys.filter((key) => Object.hasOwn(item, key)).map((key) => [key, item[key]]));
    const id = exactJson(shown);
    if (isRepeat(id) && !isReported(id)) errors.push(fieldPath(`${path}[${i}]`).duplicate(shown));
  }
}
