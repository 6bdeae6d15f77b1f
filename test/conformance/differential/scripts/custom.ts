/** Scripts about custom kinds: their definition, schema, endpoints and deletion. */
import { inNamespace, object, type Script, table } from "../script.js";

const schema = {
  type: "object",
  "x-kubernetes-validations": [
    { rule: "!has(self.spec) || self.spec.min <= self.spec.max", message: "min must not exceed max" },
  ],
  properties: {
    spec: {
      type: "object",
      required: ["size"],
      properties: {
        size: { type: "integer", minimum: 1, maximum: 10, default: 3 },
        min: { type: "integer", default: 0 },
        max: { type: "integer", default: 5 },
        mode: { type: "string", enum: ["a", "b"], default: "a" },
        name: { type: "string", maxLength: 5, minLength: 2, pattern: "^[a-z]+$" },
        tags: { type: "array", maxItems: 2, "x-kubernetes-list-type": "set", items: { type: "string" } },
        when: { type: "string", format: "date-time" },
        any: { type: "object", "x-kubernetes-preserve-unknown-fields": true },
        ios: { "x-kubernetes-int-or-string": true },
        labels: { type: "object", additionalProperties: { type: "string" } },
        immutable: {
          type: "string",
          "x-kubernetes-validations": [{ rule: "self == oldSelf", message: "is immutable" }],
        },
        found: {
          type: "string",
          maxLength: 20,
          "x-kubernetes-validations": [
            { rule: "self.find('a|ab') != 'a'" },
            { rule: "self.findAll('b*').size() < 4" },
            { rule: "self.findAll('(|a)+', 2).size() == 2" },
            { rule: "self.find('(?i)X+?y') != 'xxy'" },
            { rule: "self.findAll('[[:alpha:]_]+').all(word, word.matches('^a|x|b'))" },
          ],
        },
        matched: { type: "string", pattern: "^[[:alpha:]_]+\\s?\\p{Greek}*$" },
        one: {
          type: "object",
          properties: { x: { type: "string" }, y: { type: "string" } },
          oneOf: [{ required: ["x"] }, { required: ["y"] }],
        },
        place: {
          type: "object",
          properties: {
            type: { type: "string" },
            value: { type: "string" },
            port: { type: "integer" },
            names: { type: "array", items: { type: "string" } },
          },
          oneOf: [
            {
              properties: {
                type: { enum: ["IPAddress"] },
                value: { anyOf: [{ format: "ipv4" }, { format: "ipv6" }] },
                names: { maxItems: 1, items: { minLength: 2 } },
              },
            },
            { properties: { type: { not: { enum: ["IPAddress"] } }, port: { minimum: 5, maximum: 9 } } },
            { required: ["port", "names"], properties: { port: { multipleOf: 7 } } },
          ],
        },
      },
    },
    status: { type: "object", properties: { ready: { type: "integer" } } },
  },
};

const version = {
  name: "v1",
  served: true,
  storage: true,
  schema: { openAPIV3Schema: schema },
  additionalPrinterColumns: [{ name: "Size", type: "integer", jsonPath: ".spec.size" }],
  selectableFields: [{ jsonPath: ".spec.mode" }],
  subresources: { status: {}, scale: { specReplicasPath: ".spec.replicas", statusReplicasPath: ".status.ready" } },
};

const definition = (spec: object): object =>
  object("apiextensions.k8s.io/v1", "CustomResourceDefinition", "widgets.diff.example.com", {
    spec: {
      group: "diff.example.com",
      scope: "Namespaced",
      names: { plural: "widgets", kind: "Widget", shortNames: ["wd"] },
      versions: [version],
      ...spec,
    },
  });

const widget = (name: string, spec: object): object => object("diff.example.com/v1", "Widget", name, { spec });

/** Refused definitions, then one that is accepted. */
export function definitions(): Script {
  const { script: s } = inNamespace("diff-definitions");
  const path = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
  s.post(path, definition({ group: "other.example.com" }))
    .post(path, definition({ group: "nodots" }))
    .post(path, definition({ scope: "Nonsense" }));
  s.post(path, definition({ versions: [] })).post(path, definition({ versions: [{ ...version, storage: false }] }));
  s.post(path, definition({ versions: [{ ...version, schema: {} }] })).post(
    path,
    definition({ names: { plural: "widgets", kind: "" } }),
  );
  const withSchema = (openAPIV3Schema: object): object =>
    definition({ versions: [{ name: "v1", served: true, storage: true, schema: { openAPIV3Schema } }] });
  s.post(path, withSchema({ properties: {} }))
    .post(path, withSchema({ type: "array" }))
    .post(path, withSchema({ type: "object", properties: { spec: {} } }));
  s.post(path, withSchema({ type: "object", properties: { a: { type: "array" } } }));
  s.post(path, withSchema({ type: "object", additionalProperties: { type: "string" } }));
  s.post(
    path,
    withSchema({
      type: "object",
      properties: { metadata: { type: "object", properties: { labels: { type: "object" } } } },
    }),
  );
  for (const pattern of [
    "(?=a)",
    "\\1",
    "a{2000}",
    "(a{9}){999}",
    "[z-a]",
    "a**",
    "x|*",
    "\\p{Nope}",
    "(?<n!>a)",
    "a\\",
  ]) {
    s.post(path, withSchema({ type: "object", properties: { a: { type: "string", pattern } } }));
  }
  s.post(path, withSchema({ type: "object", properties: { a: { type: "string", anyOf: [{ type: "string" }] } } }));
  return s;
}

