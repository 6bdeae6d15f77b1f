/** A custom kind whose fields have every type, format and bound, and the values that are tried in them. To the generated tests. */
import type { Trial } from "./trials.js";
import { raw } from "./variations.js";

type Json = Readonly<Record<string, unknown>>;

const text = (more: Json = {}): Json => ({ type: "string", ...more });
const integer = (more: Json = {}): Json => ({ type: "integer", ...more });
const numeric = (more: Json = {}): Json => ({ type: "number", ...more });
const list = (items: Json, more: Json = {}): Json => ({ type: "array", items, ...more });
const object = (properties: Json, more: Json = {}): Json => ({ type: "object", properties, ...more });

const formats = [
  "bsonobjectid",
  "uri",
  "email",
  "hostname",
  "ipv4",
  "ipv6",
  "cidr",
  "mac",
  "uuid",
  "uuid3",
  "uuid4",
  "uuid5",
  "isbn",
  "isbn10",
  "isbn13",
  "creditcard",
  "ssn",
  "hexcolor",
  "rgbcolor",
  "byte",
  "password",
  "date",
  "datetime",
  "date-time",
  "duration",
  "k8s-short-name",
  "k8s-long-name",
  "nosuchformat",
];

/** The fields of the spec, by name. */
const customFields: Readonly<Record<string, Json>> = {
  ...Object.fromEntries(formats.map((format) => [`format-${format}`, text({ format })])),
  text: text(),
  nullable: text({ nullable: true }),
  bounded: text({ minLength: 2, maxLength: 4 }),
  pattern: text({ pattern: "^[a-z]+$" }),
  enum: text({ enum: ["a", "b"] }),
  enumNullable: text({ enum: ["a"], nullable: true }),
  boolean: { type: "boolean" },
  integer: integer(),
  int32: integer({ format: "int32" }),
  int64: integer({ format: "int64" }),
  range: integer({ minimum: 1, maximum: 100 }),
  exclusive: integer({ minimum: 1, exclusiveMinimum: true, maximum: 100, exclusiveMaximum: true }),
  multiple: integer({ multipleOf: 5 }),
  integerEnum: integer({ enum: [1, 2] }),
  number: numeric(),
  float: numeric({ format: "float" }),
  double: numeric({ format: "double" }),
  half: numeric({ multipleOf: 0.5, minimum: -1.5 }),
  intOrString: { "x-kubernetes-int-or-string": true },
  intOrStringBounds: { "x-kubernetes-int-or-string": true, minimum: 2, pattern: "^[0-9]+%$", maxLength: 4 },
  any: { "x-kubernetes-preserve-unknown-fields": true },
  anyNullable: { "x-kubernetes-preserve-unknown-fields": true, nullable: true },
  free: { type: "object", "x-kubernetes-preserve-unknown-fields": true },
  map: { type: "object", additionalProperties: text() },
  nullableMap: { type: "object", additionalProperties: text({ nullable: true }) },
  anyMap: { type: "object", additionalProperties: true },
  sizedMap: { type: "object", additionalProperties: integer(), minProperties: 1, maxProperties: 1 },
  object: object({ a: text(), b: integer() }),
  required: object({ a: text(), b: integer() }, { required: ["a"] }),
  defaulted: object({ a: text({ default: "x" }), b: integer({ default: 3 }), c: text({ default: "y", nullable: true }) }),
  defaultedWhole: object({ a: text() }, { default: { a: "x" } }),
  list: list(text()),
  nullableList: list(text({ nullable: true })),
  sized: list(integer(), { minItems: 1, maxItems: 1 }),
  set: list(text(), { "x-kubernetes-list-type": "set" }),
  keyed: list(object({ a: text(), b: text({ default: "z" }) }, { required: ["a"] }), {
    "x-kubernetes-list-type": "map",
    "x-kubernetes-list-map-keys": ["a", "b"],
  }),
  atomic: list(object({ a: text() }), { "x-kubernetes-list-type": "atomic" }),
  embedded: { type: "object", "x-kubernetes-embedded-resource": true, "x-kubernetes-preserve-unknown-fields": true },
  anyOf: text({ anyOf: [{ enum: ["a"] }, { minLength: 4 }] }),
  oneOf: text({ oneOf: [{ pattern: "^a" }, { maxLength: 2 }] }),
  allOf: text({ allOf: [{ pattern: "^a" }, { maxLength: 2 }] }),
  not: text({ not: { enum: ["a"] } }),
};

