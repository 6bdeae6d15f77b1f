/** Changes of a custom object, generated from its schema: each field set, unset, to its bounds, to invalid values. Pure. */
import { isRecord } from "../../../base/members.js";

/** The parts of a definition's schema from which changes are generated. */
export interface FieldSchema {
  readonly type?: string;
  readonly enum?: readonly unknown[];
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly properties?: Readonly<Record<string, FieldSchema>>;
  readonly additionalProperties?: boolean | FieldSchema;
  readonly items?: FieldSchema;
  readonly "x-kubernetes-int-or-string"?: boolean;
}

export interface AskedChange {
  /** A merge patch. */
  readonly patch: object;
  readonly about: string;
  /** True if the schema forbids the value. */
  readonly isInvalid: boolean;
}

interface Value {
  readonly value: unknown;
  readonly isInvalid?: boolean;
}

type Tree = Readonly<Record<string, unknown>>;

/** Every change of a single field of `spec` that the schema suggests, in the order of the schema. */
export function changesOf(schema: FieldSchema, object: { readonly spec?: unknown }): readonly AskedChange[] {
  const spec = schema.properties?.["spec"];
  return spec === undefined ? [] : changesAt(spec, object.spec, ["spec"]);
}

function changesAt(schema: FieldSchema, current: unknown, path: readonly string[]): readonly AskedChange[] {
  const here = valuesFor(schema, current).map(({ value, isInvalid = false }) => changeTo(path, value, isInvalid));
  // the whole of the desired state is not taken away
  const unset = current === undefined || path.length === 1 ? [] : [changeTo(path, null, false)];
  const inner = Object.entries(schema.properties ?? {}).flatMap(([name, field]) =>
    changesAt(field, isRecord(current) ? current[name] : undefined, [...path, name]),
  );
  return [...here, ...unset, ...inner];
}

function changeTo(path: readonly string[], value: unknown, isInvalid: boolean): AskedChange {
  return {
    patch: path.reduceRight<unknown>((inside, key) => ({ [key]: inside }), value) as object,
    about: value === null ? `unsets ${path.join(".")}` : `sets ${path.join(".")} to ${JSON.stringify(value)}`,
    isInvalid,
  };
}

/** Values other than the current one: ordinary ones, those at the bounds, and one of a wrong type or beyond a bound. */
function valuesFor(schema: FieldSchema, current: unknown): readonly Value[] {
  if (schema.enum !== undefined)
    return [
      ...schema.enum.filter((one) => one !== current).map((value) => ({ value })),
      { value: "none-of-these", isInvalid: true },
    ];
  if (schema["x-kubernetes-int-or-string"] === true) return [{ value: 1 }, { value: "50%" }];
  switch (schema.type) {
    case "boolean":
      return [{ value: current !== true }, { value: "yes", isInvalid: true }];
    case "integer":
    case "number":
      return numbers(schema, typeof current === "number" ? current : (schema.minimum ?? 0));
    case "string":
      return texts(schema, typeof current === "string" ? current : "");
    case "array":
      return lists(schema, Array.isArray(current) ? current : []);
    case "object":
      return maps(schema, isRecord(current) ? current : {});
    default:
      return [];
  }
}

/** An upper bound is tried only if it is near: a thousand replicas find nothing that five more do not. */
const nearby = 5;

function numbers({ minimum, maximum }: FieldSchema, current: number): readonly Value[] {
  const least = minimum ?? 0;
  const most = maximum === undefined ? current + nearby : Math.min(maximum, current + nearby);
  const values = [current + 1, current - 1, least, most].filter(
    (value) => value !== current && value >= least && value <= (maximum ?? value),
  );
  return [
    ...Array.from(new Set(values), (value) => ({ value })),
    ...(minimum === undefined ? [] : [{ value: minimum - 1, isInvalid: true }]),
    ...(maximum === undefined ? [] : [{ value: maximum + 1, isInvalid: true }]),
    { value: "many", isInvalid: true },
  ];
}

/** No text is generated beyond this length. */
const longest = 300;

function texts({ minLength = 0, maxLength }: FieldSchema, current: string): readonly Value[] {
  const values = [`${current}x`, ""].filter(
    (value) => value !== current && value.length >= minLength && value.length <= (maxLength ?? longest),
  );
  const tooLong = maxLength !== undefined && maxLength < longest ? ["x".repeat(maxLength + 1)] : [];
  const tooShort = minLength > 0 ? [""] : [];
  return [
    ...values.map((value) => ({ value })),
    ...[...tooLong, ...tooShort, 7].map((value) => ({ value, isInvalid: true })),
  ];
}

function lists({ items = {} }: FieldSchema, current: readonly unknown[]): readonly Value[] {
  const more = sampleOf(items);
  return [
    ...(current.length > 0 ? [{ value: [] }, { value: current.slice(0, -1) }] : []),
    ...(current.length > 1 ? [{ value: current.toReversed() }] : []),
    ...(more === undefined ? [] : [{ value: [...current, more] }]),
  ];
}

function maps({ additionalProperties, properties }: FieldSchema, current: Tree): readonly Value[] {
  if (!isRecord(additionalProperties) || properties !== undefined) return [];
  const more = sampleOf(additionalProperties as FieldSchema);
  const known = Object.keys(current)[0];
  return [
    ...(more === undefined ? [] : [{ value: { generated: more } }]),
    ...(known === undefined ? [] : [{ value: { [known]: null } }]),
  ];
}

/** An ordinary value of the schema; undefined if it is not clear what one would be. */
function sampleOf(schema: FieldSchema): unknown {
  if (schema.type !== "object") return valuesFor(schema, undefined).find(({ isInvalid }) => isInvalid !== true)?.value;
  const members = Object.entries(schema.properties ?? {}).map(([name, field]) => [name, sampleOf(field)] as const);
  return members.every(([, value]) => value !== undefined) ? Object.fromEntries(members) : undefined;
}

/** The merge patch that leads from one value back to another. */
export function patchBack(from: unknown, to: unknown): unknown {
  if (!isRecord(from) || !isRecord(to)) return to;
  const patch: Record<string, unknown> = {};
  for (const key of new Set([...Object.keys(from), ...Object.keys(to)])) {
    if (!(key in to)) patch[key] = null;
    else if (JSON.stringify(from[key]) !== JSON.stringify(to[key])) patch[key] = patchBack(from[key], to[key]);
  }
  return patch;
}
