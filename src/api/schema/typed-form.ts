/**
 * Brings an object into the form in which kube-apiserver, which keeps objects in typed Go structs, writes it back:
 * unknown fields are gone, empty optional fields left out, structs always present, quantities and times canonical.
 */
import { exactJson, isNumeric } from "../values/exact-json.js";
import { isRecord } from "../../base/members.js";
import { parseQuantity } from "../values/quantity.js";
import { formatMicroTime, formatTime, parseMicroTime, parseTime } from "../values/time.js";
import { formatDuration, parseDuration } from "../values/duration.js";
import { canonicalBase64 } from "./base64.js";
import { jsonKind, mismatchWords, TypeMismatch } from "./mismatch.js";
import type { FieldType, ObjectType, Shape } from "./shapes.js";
import { typeNamed } from "./table.js";

type Json = Readonly<Record<string, unknown>>;

/**
 * Gives the value itself if it already has the form, else a new object that shares all unchanged parts. `value` is not
 * modified, and must not be modified afterwards. Throws TypeMismatch, or a ParseError for a bad quantity, time or
 * duration.
 */
export function typedForm(type: ObjectType, value: Json): Json {
  return new Former().object(type, value);
}

/**
 * As `typedForm`; `whole` is true if no unknown field was dropped. `base` has the form already: parts that the value
 * shares with it are not looked at.
 */
export function typedFormWhole(
  type: ObjectType,
  value: Json,
  base?: Json,
): { readonly form: Json; readonly whole: boolean } {
  const former = new Former();
  const form = former.object(type, value, base);
  return { form, whole: former.whole };
}

/** The constant facts of a type, computed once. */
interface Plan {
  readonly fields: readonly { readonly name: string; readonly absent: unknown }[];
  /** The number of fields that are written even if they are not given. */
  readonly always: number;
}

const plans = new WeakMap<ObjectType, Plan>();

function planOf(type: ObjectType): Plan {
  let plan = plans.get(type);
  if (plan === undefined) {
    const fields = [...type.properties].map(([name, field]) => ({ name, absent: absentOf(field) }));
    plans.set(type, (plan = { fields, always: fields.filter(({ absent }) => absent !== undefined).length }));
  }
  return plan;
}

class Former {
  /** Field names only: messages do not show list indices or map keys. */
  readonly #path: string[] = [];
  readonly #owners: ObjectType[] = [];
  whole = true;

  object(type: ObjectType, value: Json, base?: Json): Json {
    const { properties } = type;
    const { fields, always } = planOf(type);
    /** The new members; undefined as long as each member stays as it is. */
    let made: Record<string, unknown> | undefined;
    let missing = always;
    this.#owners.push(type);
    for (const name of Object.keys(value)) {
      const given = value[name];
      const field = properties.get(name);
      if (field === undefined) {
        this.whole = false;
        made ??= membersBefore(value, name);
        continue;
      }
      if (given !== undefined && given !== null) {
        const known = base?.[name];
        const result = given === known ? given : this.#field(name, field, given, known);
        if (result !== given) made ??= membersBefore(value, name);
        else if (missing > 0 && isAlways(field)) missing--;
        if (made !== undefined) made[name] = result;
      } else if (given === null && isNullWhenAbsent(field)) missing--;
      else made ??= membersBefore(value, name);
    }
    this.#owners.pop();
    return made === undefined && missing === 0 ? value : arranged(fields, made ?? value);
  }