const texts = [
  "",
  "a",
  "ab",
  "abcd",
  "abcde",
  "A b",
  "ü€",
  "12",
  "50%",
  "x".repeat(300),
  "507f1f77bcf86cd799439011",
  "/a",
  "//a",
  "http://a.b/c?d#e",
  "a:b",
  "http://a b",
  "%zz",
  "mailto:a@b.c",
  "a@b.c",
  "A <a@b.c>",
  "a@b",
  "a.b-c",
  "a_b",
  "-a",
  "a.",
  "1.2.3.4",
  "01.2.3.4",
  "1.2.3",
  "::1",
  "::ffff:1.2.3.4",
  "fe80::1%eth0",
  "10.0.0.0/8",
  "10.0.0.1/8",
  "10.0.0.0/33",
  "::/129",
  "01:23:45:67:89:ab",
  "01-23-45-67-89-AB",
  "0123.4567.89ab",
  "01:23",
  "123e4567-e89b-12d3-a456-426614174000",
  "123e4567-e89b-32d3-a456-426614174000",
  "123e4567-e89b-42d3-a456-426614174000",
  "123e4567-e89b-52d3-a456-426614174000",
  "123e4567e89b12d3a456426614174000",
  "0-306-40615-2",
  "0306406152",
  "978-3-16-148410-0",
  "9783161484100",
  "4111111111111111",
  "4111 1111 1111 1111",
  "123-45-6789",
  "123456789",
  "#fff",
  "#a1b2c3",
  "ffff",
  "rgb(1,2,3)",
  "rgb( 1 , 2 , 300 )",
  "YQ==",
  "YQ",
  "YR==",
  "!!!!",
  "2020-02-29",
  "2021-02-29",
  "2020-13-01",
  "20-1-1",
  "2020-01-01T00:00:00Z",
  "2020-01-01t00:00:00.5z",
  "2020-01-01T00:00:00+02:00",
  "2020-01-01T24:00:00Z",
  "2020-01-01T00:60:00Z",
  "2020-13-01T00:00:00Z",
  "2020-01-01 00:00:00",
  "1s",
  "1.5h",
  "1d",
  "1 day",
  "2 weeks",
  "1h30m",
  "-1s",
  "1",
];

const numbers = [
  0,
  1,
  -1,
  2,
  5,
  100,
  101,
  1.5,
  0.1,
  2 ** 31,
  -(2 ** 31) - 1,
  2 ** 53,
  ...["1.0", "1e2", "1.5e1", "-0", "1e400", "1e-400", "9007199254740993", "9223372036854775807", "9223372036854775808"].map(raw),
  ...["-9223372036854775809", "3.5e38", "1e40", "123456789012345678901234567890"].map(raw),
];

const others = [
  undefined,
  null,
  true,
  false,
  [],
  [null],
  ["a"],
  ["a", "a"],
  ["a", null],
  [1],
  [1, 2],
  [[]],
  [{}],
  [{ a: "x" }],
  [{ a: "x" }, { a: "x" }],
  [{ a: "x", b: "z" }, { a: "x" }],
  [{ a: "x", b: null }],
  [{ a: null }],
  {},
  { a: null },
  { a: "x" },
  { a: 1 },
  { b: 1 },
  { b: null },
  { c: null },
  { a: "x", b: 1, c: 2 },
  { a: {} },
  { apiVersion: "v1", kind: "Pod" },
  { apiVersion: "v1", kind: "Pod", metadata: {} },
  { apiVersion: "v1", kind: "Pod", metadata: { name: "A b", labels: { a: 1 } } },
  { apiVersion: "v1", kind: "Pod", metadata: { name: "a", x: 1, labels: { "a b": "c" } } },
  { apiVersion: "v1", kind: "" },
  { apiVersion: "a/b/c", kind: "Pod" },
  { kind: "Pod" },
  { apiVersion: 1, kind: "Pod" },
  { metadata: "x" },
];

const customValues: readonly unknown[] = [...texts, ...numbers, ...others];

export const customGroup = "generated.example.com";

export const customDefinition: Json = {
  apiVersion: "apiextensions.k8s.io/v1",
  kind: "CustomResourceDefinition",
  metadata: { name: `samples.${customGroup}` },
  spec: {
    group: customGroup,
    scope: "Namespaced",
    names: { plural: "samples", singular: "sample", kind: "Sample", listKind: "SampleList" },
    versions: [
      {
        name: "v1",
        served: true,
        storage: true,
        subresources: { status: {} },
        schema: {
          openAPIV3Schema: object({
            spec: object(customFields),
            status: object({ count: integer(), text: text() }),
          }),
        },
      },
    ],
  },
};

const base: Json = { apiVersion: `${customGroup}/v1`, kind: "Sample", metadata: { name: "a" } };

const oddTypes = [null, "", "a", "A_b!", 1, 1.5, true, [], {}, [1], { a: 1 }, { a: null }, ["a"], [{}]];
const metaFields = [
  ...["name", "generateName", "namespace", "resourceVersion", "generation", "creationTimestamp", "labels"],
  ...["annotations", "ownerReferences", "finalizers", "selfLink", "nothing"],
];

/** Every field of the spec with every value, and wrong types of whatever belongs to every object. */
export function customTrials(): readonly Trial[] {
  const trial = (steps: Trial["steps"], value: unknown): Trial => {
    return { mode: "create", subresource: "", seed: { ...base }, steps, place: steps.join("."), value };
  };
  return [
    ...Object.keys(customFields).flatMap((field) => customValues.map((value) => trial(["spec", field], value))),
    ...metaFields.flatMap((field) => oddTypes.map((value) => trial(["metadata", field], value))),
    ...["kind", "apiVersion", "metadata", "spec", "status", "other"].flatMap((field) =>
      [undefined, ...oddTypes, "Other", "v1", `${customGroup}/v2`].map((value) => trial([field], value)),
    ),
  ];
}