/** Run when the definition is served: see the test. */
export const acceptedDefinition: object = definition({});

/** Replicas that no Scale can have, and forms of one. */
function scaled(s: Script, path: string): void {
  const one = `${path}/w25`;
  for (const [i, replicas] of [-1, 2147483648].entries()) {
    s.post(path, widget(`r${i}`, { replicas }))
      .merge(one, { spec: { replicas } })
      .merge(`${one}/status`, { status: { ready: replicas } })
      .merge(`${one}/scale`, { spec: { replicas } });
  }
  s.strategic(`${one}/scale`, { spec: { replicas: 1 } }).delete(`${one}/scale`);
  for (const accept of [table, "application/yaml", "application/vnd.kubernetes.protobuf", "text/html"])
    s.get(`${one}/scale`, { accept });
  const meta = "as=PartialObjectMetadataList;v=v1;g=meta.k8s.io";
  s.get(path, { accept: `application/vnd.kubernetes.protobuf;${meta}` });
}

export function custom(): Script {
  const { script: s, group } = inNamespace("diff-custom");
  const path = `${group("diff.example.com/v1")}/widgets`;
  for (const [i, spec] of [
    { size: 99 },
    { size: 0 },
    { size: "a" },
    { size: 1.5 },
    { size: 1, name: "ABCDEFGH" },
    { size: 1, name: "a" },
    { size: 1, name: "A1" },
    { size: 1, mode: "c" },
    { size: 1, min: 7 },
    { size: 1, tags: ["a", "b", "c"] },
    { size: 1, tags: ["a", "a"] },
    { size: 1, when: "yesterday" },
    { size: 1, ios: true },
    { size: 1, labels: { a: 1 } },
    { size: 1, unknown: 1 },
    { size: 1, found: "abba xxy" },
    { size: 1, found: "xbbXxY" },
    { size: 1, matched: "a_b" },
    { size: 1, matched: "a\u00a0" },
    { size: 1, matched: "a αβ" },
    { size: 1, matched: "é" },
    { size: null },
    [],
    { one: {} },
    { one: { x: "1", y: "2" } },
    { any: { q: { r: [1] } }, immutable: "a", one: { x: "1" } },
    {},
    { place: { type: "IPAddress", value: "1.2.3.4:80" } },
    { place: { type: "IPAddress", value: "1.2.3.4" } },
    { place: { type: "IPAddress", value: "::1", port: 7, names: ["a"] } },
    { place: { type: "IPAddress", value: "x", port: 6, names: ["aa"] } },
    { place: { type: "other", port: 14 } },
    { place: { type: "other", port: 14, names: [] } },
    { place: { port: 3, names: ["a", "b", "c"] } },
    { place: { type: "IPAddress", value: null, port: null } },
    { place: {} },
  ].entries()) {
    s.post(path, widget(`w${i}`, spec)).get(`${path}/w${i}`);
  }
  s.post(path, widget("x", { size: 1, tags: ["a", "a", "a", "b", "b"] }));
  s.apply(`${path}/none/status?fieldManager=m`, { ...widget("none", {}), kind: "Other" });
  s.post(`${path}?fieldValidation=Strict`, widget("strict", { unknown: 1 })).post(path, {
    ...widget("x", {}),
    apiVersion: "diff.example.com/v2",
  });
  s.merge(`${path}/w25`, { spec: { immutable: "b" } })
    .merge(`${path}/w25`, { spec: { size: 4 } })
    .merge(`${path}/w25`, { status: { ready: 2 } });
  s.merge(`${path}/w25/status`, { status: { ready: 2 }, spec: { size: 9 } }).merge(`${path}/w25/status`, {
    status: { ready: "x" },
  });
  s.get(`${path}/w25`, { accept: table })
    .get(path, { accept: table })
    .get(`${path}?fieldSelector=spec.mode%3Da`, { accept: table });
  s.get(`${path}?fieldSelector=spec.size%3D1`)
    .strategic(`${path}/w25`, {})
    .put(`${path}/w25`, widget("w25", { size: 2 }));
  scaled(s, path);
  s.get(`${path}/w25/scale`)
    .merge(`${path}/w25/scale`, { spec: { replicas: 2 } })
    .get(`${path}/w25/nonsense`)
    .get(path, { accept: "application/vnd.kubernetes.protobuf" });
  s.apply(`${path}/applied?fieldManager=m`, widget("applied", { size: 2, tags: ["a"] })).apply(
    `${path}/applied?fieldManager=n`,
    widget("applied", { size: 3, tags: ["b"] }),
  );
  s.apply(`${path}/applied?fieldManager=m`, widget("applied", { size: 2 }))
    .delete(`${path}/applied`)
    .delete(path)
    .get(path);
  s.get("/apis/diff.example.com")
    .get("/apis/diff.example.com/v1")
    .get("/apis/diff.example.com/v2")
    .get("/apis/diff.example.com/v1/widgets");
  return s;
}