  /** Undefined: the field is left out. */
  #field(name: string, field: FieldType, given: unknown, base: unknown): unknown {
    this.#path.push(field.through === undefined ? name : `${field.through}.${name}`);
    const { shape } = field;
    const inner = shape.kind === "object" && isRecord(given) && isRecord(base);
    const result = inner ? this.object(shape.type, given, base) : this.#value(shape, given);
    this.#path.pop();
    return leftOut(field, result) && !this.#isKeptEmpty(name, field) ? undefined : result;
  }

  /** Of a field that would be left out. */
  #isKeptEmpty(name: string, { shape }: FieldType): boolean {
    if (shape.kind !== "list" && shape.kind !== "map") return false;
    const place = `${this.#owners.at(-1)?.name}.${name}`;
    return keptEmpty.has(place) || keptEmpty.has(`${this.#owners.at(-2)?.name}.${place}`);
  }

  #value(shape: Shape, value: unknown): unknown {
    switch (shape.kind) {
      case "object":
        if (!isRecord(value)) throw this.#mismatch(shape, value);
        return this.object(shape.type, value);
      case "list":
        if (!Array.isArray(value)) throw this.#mismatch(shape, value);
        return this.#list(shape.items, value);
      case "map":
        if (!isRecord(value)) throw this.#mismatch(shape, value);
        return this.#map(shape.items, value);
      case "string":
        if (typeof value !== "string") throw this.#mismatch(shape, value);
        return value;
      case "boolean":
        if (typeof value !== "boolean") throw this.#mismatch(shape, value);
        return value;
      case "int32":
      case "int64":
        if (!isNumeric(value) || !fits(shape.kind, value)) throw this.#mismatch(shape, value);
        return value;
      case "double":
        if (!isNumeric(value)) throw this.#mismatch(shape, value);
        return Number(value);
      case "schemaOrArray":
      case "schemaOrBool":
      case "schemaOrStrings":
        return this.#schemaOr(shape, value);
      default:
        return this.#special(shape, value);
    }
  }

  #list(items: Shape, values: readonly unknown[]): readonly unknown[] {
    let same = true;
    const out = values.map((value) => {
      const item = value === null || value === undefined ? zeroItem(items) : this.#value(items, value);
      if (item !== value) same = false;
      return item;
    });
    return same ? values : out;
  }

  #map(items: Shape, values: Json): Json {
    let same = true;
    const out: Record<string, unknown> = {};
    for (const key of Object.keys(values)) {
      const value = values[key];
      const item = value === null || value === undefined ? zeroItem(items) : this.#value(items, value);
      if (item !== value) same = false;
      define(out, key, item);
    }
    return same ? values : out;
  }

  /**
   * A JSON schema, or a value that may stand in its place: a boolean, or a list of schemas or strings. Other values
   * count as absent.
   */
  #schemaOr({ kind }: Shape, value: unknown): unknown {
    const schema = typeNamed("apiextensions/v1.JSONSchemaProps") as ObjectType;
    if (isRecord(value)) return this.object(schema, value);
    if (kind === "schemaOrBool") {
      if (typeof value === "boolean") return value;
      throw new TypeMismatch("boolean or JSON schema expected");
    }
    if (!Array.isArray(value) || value.length === 0) return null;
    return this.#list(kind === "schemaOrArray" ? { kind: "object", type: schema } : { kind: "string" }, value);
  }

  #special(shape: Shape, value: unknown): unknown {
    switch (shape.kind) {
      case "quantity":
        return canonicalQuantity(typeof value === "string" ? value.trim() : exactJson(value));
      case "intOrString":
        if (typeof value === "string" || (typeof value === "number" && fits("int32", value))) return value;
        throw this.#mismatch(shape, value);
      case "bytes":
        return this.#bytes(shape, value);
      case "time":
        if (typeof value !== "string") throw this.#mismatch(shape, value);
        return canonicalTime(value);
      case "microTime":
        if (typeof value !== "string") throw this.#mismatch(shape, value);
        return formatMicroTime(parseMicroTime(value));
      case "duration":
        if (typeof value !== "string") throw this.#mismatch(shape, value);
        return formatDuration(parseDuration(value));
      default:
        return value;
    }
  }

  /** Text, or a list of numbers: Go's decoder fills a byte slice from either. */
  #bytes(shape: Shape, value: unknown): string {
    if (Array.isArray(value)) {
      const wrong = value.find((byte) => byte !== null && !(Number.isInteger(byte) && byte >= 0 && byte < 256));
      if (wrong !== undefined) throw this.#mismatch("uint8", wrong);
      return Buffer.from(value as readonly number[]).toString("base64");
    }
    if (typeof value !== "string") throw this.#mismatch(shape, value);
    const text = canonicalBase64(value);
    if (typeof text === "string") return text;
    throw new TypeMismatch(`illegal base64 data at input byte ${text.illegalAt}`);
  }

  #mismatch(wanted: Shape | "uint8", value: unknown): TypeMismatch {
    const given = jsonKind(value, wanted);
    return new TypeMismatch(mismatchWords(this.#owners.at(-1), this.#path, { given, wanted }));
  }
}

/** The members that stand before the named one, without undefined and null ones. */
function membersBefore(value: Json, name: string): Record<string, unknown> {
  const before: Record<string, unknown> = {};
  for (const each of Object.keys(value)) {
    if (each === name) break;
    if (value[each] !== undefined && value[each] !== null) before[each] = value[each];
  }
  return before;
}

/** The members in the order of the type, together with the fields that are always written. */
function arranged(fields: Plan["fields"], made: Json): Json {
  const out: Record<string, unknown> = {};
  for (const { name, absent } of fields) {
    const value = made[name];
    if (value !== undefined) out[name] = value;
    else if (absent !== undefined) out[name] = absent;
  }
  return out;
}

