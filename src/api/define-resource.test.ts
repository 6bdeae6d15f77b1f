import { describe, expect, expectTypeOf, test } from "vitest";
import { askReal } from "../../test/real-answer.js";
import { hasRealCluster } from "../testing/shared-envtest.js";
import {
  crdOf,
  defineResource,
  type Draft,
  type KubeObject,
  type ObjectMeta,
  type ObjectOf,
  type ResourceType,
  schemaFrom,
  structuralSchema,
  type TypeFromSchema,
} from "./index.js";

const Network = defineResource({
  group: "schema.example",
  version: "v1",
  kind: "Network",
  plural: "networks",
  scope: "Namespaced",
  shortNames: ["nw"],
  scale: { specReplicasPath: ".spec.replicas", statusReplicasPath: ".status.replicas" },
  printerColumns: [{ name: "CIDR", type: "string", jsonPath: ".spec.cidr" }],
  selectableFields: [".spec.cidr"],
  schema: {
    type: "object",
    required: ["spec"],
    properties: {
      spec: {
        type: "object",
        required: ["cidr"],
        properties: {
          cidr: { type: "string", minLength: 1 },
          mode: { type: "string", enum: ["bridge", "routed"] },
          replicas: { type: "integer", default: 1 },
          port: { "x-kubernetes-int-or-string": true },
          gateway: { type: "string", nullable: true },
          tags: { type: "array", items: { type: "string" } },
          routes: {
            type: "array",
            items: {
              type: "object",
              required: ["to"],
              properties: { to: { type: "string" }, via: { type: "string" } },
            },
            "x-kubernetes-list-type": "map",
            "x-kubernetes-list-map-keys": ["to"],
          },
          labels: { type: "object", additionalProperties: { type: "string" } },
          extra: { type: "object", "x-kubernetes-preserve-unknown-fields": true },
        },
        "x-kubernetes-validations": [{ rule: "self.replicas < 100", message: "too many" }],
      },
      status: { type: "object", properties: { replicas: { type: "integer" } } },
    },
  },
});
type Network = ObjectOf<typeof Network>;

test("a schema literal gives the type of the objects", () => {
  expectTypeOf<Network["kind"]>().toEqualTypeOf<"Network">();
  expectTypeOf<Network["apiVersion"]>().toEqualTypeOf<"schema.example/v1">();
  expectTypeOf<Network["metadata"]>().toEqualTypeOf<ObjectMeta>();
  expectTypeOf<Network["spec"]["cidr"]>().toEqualTypeOf<string>();
  expectTypeOf<Network["spec"]["mode"]>().toEqualTypeOf<"bridge" | "routed" | undefined>();
  expectTypeOf<Network["spec"]["replicas"]>().toEqualTypeOf<number>();
  expectTypeOf<Network["spec"]["port"]>().toEqualTypeOf<number | string | undefined>();
  expectTypeOf<Network["spec"]["gateway"]>().toEqualTypeOf<string | null | undefined>();
  expectTypeOf<Network["spec"]["tags"]>().toEqualTypeOf<readonly string[] | undefined>();
  expectTypeOf<NonNullable<Network["spec"]["routes"]>[number]>().toEqualTypeOf<{
    readonly to: string;
    readonly via?: string;
  }>();
  expectTypeOf<Network["spec"]["labels"]>().toEqualTypeOf<Readonly<Record<string, string>> | undefined>();
  expectTypeOf<Network["spec"]["extra"]>().toEqualTypeOf<Readonly<Record<string, unknown>> | undefined>();
  expectTypeOf<NonNullable<Network["status"]>["replicas"]>().toEqualTypeOf<number | undefined>();
  expectTypeOf<Network>().toExtend<KubeObject>();
  const draft: Draft<Network> = { metadata: { name: "n" }, spec: { cidr: "10.0.0.0/8", replicas: 1 } };
  // @ts-expect-error a mode that the schema does not know
  const wrong: Network["spec"] = { cidr: "10.0.0.0/8", replicas: 1, mode: "none" };
  expect([draft.spec.cidr, wrong.replicas]).toEqual(["10.0.0.0/8", 1]);
});

test("schemas without properties are maps of anything, without a type anything", () => {
  expectTypeOf<TypeFromSchema<{ readonly type: "object" }>>().toEqualTypeOf<Readonly<Record<string, unknown>>>();
  expectTypeOf<TypeFromSchema<{ readonly type: "array" }>>().toEqualTypeOf<readonly unknown[]>();
  expectTypeOf<TypeFromSchema<object>>().toBeUnknown();
});

