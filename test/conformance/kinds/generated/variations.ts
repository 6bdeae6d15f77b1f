/** Takes a kind's type from the schema table and a valid object; gives every field of it with values that it may and may not have. To the tests. */
import type { FieldType, ObjectType, Shape } from "../../../../src/api/schema/index.js";

export type Steps = readonly (string | number)[];

export interface Variation {
  readonly steps: Steps;
  /** The struct and field, `Container.image`: the same place of a pod in a Deployment and of a pod alone. */
  readonly place: string;
  /** `undefined` takes the field away. */
  readonly value: unknown;
}

type Json = Record<string, unknown>;

/** Text that JSON.stringify cannot give: whatever follows the mark stands in the body as it is. */
export const raw = (text: string): string => `\u0001${text}\u0001`;

export function bodyOf(object: unknown): string {
  return JSON.stringify(object).replaceAll(/"\\u0001(.*?)\\u0001"/g, "$1");
}

const wrongTypes: Readonly<Record<string, readonly unknown[]>> = {
  text: [1, true, {}, []],
  number: ["1", "", true, {}],
  boolean: ["true", 1],
  list: [{}, "x", 1],
  object: [[], "x", 1],
};

const long = (length: number): string => "x".repeat(length);
const texts: readonly unknown[] = [
  null,
  "",
  "a",
  "A_b!",
  "a.b/c",
  "/a",
  "../b",
  "1.2.3.4",
  "10.0.0.0/8",
  "01.02.03.04",
  "::ffff:1.2.3.4",
  "k8s.io/x",
  " a",
  long(64),
  long(254),
  long(1025),
  ...(wrongTypes["text"] as readonly unknown[]),
];
const integers: readonly unknown[] = [null, 0, 1, -1, 2, 11, 100, 101, 1001, 65_535, 65_536, 2 ** 31 - 1, -(2 ** 31)];
const badIntegers: readonly unknown[] = [1.5, raw("1.0"), raw("1e2"), raw("1e400"), ...(wrongTypes["number"] as readonly unknown[])];

/** By shape, what is tried in it. */
function valuesOf(shape: Shape): readonly unknown[] {
  switch (shape.kind) {
    case "string": {
      const words = shape.enum ?? [];
      return [...words, ...words.slice(0, 1).map((word) => word.toLowerCase()), ...texts];
    }
    case "boolean":
      return [null, true, false, ...(wrongTypes["boolean"] as readonly unknown[])];
    case "int32":
      return [...integers, 2 ** 31, ...badIntegers];
    case "int64":
      return [...integers, 2 ** 31, 2 ** 53, raw("9007199254740993"), raw("9223372036854775807"), raw("9223372036854775808"), ...badIntegers];
    case "double":
      return [null, 0, -1, 1.5, raw("1e400"), "1", true];
    case "bytes":
      return [null, "", "YQ==", "YQ", "!", "YR==", 1, []];
    case "time":
    case "microTime":
      return [
        null,
        "",
        "2024-01-01T00:00:00Z",
        "2024-01-01T00:00:00.123456Z",
        "2024-01-01T00:00:00+02:00",
        "2024-13-01T00:00:00Z",
        "2024-01-01",
        "x",
        1,
        {},
      ];
    case "duration":
      return [null, "", "0s", "1m", "-1s", "1h2m", "x", 1, {}];
    case "quantity":
      return [null, "", 0, 1, -1, 1.5, "0", "1", "-1", "0.0001", "1.5", "1500m", "1Gi", "1e3", "x", " 1", true, {}, []];
    case "intOrString":
      return [null, "", 0, 1, -1, 101, 65_536, 2 ** 31, "1", "0%", "50%", "101%", "-1%", "1.5%", "x", "http", "A_b!", 1.5, true, {}];
    case "list":
      return [null, [], [null], ...(wrongTypes["list"] as readonly unknown[]), ...listsOf(shape.items)];
    case "map":
      return [null, {}, { k: null }, ...(wrongTypes["object"] as readonly unknown[]), ...mapsOf(shape.items)];
    case "object":
      return [null, {}, ...(wrongTypes["object"] as readonly unknown[])];
    case "schemaOrArray":
    case "schemaOrBool":
    case "schemaOrStrings":
      return [null, {}, [], true, false, "x", 1, [{}], ["a"], [null]];
    default:
      return [null, {}, [], "x", 1, true];
  }
}

