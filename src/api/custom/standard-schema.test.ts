import { toStandardJsonSchema } from "@valibot/to-json-schema";
import { type } from "arktype";
import { type Static, Type } from "typebox";
import * as v from "valibot";
import { expect, expectTypeOf, test } from "vitest";
import { z } from "zod";
import { connect, installDefinition } from "../../client/index.js";
import { hasRealCluster, realCluster } from "../../testing/shared-envtest.js";
import { crdOf } from "./crd.js";
import { defineResource } from "../define-resource.js";
import type { ObjectOf } from "../resource-type.js";
import { schemaFrom } from "./standard-schema.js";

const names = { group: "s.example", version: "v1", kind: "Sized", plural: "sizeds", scope: "Cluster" } as const;

/** The same kind in the words of each library. */
interface Spec {
  readonly size: number;
  readonly colour?: "red" | "blue";
  readonly note?: string | null;
  readonly tags: readonly string[];
  readonly limits: Readonly<Record<string, number>>;
}

const structural = {
  type: "object",
  required: ["spec"],
  properties: {
    spec: {
      type: "object",
      required: ["limits", "size", "tags"],
      properties: {
        size: { type: "integer", minimum: 1 },
        colour: { type: "string", enum: ["blue", "red"] },
        note: { type: "string", nullable: true },
        tags: { type: "array", items: { type: "string" } },
        limits: { type: "object", additionalProperties: { type: "number" } },
      },
    },
  },
};

/** Without order. */
function sorted(schema: unknown): unknown {
  return JSON.parse(
    JSON.stringify(schema, (key, value: unknown) => {
      return key === "required" || key === "enum" ? (value as string[]).toSorted() : value;
    }),
  );
}

test("zod", () => {
  const spec = z.object({
    size: z.int().min(1),
    colour: z.enum(["red", "blue"]).optional(),
    note: z.string().nullable().optional(),
    tags: z.array(z.string()),
    limits: z.record(z.string(), z.number()),
  });
  const Sized = defineResource({ ...names, schema: schemaFrom(z.object({ spec })) });
  expect(sorted(Sized.definition.schema)).toEqual(structural);
  expectTypeOf<ObjectOf<typeof Sized>["spec"]["limits"]>().toEqualTypeOf<Spec["limits"]>();
  expectTypeOf<ObjectOf<typeof Sized>["spec"]["size"]>().toEqualTypeOf<number>();
  expectTypeOf<ObjectOf<typeof Sized>["spec"]["tags"]>().toEqualTypeOf<readonly string[]>();
});

test.skipIf(!hasRealCluster())("is in force on a real server (needs KUBEBUILDER_ASSETS)", async () => {
  const spec = z.object({
    colour: z.enum(["red", "blue"]).optional(),
    note: z.string().nullable().optional(),
    limits: z.record(z.string(), z.int()),
  });
  const Sized = defineResource({ ...names, group: "standard.example", schema: schemaFrom(z.object({ spec })) });
  await using client = await connect({ kubeconfig: (await realCluster()).kubeconfig });
  await installDefinition(client, crdOf(Sized));
  const create = (name: string, given: object): Promise<unknown> =>
    client.resource(Sized).create({ metadata: { name }, spec: given } as never);
  await create("null", { note: null, limits: { a: 1 } });
  await create("red", { note: "n", colour: "red", limits: {} });
  await expect(create("green", { note: "n", colour: "green", limits: {} })).rejects.toThrow(
    'Unsupported value: "green"',
  );
  await expect(create("text", { note: "n", limits: { a: "1" } })).rejects.toThrow("must be of type integer");
});

test("valibot", () => {
  const spec = v.object({
    size: v.pipe(v.number(), v.integer(), v.minValue(1)),
    colour: v.optional(v.picklist(["red", "blue"])),
    note: v.optional(v.nullable(v.string())),
    tags: v.array(v.string()),
    limits: v.record(v.string(), v.number()),
  });
  const Sized = defineResource({ ...names, schema: schemaFrom(toStandardJsonSchema(v.object({ spec }))) });
  expect(sorted(Sized.definition.schema)).toEqual(structural);
  expectTypeOf<ObjectOf<typeof Sized>["spec"]["size"]>().toEqualTypeOf<number>();
  expect(() => schemaFrom(v.object({ spec }) as never)).toThrow("toStandardJsonSchema of @valibot/to-json-schema");
});