test("a kind may also be defined by its type alone", () => {
  interface Foo extends KubeObject {
    readonly spec: { readonly replicas: number };
  }
  const Foo = defineResource<Foo>({ group: "g.example", version: "v1", kind: "Foo", plural: "foos", scope: "Cluster" });
  expectTypeOf(Foo).toEqualTypeOf<ResourceType<Foo>>();
  expect(Foo).toMatchObject({ singular: "foo", listKind: "FooList", subresources: [] });
  expect(Object.isFrozen(Foo)).toBe(true);
});

test("the definition has what the options say", () => {
  const { spec, metadata } = crdOf(Network);
  expect(metadata.name).toBe("networks.schema.example");
  expect(spec.names).toEqual({
    plural: "networks",
    singular: "network",
    kind: "Network",
    listKind: "NetworkList",
    shortNames: ["nw"],
  });
  expect(spec.versions).toHaveLength(1);
  expect(spec.versions[0]).toMatchObject({
    name: "v1",
    served: true,
    storage: true,
    subresources: { status: {}, scale: { specReplicasPath: ".spec.replicas" } },
    selectableFields: [{ jsonPath: ".spec.cidr" }],
  });
  expect(Network.subresources).toEqual(["status", "scale"]);
});

test("several versions make one definition, other kinds do not", () => {
  const options = { ...Network.definition, version: "v1alpha1", deprecated: "use v1" } as const;
  const versions = crdOf(Network, defineResource(options)).spec.versions;
  expect(versions.map(({ name, storage, deprecationWarning }) => [name, storage, deprecationWarning])).toEqual([
    ["v1", true, undefined],
    ["v1alpha1", false, "use v1"],
  ]);
  expect(() => crdOf(Network, defineResource({ ...options, plural: "others" }))).toThrow("no other version");
  expect(() => defineResource({ ...options, group: "" })).toThrow("needs a group");
});

test("JSON Schema from a generator becomes structural and keeps its type", () => {
  const generated = {
    $schema: "https://json-schema.org/draft/2020-12/schema",
    type: "object",
    properties: {
      spec: {
        type: "object",
        properties: {
          size: { type: "integer", exclusiveMinimum: 0, maximum: Number.MAX_SAFE_INTEGER },
          color: { anyOf: [{ type: "string" }, { type: "null" }] },
          shade: { type: ["string", "null"] },
          port: { type: ["string", "integer"] },
          fixed: { type: "string", const: "x" },
          anything: {},
        },
        required: ["size"],
        additionalProperties: false,
      },
    },
    required: ["spec"],
    additionalProperties: false,
  };
  const schema = schemaFrom<{ spec: { size: number; color?: string | null } }>(generated);
  expect(schema).toEqual({
    type: "object",
    properties: {
      spec: {
        type: "object",
        properties: {
          size: { type: "integer", minimum: 0, exclusiveMinimum: true },
          color: { type: "string", nullable: true },
          shade: { type: "string", nullable: true },
          port: { "x-kubernetes-int-or-string": true },
          fixed: { type: "string", enum: ["x"] },
          anything: { "x-kubernetes-preserve-unknown-fields": true },
        },
        required: ["size"],
      },
    },
    required: ["spec"],
  });
  const Sized = defineResource({
    group: "z.example",
    version: "v1",
    kind: "Sized",
    plural: "sizeds",
    scope: "Cluster",
    schema,
  });
  expectTypeOf<ObjectOf<typeof Sized>["spec"]["size"]>().toEqualTypeOf<number>();
  expectTypeOf<ObjectOf<typeof Sized>["spec"]>().toEqualTypeOf<{
    readonly size: number;
    readonly color?: string | null;
  }>();
  expect(() => structuralSchema({ type: "object", properties: { a: { anyOf: [{}, {}, {}] } } })).toThrow("anyOf at .a");
});

test.each([
  ["prefixItems", { type: "array", prefixItems: [{ type: "string" }] }],
  ["items", { type: "array", items: [{ type: "string" }] }],
  ["items", { type: "array", prefixItems: undefined, items: false }],
  ["not", { not: {} }],
  ["oneOf", { oneOf: [{ type: "string" }, { type: "number" }] }],
  ["allOf", { allOf: [{ type: "object" }] }],
  ["uniqueItems", { type: "array", uniqueItems: true }],
  ["patternProperties", { type: "object", patternProperties: { a: {} } }],
  ["propertyNames", { type: "object", propertyNames: { enum: ["a"] }, additionalProperties: { type: "string" } }],
  [
    "additionalProperties beside properties",
    { type: "object", properties: {}, additionalProperties: { type: "string" } },
  ],
  ["if", { if: {}, then: {} }],
  ["type null", { type: "null" }],
])("a schema that says %s, which no definition can hold, is refused with its path", (what, part) => {
  const schema = { type: "object", properties: { spec: { type: "object", properties: { part } } } };
  expect(() => structuralSchema(JSON.parse(JSON.stringify(schema)) as object)).toThrow(
    `a structural schema cannot say ${what} at .spec.part: write this part by hand`,
  );
});

