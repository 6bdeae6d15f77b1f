import { describe, expect, test } from "vitest";
import { askReal, realAnswer } from "../../../test/real-answer.js";
import { hasRealCluster } from "../../testing/shared-envtest.js";
import { builtInGroups } from "../discovery/index.js";
import { inOneGo } from "../../base/index.js";
import * as openapi from "./index.js";
import { type OpenApiVersion, openApiV3Path } from "./index.js";

const openApiV2 = (all: readonly OpenApiVersion[]): openapi.OpenApiV2 => inOneGo(openapi.openApiV2(all));
const openApiV3 = (one: OpenApiVersion): object => inOneGo(openapi.openApiV3(one));

interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, unknown>> };
}

/** The document without descriptions, and without extensions that describe unions. */
function facts(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(facts);
  if (typeof value !== "object" || value === null) return value;
  const kept = Object.entries(value).filter(
    ([key, inner]) => !(key === "description" && typeof inner === "string") && key !== "x-kubernetes-unions",
  );
  const [first] = kept;
  // a reference with a description beside it is wrapped, one without is not
  if (kept.length === 1 && first?.[0] === "allOf") return facts((first[1] as unknown[])[0]);
  return Object.fromEntries(kept.map(([key, inner]) => [key, facts(inner)]));
}

const versions = builtInGroups().flatMap(({ group, versions: served }) => served.map((entry) => ({ group, ...entry })));

const fooSchema = {
  type: "object",
  properties: {
    spec: {
      type: "object",
      required: ["name"],
      properties: {
        any: { type: "object", "x-kubernetes-preserve-unknown-fields": true },
        name: { type: "string", minLength: 1 },
        none: { type: "string", nullable: true },
        port: { anyOf: [{ type: "integer" }, { type: "string" }], "x-kubernetes-int-or-string": true },
        replicas: { type: "integer", default: 1 },
      },
    },
  },
};

const foo = {
  group: "example.com",
  version: "v1",
  kind: "Foo",
  plural: "foos",
  singular: "foo",
  listKind: "FooList",
  scope: "Namespaced",
  shortNames: [],
  categories: [],
  verbs: ["create", "get", "list", "patch", "update", "watch"],
  subresources: [],
} as const;

const custom = { group: "example.com", version: "v1", resources: [foo], custom: new Map([["Foo", fooSchema]]) };

test("a custom kind is published with metadata, a list and its patches", () => {
  const document = openApiV3(custom) as Document;
  expect(document.components.schemas["com.example.v1.Foo"]).toMatchObject({
    type: "object",
    properties: {
      spec: fooSchema.properties.spec,
      metadata: { allOf: [{ $ref: "#/components/schemas/io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta" }] },
    },
    "x-kubernetes-group-version-kind": [{ group: "example.com", kind: "Foo", version: "v1" }],
  });
  const patch = document.paths["/apis/example.com/v1/namespaces/{namespace}/foos/{name}"]?.["patch"];
  expect(patch).toMatchObject({
    "x-kubernetes-group-version-kind": { group: "example.com", version: "v1", kind: "Foo" },
    requestBody: { content: { "application/merge-patch+json": {} } },
  });
  expect(JSON.stringify(patch)).not.toContain("strategic");
  expect(JSON.stringify(patch)).toContain('"name":"fieldValidation"');
});

test("what OpenAPI 2 cannot say is left out of it", () => {
  const { definitions } = openApiV2([custom]);
  expect(definitions["com.example.v1.Foo"]).toMatchObject({
    properties: {
      spec: {
        properties: {
          any: { "x-kubernetes-preserve-unknown-fields": true },
          name: { type: "string", minLength: 1 },
          none: {},
          port: { "x-kubernetes-int-or-string": true },
          replicas: { type: "integer" },
        },
      },
    },
  });
  const open = openApiV2([{ ...custom, custom: new Map() }]);
  expect(open.definitions["com.example.v1.Foo"]).toEqual({
    type: "object",
    "x-kubernetes-group-version-kind": [{ group: "example.com", kind: "Foo", version: "v1" }],
  });
});

test("every reference in every document leads somewhere", () => {
  for (const version of versions) {
    const document = openApiV3(version) as Document;
    const targets = [...JSON.stringify(document).matchAll(/"#\/components\/schemas\/([^"]+)"/g)].map(
      ([, name]) => name,
    );
    expect(targets.filter((name) => document.components.schemas[name as string] === undefined)).toEqual([]);
  }
});

test("the protobuf form starts as a document of version 2.0 and holds every definition", () => {
  const document = openApiV2(versions);
  const bytes = Buffer.from(inOneGo(openapi.encodeOpenApiV2(document)));
  expect(bytes.subarray(0, 5)).toEqual(Buffer.from([0x0a, 3, ...Buffer.from("2.0")]));
  expect(Object.keys(document.definitions).filter((name) => !bytes.includes(name))).toEqual([]);
});

