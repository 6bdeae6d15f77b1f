/** Takes a schema and gives the types and greatest sizes of `self` and all values inside it. */
import type { CelEnvironment, TypeProvider } from "../../cel/checker/environment.js";
import * as types from "../../cel/values/types.js";
import type { Type } from "../../cel/values/types.js";
import type { ValuePath } from "../../cel/cost/estimate.js";
import { kubernetesFunctions } from "../../cel/kubernetes/libraries.js";
import { additionalSchema, type StructuralSchema } from "../schema/json-schema.js";
import { escapedName } from "../../cel/values/names.js";
import { withTypeMeta } from "./values.js";

/** The largest request body in bytes. */
export const maxRequestSize: number = 3 * 1024 * 1024;

interface Declared {
  readonly type: Type;
  /** The greatest number of items, members or characters; 0 for a value without a size. */
  readonly max: number;
  /** The least number of bytes that the value takes in JSON. */
  readonly minSize: number;
  readonly fields?: ReadonlyMap<string, Declared>;
  /** The items of a list, or the values of a map. */
  readonly element?: Declared;
}

/** The value that rules at one node of a schema see as `self`, and all types with fields inside it, by their names. */
export interface RuleScope {
  readonly self: Declared;
  readonly structs: ReadonlyMap<string, Declared>;
}

/**
 * The scope of a schema; undefined if expressions cannot read its values. `root` is true for an object with kind,
 * apiVersion and metadata.
 */
export function scopeOf(schema: StructuralSchema, root: boolean): RuleScope | undefined {
  const self = declared(schema, root, "selfType");
  if (self === undefined) return undefined;
  const structs = new Map<string, Declared>();
  const gather = (one: Declared): void => {
    if (one.fields !== undefined) structs.set(one.type.name, one);
    for (const field of one.fields?.values() ?? []) gather(field);
    if (one.element !== undefined) gather(one.element);
  };
  gather(self);
  return { self, structs };
}

/** The scope of a member, or of the elements of a list or map, with the same named types. */
export function scopeWithin(
  scope: RuleScope | undefined,
  step: { readonly property: string } | "element",
): RuleScope | undefined {
  if (scope === undefined) return undefined;
  const { self, structs } = scope;
  const inner = step === "element" ? self.element : self.fields?.get(escapedName(step.property) ?? "");
  return inner && { self: inner, structs };
}

/** `name` is used for the declared type if it has fields. */
function declared(schema: StructuralSchema, root: boolean, name: string): Declared | undefined {
  if (schema["x-kubernetes-int-or-string"] === true) return { type: types.dyn, max: maxLength(schema), minSize: 1 };
  switch (schema.type) {
    case "array":
      return declaredList(schema, name);
    case "object":
      return declaredObject(root ? withTypeMeta(schema) : schema, name);
    case "string":
      return declaredText(schema);
    case "boolean":
      return { type: types.bool, max: 0, minSize: 4 };
    case "number":
      return { type: types.double, max: 0, minSize: 1 };
    case "integer":
      return { type: types.int, max: 0, minSize: 1 };
    default:
      return undefined;
  }
}

const within = (schema: StructuralSchema, name: string): Declared | undefined =>
  declared(schema, schema["x-kubernetes-embedded-resource"] === true, name);

function declaredList({ items, maxItems }: StructuralSchema, name: string): Declared | undefined {
  const element = items && within(items, `${name}.@idx`);
  if (element === undefined) return undefined;
  const max = maxItems ?? Math.floor((maxRequestSize - 2) / (element.minSize + 1));
  return { type: types.list(element.type), max: bound(max), minSize: 2, element };
}

function declaredObject(schema: StructuralSchema, name: string): Declared | undefined {
  const additional = additionalSchema(schema);
  if (additional !== undefined) {
    const element = within(additional, `${name}.@elem`);
    if (element === undefined) return undefined;
    // each entry has quotes, a colon, a comma and a key
    const max = schema.maxProperties ?? Math.floor((maxRequestSize - 2) / (element.minSize + 6));
    return { type: types.map(types.string, element.type), max: bound(max), minSize: 2, element };
  }
  const fields = new Map<string, Declared>();
  let minSize = 2;
  for (const [property, propertySchema] of Object.entries(schema.properties ?? {})) {
    const escaped = escapedName(property);
    const field = within(propertySchema, `${name}.${escaped ?? property}`);
    if (field === undefined) continue;
    if (escaped !== undefined) fields.set(escaped, field);
    if (schema.required?.includes(property) && propertySchema.default === undefined)
      minSize += Buffer.byteLength(property) + field.minSize + 4;
  }
  return { type: types.struct(name), max: 0, minSize, fields };
}

const times: Readonly<Record<string, { readonly type: Type; readonly max: number; readonly minSize: number }>> = {
  duration: { type: types.duration, max: 32, minSize: 3 },
  date: { type: types.timestamp, max: 12, minSize: 12 },
  "date-time": { type: types.timestamp, max: 32, minSize: 21 },
};

function declaredText(schema: StructuralSchema): Declared {
  const { format = "", enum: values = [] } = schema;
  if (Object.hasOwn(times, format)) return times[format] as Declared;
  if (format === "byte") return { type: types.bytes, max: bound(schema.maxLength ?? maxRequestSize - 2), minSize: 2 };
  if (schema.maxLength !== undefined || values.length === 0)
    return { type: types.string, max: maxLength(schema), minSize: 2 };
  const lengths = values.map((value) => (typeof value === "string" ? Buffer.byteLength(value) : 0));
  return { type: types.string, max: lengths.reduce((most, length) => Math.max(most, length), 0), minSize: 2 };
}

/** A character may take four bytes. */
const maxLength = (schema: StructuralSchema): number =>
  schema.maxLength === undefined ? maxRequestSize - 2 : bound(schema.maxLength) * 4;

/** The environment of rules: the types of `self` and `oldSelf`, and of their fields. */
export function environmentOf({ self, structs }: RuleScope, optionalOldSelf: boolean): CelEnvironment {
  const provider: TypeProvider = {
    fieldType: (struct, field) => structs.get(struct)?.fields?.get(field)?.type,
    named: (name) => structs.get(name)?.type,
  };
  const oldSelf = optionalOldSelf ? types.optional(self.type) : self.type;
  const variables = new Map([
    ["self", self.type],
    ["oldSelf", oldSelf],
  ]);
  return { functions: kubernetesFunctions, variables, types: provider };
}

/** The greatest size at a path that begins with `self` or `oldSelf`. */
export function sizeAt({ self }: RuleScope, [, ...steps]: ValuePath): number | undefined {
  let at: Declared | undefined = self;
  for (const step of steps) {
    if (step === "@keys") return at.type.kind === "map" ? 0 : undefined;
    at = step === "@items" || step === "@values" ? at.element : at.fields?.get(step);
    if (at === undefined) return undefined;
  }
  return at.max;
}

/** The limit that a schema sets, as a number: one beyond 2^53 was read with all its digits. */
export const bound = (limit: number | bigint): number => Math.max(0, Number(limit));