test("open objects keep what they do not know, and words that forbid nothing are left out", () => {
  const loose = { type: "object", properties: { a: { type: "string", readOnly: true } }, additionalProperties: {} };
  expect(structuralSchema(loose)).toEqual({
    type: "object",
    properties: { a: { type: "string" } },
    "x-kubernetes-preserve-unknown-fields": true,
  });
  const record = { type: "object", propertyNames: { type: "string" }, additionalProperties: { type: "string" } };
  expect(structuralSchema(record)).toEqual({ type: "object", additionalProperties: { type: "string" } });
});

test("objects are readonly all the way down, wherever their type comes from", () => {
  interface Mutable extends KubeObject {
    spec: { tags: string[]; nested: { deep: { value: number }[]; kind: "a" | (string & {}) } };
  }
  const names = { group: "m.example", version: "v1", kind: "Mutable", plural: "mutables", scope: "Cluster" } as const;
  const byHand = defineResource<Mutable>(names);
  const withSchema = defineResource<Mutable>({ ...names, schema: { type: "object" } });
  const fromElsewhere = defineResource({
    ...names,
    schema: schemaFrom<Pick<Mutable, "spec">>({ type: "object" }),
  });
  interface Readonly {
    readonly tags: readonly string[];
    readonly nested: { readonly deep: readonly { readonly value: number }[]; readonly kind: "a" | (string & {}) };
  }
  expectTypeOf<ObjectOf<typeof byHand>["spec"]>().toEqualTypeOf<Readonly>();
  expectTypeOf<ObjectOf<typeof withSchema>["spec"]>().toEqualTypeOf<Readonly>();
  expectTypeOf<ObjectOf<typeof fromElsewhere>["spec"]>().toEqualTypeOf<Readonly>();
});

describe.skipIf(!hasRealCluster())("against a real kube-apiserver (skipped without KUBEBUILDER_ASSETS)", () => {
  test("the definition is accepted and its schema is in force", async () => {
    const headers = { "content-type": "application/json" };
    const path = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
    const created = await askReal({ method: "POST", path, headers, body: JSON.stringify(crdOf(Network)) });
    expect(created.status, created.bytes.toString()).toBe(201);
    const networks = "/apis/schema.example/v1/namespaces/default/networks";
    await expect.poll(async () => (await askReal({ path: networks })).status, { timeout: 60_000 }).toBe(200);
    const make = (spec: object) =>
      askReal({
        method: "POST",
        path: `${networks}?dryRun=All`,
        headers,
        body: JSON.stringify({ apiVersion: "schema.example/v1", kind: "Network", metadata: { name: "n" }, spec }),
      });
    const good = await make({ cidr: "10.0.0.0/8" });
    expect([good.status, JSON.parse(good.bytes.toString())]).toMatchObject([201, { spec: { replicas: 1 } }]);
    expect((await make({ cidr: "10.0.0.0/8", mode: "none" })).status).toBe(422);
    expect((await make({ cidr: "10.0.0.0/8", replicas: 100 })).bytes.toString()).toContain("too many");
  });
});

describe("slips that a program without types makes", () => {
  const with_ = (schema: unknown, rest: object = {}) =>
    defineResource({
      group: "g.example",
      version: "v1",
      kind: "Foo",
      plural: "foos",
      scope: "Namespaced",
      schema,
      ...rest,
    } as never);
  const spec = (inner: object) => ({ type: "object", properties: { spec: { type: "object", ...inner } } });

  test.each([
    [
      spec({ properties: { a: { type: "string", minLenght: 3 } } }),
      "schema.properties.spec.properties.a.minLenght is no word",
    ],
    [spec({ required: ["spce"], properties: { a: {} } }), 'schema.properties.spec.required names "spce"'],
    [
      spec({ properties: { a: { items: { typ: "string" } } } }),
      "schema.properties.spec.properties.a.items.typ is no word",
    ],
    [spec({ anyOf: [{ requierd: ["a"] }] }), "schema.properties.spec.anyOf[0].requierd is no word"],
  ])("a slip in a schema is named with its path", (schema, message) => {
    expect(() => with_(schema)).toThrow(message);
  });

  test("what a schema may say is not taken for a slip", () => {
    const said = spec({
      properties: { a: { "x-kubernetes-int-or-string": true }, b: { enum: ["x"] } },
      anyOf: [{ required: ["a"] }, { required: ["b"] }],
      required: ["a"],
    });
    expect(() => with_({ ...said, required: ["metadata", "spec"] })).not.toThrow();
    expect(() => with_(spec({ required: ["any"], properties: {}, additionalProperties: true }))).not.toThrow();
  });

  test("a name that is missing is named", () => {
    expect(() => with_(spec({}), { plural: undefined })).toThrow("defineResource Foo: plural must be a text");
  });
});