/** Items by themselves, the same twice, and too many. */
function listsOf(items: Shape): readonly unknown[] {
  const one = someOf(items);
  const some = one.flatMap((item) => [[item], [item, item]]);
  return [...some, [1], ["x", 1], Array.from({ length: 101 }, (_, i) => (typeof one[0] === "string" ? `a${i}` : one[0]))];
}

function mapsOf(items: Shape): readonly unknown[] {
  const [one] = someOf(items);
  return [
    ...["k", "", "A b", "a.b/c", "a/b/c", long(254), "kubernetes.io/x"].map((key) => ({ [key]: one })),
    ...valuesOf(items).map((value) => ({ k: value })),
  ];
}

function someOf(shape: Shape): readonly unknown[] {
  switch (shape.kind) {
    case "string":
      return [...(shape.enum?.slice(0, 2) ?? []), "a", "", "A_b!", "1.2.3.4"];
    case "int32":
    case "int64":
    case "double":
      return [1, -1];
    case "boolean":
      return [true];
    case "bytes":
      return ["YQ=="];
    case "quantity":
    case "intOrString":
      return ["1"];
    case "list":
      return [[], someOf(shape.items).slice(0, 1)];
    case "time":
    case "microTime":
      return ["2024-01-01T00:00:00Z"];
    default:
      return [{}];
  }
}

/** All variations of the fields of a type; a type inside itself is not entered again. */
export function* variationsOf(type: ObjectType, sample: unknown, at: Steps = [], inside: readonly ObjectType[] = []): Generator<Variation> {
  for (const [name, field] of type.properties) {
    const steps = [...at, name];
    if (at.length === 0 && name === "status") continue;
    const given = member(sample, name);
    const place = `${type.name}.${name}`;
    if (given !== undefined) yield { steps, place, value: undefined };
    for (const value of valuesOf(field.shape)) yield { steps, place, value };
    if (Array.isArray(given) && given.length > 0) yield { steps, place, value: [...(given as unknown[]), given[0]] };
    yield* inner(field, given, steps, [...inside, type]);
  }
}

function* inner(field: FieldType, given: unknown, steps: Steps, inside: readonly ObjectType[]): Generator<Variation> {
  let { shape } = field as { shape: Shape };
  let sample = given;
  let at = steps;
  while (shape.kind === "list" || shape.kind === "map") {
    const key: string | number = shape.kind === "list" ? 0 : (Object.keys((sample ?? {}) as object)[0] ?? "k");
    at = [...at, key];
    sample = member(sample, key);
    shape = shape.items;
  }
  if (shape.kind === "object" && !inside.includes(shape.type)) yield* variationsOf(shape.type, sample, at, inside);
}

const member = (value: unknown, step: string | number): unknown =>
  typeof value === "object" && value !== null ? (value as Record<string | number, unknown>)[step] : undefined;

/** The object with that one field changed; what leads to the field is made where it is not there. */
export function varied(object: object, { steps, value }: Pick<Variation, "steps" | "value">): Json {
  const copy = structuredClone(object) as Json;
  let at: Record<string | number, unknown> = copy;
  for (const [position, step] of steps.slice(0, -1).entries()) {
    at[step] ??= typeof steps[position + 1] === "number" ? [] : {};
    at = at[step] as Record<string | number, unknown>;
  }
  const last = steps.at(-1) as string | number;
  if (value === undefined) delete at[last];
  else at[last] = value;
  return copy;
}