test("arktype", () => {
  const Whole = type({
    spec: {
      size: "number.integer >= 1",
      "colour?": "'red' | 'blue'",
      "note?": "string | null",
      tags: "string[]",
      limits: { "[string]": "number" },
    },
  });
  const Sized = defineResource({ ...names, schema: schemaFrom(Whole) });
  expect(sorted(Sized.definition.schema)).toEqual(structural);
  expectTypeOf<ObjectOf<typeof Sized>["spec"]["size"]>().toEqualTypeOf<number>();
});

test("typebox, whose schemas are JSON Schema, with the type written out", () => {
  const Whole = Type.Object({
    spec: Type.Object({
      size: Type.Integer({ minimum: 1 }),
      colour: Type.Optional(Type.Union([Type.Literal("red"), Type.Literal("blue")])),
      note: Type.Optional(Type.Union([Type.String(), Type.Null()])),
      tags: Type.Array(Type.String()),
      limits: Type.Record(Type.String(), Type.Number()),
    }),
  });
  const Sized = defineResource({ ...names, schema: schemaFrom<Static<typeof Whole>>(Whole) });
  expect(sorted(Sized.definition.schema)).toEqual(structural);
  expectTypeOf<ObjectOf<typeof Sized>["spec"]["size"]>().toEqualTypeOf<number>();
});

test("a schema may be a part of one that is written by hand", () => {
  const Sized = defineResource({
    ...names,
    schema: {
      type: "object",
      required: ["spec"],
      properties: {
        spec: schemaFrom(z.object({ size: z.int().default(1), mode: z.literal(["a", "b"]) })),
        status: { type: "object", properties: { ready: { type: "boolean" } } },
      },
    },
  });
  expectTypeOf<ObjectOf<typeof Sized>["spec"]>().toEqualTypeOf<{ readonly size: number; readonly mode: "a" | "b" }>();
  expect(Sized.definition.schema.properties?.["spec"]?.properties).toEqual({
    size: { type: "integer", default: 1 },
    mode: { type: "string", enum: ["a", "b"] },
  });
});

const inSpec = (part: z.ZodType): unknown => z.object({ spec: z.object({ parts: z.array(z.object({ part })) }) });

test.each([
  { what: "zod's date", schema: inSpec(z.date()), said: "date at .spec.parts[].part" },
  { what: "zod's bigint", schema: inSpec(z.bigint()), said: "bigint at .spec.parts[].part" },
  {
    what: "zod's refine",
    schema: inSpec(z.string().refine(() => true)),
    said: "a function (refine) at .spec.parts[].part",
  },
  { what: "zod's transform", schema: inSpec(z.string().transform(Number)), said: "transform at .spec.parts[].part" },
  {
    what: "zod's union",
    schema: inSpec(z.union([z.string(), z.boolean()])),
    said: "several types at .spec.parts[].part",
  },
  { what: "zod's tuple", schema: inSpec(z.tuple([z.string()])), said: "prefixItems at .spec.parts[].part" },
  {
    what: "zod's nullable enum",
    schema: inSpec(z.enum(["a"]).nullable()),
    said: "null among constants at .spec.parts[].part",
  },
  { what: "valibot's date", schema: toStandardJsonSchema(v.object({ a: v.date() })), said: 'The "date" schema' },
  { what: "arktype's Date", schema: type({ spec: { a: "Date" } }), said: "cannot say all of this arktype schema" },
  { what: "arktype's narrow", schema: type({ a: type("string").narrow(() => true) }), said: "predicate" },
  { what: "typebox's bigint", schema: Type.Object({ a: Type.BigInt() }), said: "type bigint at .a" },
  { what: "no schema", schema: "Foo", said: "schemaFrom takes a schema, not" },
])("$what, which no definition can hold, is refused", ({ schema, said }) => {
  expect(() => schemaFrom(schema as never)).toThrow(said);
});
