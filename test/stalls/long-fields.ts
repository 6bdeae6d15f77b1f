/** Takes a kind's type and a valid object; gives every list and map of it, filled with any number of items. For the stall guard. */
import type { ObjectType, Shape } from "../../src/api/schema/index.js";
import { type Steps, varied } from "../conformance/kinds/generated/variations.js";

export interface LongField {
  /** The struct and field, `Container.env`: the same in a pod and in a pod's template. */
  readonly place: string;
  /** The object with this many items in the field, all different. */
  readonly filled: (n: number) => object;
}

type Json = Readonly<Record<string, unknown>>;

/** Every list and map below a type. A type inside itself is not entered again. */
export function* longFieldsOf(type: ObjectType, base: object): Generator<LongField> {
  yield* below(type, { base, at: [], sample: base, inside: [] });
}

interface Position {
  readonly base: object;
  readonly at: Steps;
  readonly sample: unknown;
  readonly inside: readonly ObjectType[];
}

function* below(type: ObjectType, { base, at, sample, inside }: Position): Generator<LongField> {
  for (const [name, field] of type.properties) {
    let { shape } = field;
    let steps: Steps = [...at, name];
    let given = member(sample, name);
    while (shape.kind === "list" || shape.kind === "map") {
      const { items } = shape;
      const isList = shape.kind === "list";
      const first = isList ? 0 : (Object.keys((given ?? {}) as object)[0] ?? "k");
      const one = member(given, first);
      const where = steps;
      for (const [way, make] of Object.entries(ways)) {
        const filled = (n: number): object => {
          const values = Array.from({ length: n }, (_, i) => make(items, one, i));
          const value = isList ? values : Object.fromEntries(values.map((item, i) => [`k${i}`, item]));
          return varied(base, { steps: where, value });
        };
        yield { place: `${type.name}.${name} ${way}`, filled };
      }
      [shape, steps, given] = [items, [...steps, first], one];
    }
    if (shape.kind !== "object" || inside.includes(shape.type)) continue;
    yield* below(shape.type, { base, at: steps, sample: given, inside: [...inside, type] });
  }
}

/** Items that differ in one text, items in which each plain field is set, and items that are all the same. */
const ways = {
  named: (shape: Shape, sample: unknown, i: number): unknown => itemOf(shape, sample, i, 1),
  full: (shape: Shape, sample: unknown, i: number): unknown => itemOf(shape, sample, i, Infinity),
  same: (shape: Shape, sample: unknown): unknown => itemOf(shape, sample, 0, Infinity),
};

/** An item whose first texts, up to `most` of them, tell it from the others. */
function itemOf(shape: Shape, sample: unknown, i: number, most: number): unknown {
  if (shape.kind !== "object") return plain(shape, i) ?? sample ?? {};
  const item: Record<string, unknown> = { ...(sample as Json | undefined) };
  let left = most;
  for (const [name, field] of shape.type.properties) {
    const value = plain(field.shape, i);
    if (value === undefined || left === 0) continue;
    item[name] = value;
    left--;
  }
  return item;
}

function plain(shape: Shape, i: number): unknown {
  switch (shape.kind) {
    case "string":
      return shape.enum?.[0] ?? `k${i}`;
    case "int32":
    case "int64":
      return i + 1;
    case "quantity":
      return String(i + 1);
    case "intOrString":
      return i + 1;
    default:
      return undefined;
  }
}

const member = (value: unknown, step: string | number): unknown =>
  typeof value === "object" && value !== null ? (value as Record<string | number, unknown>)[step] : undefined;