const absentValues = new WeakMap<FieldType, { readonly value: unknown }>();

function absentOf(field: FieldType): unknown {
  let absent = absentValues.get(field);
  if (absent === undefined) absentValues.set(field, (absent = { value: absentValue(field) }));
  return absent.value;
}

const isAlways = (field: FieldType): boolean => absentOf(field) !== undefined;
const isNullWhenAbsent = (field: FieldType): boolean => absentOf(field) === null;

/** The value that is written for a field that was not given; undefined if none is. All objects that lack the field share it. */
function absentValue(field: FieldType): unknown {
  const { shape, omitEmpty, omitZero, pointer } = field;
  if (pointer) return omitEmpty ? undefined : null;
  if (shape.kind === "object") return omitZero ? undefined : new Former().object(shape.type, {});
  if (omitZero) return undefined;
  switch (shape.kind) {
    case "time":
    case "microTime":
    case "rawExtension":
    case "json":
      return null;
    case "quantity":
    case "intOrString":
    case "duration":
      return zeroItem(shape);
    case "bytes":
      return omitEmpty ? undefined : null;
    default:
      return omitEmpty ? undefined : zeroItem(shape);
  }
}

/** The zero value of a type as JSON prints it. */
function zeroItem(shape: Shape): unknown {
  switch (shape.kind) {
    case "string":
    case "bytes":
      return "";
    case "boolean":
      return false;
    case "int32":
    case "int64":
    case "double":
    case "intOrString":
      return 0;
    case "quantity":
      return "0";
    case "duration":
      return "0s";
    case "object":
      return new Former().object(shape.type, {});
    default:
      return null;
  }
}

/**
 * The places whose empty list or map is always refused, in other words or by other rules than an absent one. A place is
 * a field of a type, or of a type inside another one.
 */
const keptEmpty: ReadonlySet<string> = new Set([
  "HPAScalingRules.policies",
  ...["ports", "resizePolicy", "restartPolicyRules"].map((field) => `EphemeralContainer.${field}`),
  ...["limits", "requests", "claims"].map((field) => `EphemeralContainer.ResourceRequirements.${field}`),
  "PodSpec.ResourceRequirements.claims",
  ...["PersistentVolumeClaimTemplate", "ResourceClaimTemplateSpec"].flatMap((template) =>
    ["ownerReferences", "finalizers", "managedFields"].map((field) => `${template}.ObjectMeta.${field}`),
  ),
  "PersistentVolume.PersistentVolumeSpec.capacity",
  "ServiceCIDRSpec.cidrs",
  "JSONSchemaProps.dependencies",
]);

/** Whether Go's encoder leaves out a field with this value. */
function leftOut(field: FieldType, value: unknown): boolean {
  if (field.omitZero && !field.pointer) return isZero(value);
  if (!field.omitEmpty) return false;
  if (field.shape.kind === "list") return (value as readonly unknown[]).length === 0;
  if (field.shape.kind === "map") return Object.keys(value as object).length === 0;
  if (field.pointer) return value === null;
  switch (field.shape.kind) {
    case "string":
    case "bytes":
      return value === "";
    case "boolean":
      return value === false;
    case "int32":
    case "int64":
    case "double":
      return value === 0;
    default:
      return false;
  }
}

function isZero(value: unknown): boolean {
  if (value === null || value === undefined || value === "" || value === 0 || value === false) return true;
  if (Array.isArray(value)) return false;
  return isRecord(value) && Object.values(value).every(isZero);
}

/** Sets a member; `__proto__` is a key like any other. */
function define(target: Record<string, unknown>, key: string, value: unknown): void {
  if (key !== "__proto__") target[key] = value;
  else Object.defineProperty(target, key, { value, enumerable: true, configurable: true, writable: true });
}

function fits(kind: "int32" | "int64", value: number | bigint): boolean {
  if (typeof value === "bigint") return kind === "int64";
  if (!Number.isInteger(value)) return false;
  return kind === "int64" ? Math.abs(value) <= 2 ** 63 : value >= -(2 ** 31) && value < 2 ** 31;
}

/** Remembers results: the same few texts come again and again. */
function remembering(make: (text: string) => string): (text: string) => string {
  const known = new Map<string, string>();
  return (text) => {
    let made = known.get(text);
    if (made === undefined) {
      made = make(text);
      if (known.size >= 1_000) known.clear();
      known.set(text, made);
    }
    return made;
  };
}

const canonicalQuantity = remembering((text) => parseQuantity(text).toString());
const canonicalTime = remembering((text) => formatTime(parseTime(text)));
