/** Definitions, and objects that are judged by them. For the stall guard. */
import {
  type Case,
  definition,
  definitions,
  fields,
  listOf,
  many,
  object,
  patch,
  post,
  widget,
  widgets,
} from "../requests.js";

const text = { type: "string" };

/** The schema of a list of numbers below this many names. */
function chainOf(n: number): object {
  let schema: object = { type: "array", items: { type: "integer" } };
  for (let i = 0; i < n; i++) schema = object({ a: schema });
  return object({ spec: schema });
}

function chain(n: number, value: unknown): unknown {
  return n === 0 ? value : { a: chain(n - 1, value) };
}

export const schemas: readonly Case[] = [
  { name: "definition of many fields", request: (n) => post(definitions, definition(object(fields(n, () => text)))) },
  {
    name: "definition of an enum",
    request: (n) => post(definitions, definition(object({ spec: { type: "string", enum: many(n, String) } }))),
  },
  {
    name: "definition of required fields",
    request: (n) =>
      post(definitions, definition({ ...object(fields(n, () => text)), required: many(n, (i) => `k${i}`) })),
  },
  {
    name: "definition of columns",
    request: (n) =>
      post(
        definitions,
        definition(object({ spec: text }), {
          additionalPrinterColumns: many(n, (i) => ({ name: `c${i}`, type: "string", jsonPath: ".spec" })),
        }),
      ),
  },
  {
    name: "definition of selectable fields",
    request: (n) =>
      post(
        definitions,
        definition(object(fields(n, () => text)), { selectableFields: many(n, (i) => ({ jsonPath: `.k${i}` })) }),
      ),
  },
  {
    name: "definition of defaults",
    request: (n) => post(definitions, definition(object(fields(n, String)))),
  },
  {
    name: "definition of rules below ever more defaults",
    size: 40,
    request: (n) => {
      const rules = many(200, (i) => ({ rule: `self != ${i}`, message: "no" }));
      const leaf = { type: "integer", "x-kubernetes-validations": rules };
      const nested = (depth: number): object => ({
        ...object({ a: depth === 0 ? leaf : nested(depth - 1) }),
        default: {},
      });
      return post(definitions, definition(object({ spec: nested(n) })));
    },
  },
  {
    name: "wrong items",
    before: () => [post(definitions, definition(listOf(text)))],
    request: (n) => post(widgets, widget({ l: many(n, () => 1) })),
  },
  {
    name: "missing fields of items",
    before: () => [post(definitions, definition(listOf({ ...object({ a: text }), required: ["a"] })))],
    request: (n) => post(widgets, widget({ l: many(n, () => ({})) })),
  },
  {
    name: "unknown fields of items",
    before: () => [post(definitions, definition(listOf(object({ a: text }))))],
    request: (n) => post(widgets, widget({ l: many(n, () => ({ b: 1 })) })),
  },
  {
    name: "items that are none of an enum",
    before: () => [post(definitions, definition(listOf({ type: "string", enum: many(100, String) })))],
    request: (n) => post(widgets, widget({ l: many(n, () => "x") })),
  },
  {
    name: "values and their enum",
    before: (n) => [post(definitions, definition(listOf({ type: "string", enum: many(n, String) })))],
    request: (n) => post(widgets, widget({ l: many(n, (i) => String(n - 1 - i)) })),
  },
  {
    name: "items of a set",
    before: () => [post(definitions, definition(listOf(text, { "x-kubernetes-list-type": "set" })))],
    request: (n) => post(widgets, widget({ l: many(n, String) })),
  },
  {
    name: "items of a map",
    before: () => [
      post(
        definitions,
        definition(
          listOf(
            { ...object({ a: text }), required: ["a"] },
            { "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["a"] },
          ),
        ),
      ),
    ],
    request: (n) => post(widgets, widget({ l: many(n, (i) => ({ a: String(i) })) })),
  },
  {
    name: "equal items of a set",
    before: () => [post(definitions, definition(listOf(text, { "x-kubernetes-list-type": "set" })))],
    request: (n) => post(widgets, widget({ l: many(n, () => "x") })),
  },
  {
    name: "defaults in items",
    atMost: 15_000_000,
    before: (n) => [post(definitions, definition(listOf(object(fields(n, () => ({ type: "string", default: "x" }))))))],
    request: (n) => post(widgets, widget({ l: many(n, () => ({})) })),
  },
  {
    name: "items and branches of a schema",
    atMost: 30_000_000,
    before: (n) => [post(definitions, definition(listOf({ ...text, allOf: many(n, () => ({ minLength: 1 })) })))],
    request: (n) => post(widgets, widget({ l: many(n, () => "a") })),
  },
  {
    name: "items and properties of their schema",
    before: (n) => [post(definitions, definition(listOf(object(fields(n, () => text)))))],
    request: (n) => post(widgets, widget({ l: many(n, () => ({})) })),
  },
  {
    name: "texts and a long pattern",
    size: 200,
    atMost: 30_000_000,
    before: (n) => [post(definitions, definition(listOf({ ...text, pattern: `(.*a){1,${n}}x` })))],
    request: (n) => post(widgets, widget({ l: many(n, () => "a".repeat(n)) })),
  },
  {
    name: "items that are objects of an enum",
    before: (n) => [
      post(
        definitions,
        definition(listOf({ ...object({ a: { type: "integer" } }), enum: many(n, (i) => ({ a: i })) })),
      ),
    ],
    request: (n) => post(widgets, widget({ l: many(n, () => ({ a: n - 1 })) })),
  },
  {
    name: "items below a long name",
    before: () => [
      post(
        definitions,
        definition(object({ spec: { type: "object", additionalProperties: { type: "array", items: text } } })),
      ),
    ],
    request: (n) => post(widgets, widget({ ["a".repeat(n)]: many(n, () => "a") })),
  },
  {
    name: "a change below many names",
    size: 100,
    before: (n) => [
      post(definitions, definition(chainOf(n / 4))),
      post(
        widgets,
        JSON.stringify(
          widget(
            chain(
              n / 4,
              many(n, () => 1),
            ),
          ),
        ),
      ),
    ],
    request: (n) =>
      patch(`${widgets}/stall`, "merge-patch+json", {
        spec: chain(
          n / 4,
          many(n, (i) => Number(i > 0)),
        ),
      }),
  },
  {
    name: "definition of a list with the same key again and again",
    request: (n) =>
      post(
        definitions,
        definition(
          listOf(
            { ...object({ a: text }), required: ["a"] },
            { "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": many(n, () => "a") },
          ),
        ),
      ),
  },
  {
    name: "definition of many versions",
    size: 100,
    request: (n) => {
      const versions = many(n, (i) => ({
        name: `v${i + 1}`,
        served: true,
        storage: i === 0,
        schema: { openAPIV3Schema: { type: "object" } },
      }));
      const one = definition({ type: "object" }) as { readonly spec: object };
      return post(definitions, { ...one, spec: { ...one.spec, versions } });
    },
  },
  {
    name: "unknown fields below a long name",
    before: () => [
      post(
        definitions,
        definition(object({ spec: { type: "object", additionalProperties: { type: "array", items: object({}) } } })),
      ),
    ],
    request: (n) => post(widgets, widget({ ["a".repeat(100 * n)]: many(n, () => ({ b: 1 })) })),
  },
  {
    name: "unknown fields of a definition below a long name",
    request: (n) =>
      post(definitions, definition(object({ ["a".repeat(100 * n)]: { type: "string", ...fields(n, () => 1) } }))),
  },
  {
    name: "definition of a long pattern",
    request: (n) => post(definitions, definition(object({ spec: { ...text, pattern: "(a|b)".repeat(n) } }))),
  },
  {
    name: "columns that descend",
    size: 10,
    atMost: 2_000_000,
    before: (n) => {
      const additionalPrinterColumns = [{ name: "deep", type: "string", jsonPath: `.spec${"..a".repeat(n)}` }];
      const open = { type: "object", "x-kubernetes-preserve-unknown-fields": true };
      const chain = many(n, () => '{"a":').join("") + "1" + "}".repeat(n);
      return [
        post(definitions, definition(object({ spec: open }), { additionalPrinterColumns })),
        post(widgets, widget(JSON.parse(chain))),
      ];
    },
    request: () => ({ method: "GET", path: widgets, accept: "application/json;as=Table;v=v1;g=meta.k8s.io" }),
  },
];