describe.skipIf(!hasRealCluster())("against a real kube-apiserver (skipped without KUBEBUILDER_ASSETS)", () => {
  test.each(versions)("the schemas of $group/$version are the same", async ({ group, version, resources }) => {
    const real = facts(await realAnswer(`/openapi/v3/${openApiV3Path(group, version)}`)) as Document;
    const ours = facts(JSON.parse(JSON.stringify(openApiV3({ group, version, resources })))) as Document;
    expect(ours.components.schemas).toEqual(real.components.schemas);
  });

  test("the definitions of version 2 are the same", async () => {
    const real = facts(await realAnswer("/openapi/v2")) as { definitions: Record<string, unknown> };
    const ours = facts(JSON.parse(JSON.stringify(openApiV2(versions)))) as { definitions: Record<string, unknown> };
    const builtIn = Object.entries(real.definitions).filter(
      // without the definitions that other tests add to the same server
      ([name]) =>
        /^io\.k8s\.(?:api|apimachinery|apiextensions-apiserver|kube-aggregator)\./.test(name) &&
        !/discovery|\.version\./.test(name),
    );
    const missing = builtIn.filter(([name]) => ours.definitions[name] === undefined).map(([name]) => name);
    // documents about the server itself
    expect(
      missing.filter(
        (name) =>
          !/\.(APIGroup|APIGroupList|APIVersions|ServerAddressByClientCIDR|GroupVersionForDiscovery|Info)$/.test(name),
      ),
    ).toEqual([]);
    for (const [name, schema] of builtIn) {
      if (missing.includes(name) || /\.(DeleteOptions|WatchEvent)$/.test(name)) continue;
      expect([name, ours.definitions[name]]).toEqual([name, schema]);
    }
  });

  const rich = {
    type: "object",
    description: "A foo.",
    required: ["spec"],
    properties: {
      metadata: { type: "object", properties: { name: { type: "string", maxLength: 20 } } },
      spec: {
        type: "object",
        description: "What is wanted of a foo.",
        required: ["name"],
        properties: {
          any: { type: "object", "x-kubernetes-preserve-unknown-fields": true, properties: { a: { type: "string" } } },
          list: {
            type: "array",
            items: { type: "object", required: ["k"], properties: { k: { type: "string" } } },
            "x-kubernetes-list-type": "map",
            "x-kubernetes-list-map-keys": ["k"],
          },
          map: { type: "object", additionalProperties: { type: "integer", format: "int64" } },
          name: { type: "string", minLength: 1, pattern: "^a" },
          none: { type: "string", nullable: true },
          noneObject: { type: "object", nullable: true, properties: { a: { type: "string" } } },
          port: { anyOf: [{ type: "integer" }, { type: "string" }], "x-kubernetes-int-or-string": true },
          one: { type: "object", properties: { a: { type: "string" } }, oneOf: [{ required: ["a"] }] },
          replicas: { type: "integer", default: 1, minimum: 0, enum: [0, 1, 2] },
          embedded: {
            type: "object",
            "x-kubernetes-embedded-resource": true,
            "x-kubernetes-preserve-unknown-fields": true,
          },
        },
        "x-kubernetes-validations": [{ rule: "true", message: "never" }],
      },
      status: {
        type: "object",
        "x-kubernetes-map-type": "atomic",
        properties: { n: { type: "number", exclusiveMinimum: true, minimum: 0 } },
      },
    },
  };

  test("custom kinds are published in the same way", async () => {
    const group = "publish.example";
    const headers = { "content-type": "application/json" };
    const version = (name: string, schema: object, storage: boolean) => ({
      name,
      served: true,
      storage,
      schema: { openAPIV3Schema: schema },
      subresources: { status: {} },
    });
    const open = { type: "object", "x-kubernetes-preserve-unknown-fields": true };
    const names = { plural: "foos", kind: "Foo", singular: "foo", listKind: "FooList" };
    const created = await askReal({
      method: "POST",
      path: "/apis/apiextensions.k8s.io/v1/customresourcedefinitions",
      headers,
      body: JSON.stringify({
        metadata: { name: `foos.${group}` },
        spec: { group, scope: "Namespaced", names, versions: [version("v1", rich, true), version("v2", open, false)] },
      }),
    });
    expect(created.status, created.bytes.toString()).toBe(201);
    for (const [name, schema] of [
      ["v1", rich],
      ["v2", open],
    ] as const) {
      const status = { name: "status", kind: { group, version: name, kind: "Foo" }, verbs: ["get", "patch", "update"] };
      const resources = [{ ...foo, group, version: name, subresources: [status] }];
      const ours = { group, version: name, resources, custom: new Map([["Foo", schema]]) };
      const path = `/openapi/v3/apis/${group}/${name}`;
      await expect.poll(async () => (await askReal({ path })).status, { timeout: 60_000 }).toBe(200);
      const real = (await realAnswer(path)) as Document;
      const own = (document: Document) => facts(document.components.schemas[`example.publish.${name}.Foo`]);
      expect(own(JSON.parse(JSON.stringify(openApiV3(ours))) as Document)).toEqual(own(real));
      expect(Object.keys(openApiV3(ours) as Document)).toEqual(Object.keys(real));
      const definition = `example.publish.${name}.Foo`;
      const old = async () =>
        ((await realAnswer("/openapi/v2")) as { definitions: Record<string, unknown> }).definitions;
      await expect.poll(async () => (await old())[definition] !== undefined, { timeout: 60_000 }).toBe(true);
      const { definitions } = JSON.parse(JSON.stringify(openApiV2([ours]))) as { definitions: Record<string, unknown> };
      expect(facts(definitions[definition])).toEqual(facts((await old())[definition]));
    }
  });
});
