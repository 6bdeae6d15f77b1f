/** Definitions of custom kinds, valid and not: names, versions, columns, schemas, rules. */
import type { Cases, Change } from "../differential.js";

const schemaPath = "spec.versions[0].schema.openAPIV3Schema";
const properties = `${schemaPath}.properties`;
const text = { type: "string" };

/** One property `a` of the given schema. */
const property = (schema: object): Change => ({ [`${properties}.a`]: schema });
const root = (schema: object): Change => ({ [schemaPath]: schema });
const rule = (
  validation: object,
  schema: object = { type: "object", properties: { b: { type: "integer" } } },
): Change => property({ ...schema, "x-kubernetes-validations": [validation] });
const second = (change: object): Change => ({
  "spec.versions[1]": {
    name: "v2",
    served: true,
    storage: false,
    schema: { openAPIV3Schema: { type: "object" } },
    ...change,
  },
});

const names: Readonly<Record<string, Change>> = {
  "no group": { "spec.group": "" },
  "a group without a dot": { "spec.group": "nodots" },
  "a bad group": { "spec.group": "a_b.example.com" },
  "another group": { "spec.group": "other.example.com" },
  "a protected group": { "spec.group": "x.k8s.io", "metadata.name": "tests.x.k8s.io" },
  "an approved group": {
    "spec.group": "x.k8s.io",
    "metadata.name": "tests.x.k8s.io",
    "metadata.annotations": { "api-approved.kubernetes.io": "https://github.com/kubernetes/kubernetes/pull/1" },
  },
  "an unapproved group": {
    "spec.group": "x.k8s.io",
    "metadata.name": "tests.x.k8s.io",
    "metadata.annotations": { "api-approved.kubernetes.io": "unapproved, testing" },
  },
  "a badly approved group": {
    "spec.group": "x.k8s.io",
    "metadata.name": "tests.x.k8s.io",
    "metadata.annotations": { "api-approved.kubernetes.io": "nonsense" },
  },
  "no scope": { "spec.scope": "" },
  "a bad scope": { "spec.scope": "Somewhere" },
  "bad names": {
    "spec.names": {
      plural: "tests",
      singular: "Te_st",
      kind: "Te st",
      listKind: "1List",
      shortNames: ["A", "b c"],
      categories: ["All", ""],
    },
  },
  "a bad plural": { "spec.names.plural": "Tests", "metadata.name": "Tests.cases.example.com" },
  "kind as listKind": { "spec.names.listKind": "Test" },
  "unknown fields preserved": { "spec.preserveUnknownFields": true },
};

const versions: Readonly<Record<string, Change>> = {
  none: { "spec.versions": [] },
  "two of a name": second({ name: "v1" }),
  "two stored": second({ storage: true }),
  "none stored": { "spec.versions[0].storage": false },
  "a bad name": { "spec.versions[0].name": "V_1" },
  "without a schema": { "spec.versions[0].schema": undefined },
  "a warning without deprecation": { "spec.versions[0].deprecationWarning": "old" },
  "an empty warning": { "spec.versions[0].deprecated": true, "spec.versions[0].deprecationWarning": "" },
  "a long warning": { "spec.versions[0].deprecated": true, "spec.versions[0].deprecationWarning": "a".repeat(257) },
  "a broken warning": { "spec.versions[0].deprecated": true, "spec.versions[0].deprecationWarning": "a\nb" },
  "a good warning": { "spec.versions[0].deprecated": true, "spec.versions[0].deprecationWarning": "old" },
  "two that differ": second({}),
  "two with wrong schemas": {
    ...second({ schema: { openAPIV3Schema: { type: "object", properties: { b: {} } } } }),
    ...property({ type: "objekt" }),
  },
};

const parts: Readonly<Record<string, Change>> = {
  "good columns": {
    "spec.versions[0].additionalPrinterColumns": [
      { name: "A", type: "string", jsonPath: ".a" },
      { name: "B", type: "date", jsonPath: ".metadata.creationTimestamp", format: "date" },
      { name: "C", type: "string", jsonPath: '.status.conditions[?(@.type=="Ready")].status', priority: 1 },
    ],
  },
  "bad columns": {
    "spec.versions[0].additionalPrinterColumns": [
      { name: "", type: "", jsonPath: "" },
      { name: "A", type: "odd", jsonPath: "a" },
      { name: "B", type: "string", jsonPath: ".a", format: "odd" },
      { name: "C", type: "string", jsonPath: ".a[" },
      { name: "D", type: "string", jsonPath: "{.a}" },
    ],
  },
  "good subresources": {
    "spec.versions[0].subresources": {
      status: {},
      scale: { specReplicasPath: ".spec.n", statusReplicasPath: ".status.n", labelSelectorPath: ".status.s" },
    },
  },
  "no scale paths": { "spec.versions[0].subresources": { scale: { specReplicasPath: "", statusReplicasPath: "" } } },
  "bad scale paths": {
    "spec.versions[0].subresources": {
      scale: { specReplicasPath: ".status.n", statusReplicasPath: ".spec.n", labelSelectorPath: ".metadata.s" },
    },
  },
  "odd scale paths": {
    "spec.versions[0].subresources": {
      scale: { specReplicasPath: "spec.n", statusReplicasPath: ".status.n[0]", labelSelectorPath: "{.status.s}" },
    },
  },
  "a status with a wide root": {
    "spec.versions[0].subresources": { status: {} },
    ...root({ type: "object", properties: { a: text }, required: ["a"], minProperties: 1, title: "t" }),
  },
  "a status with too wide a root": {
    "spec.versions[0].subresources": { status: {} },
    ...root({ type: "object", oneOf: [{ required: ["a"] }], properties: { a: text } }),
  },
  "selectable fields": {
    "spec.versions[0].selectableFields": [{ jsonPath: ".a" }, { jsonPath: ".b.c" }],
    [`${properties}.b`]: { type: "object", properties: { c: { type: "integer" } } },
  },
  "bad selectable fields": {
    "spec.versions[0].selectableFields": [
      { jsonPath: "" },
      { jsonPath: "a" },
      { jsonPath: ".missing" },
      { jsonPath: ".metadata.name" },
      { jsonPath: ".b" },
      { jsonPath: ".a" },
      { jsonPath: ".a" },
      { jsonPath: ".list[0]" },
    ],
    [`${properties}.b`]: { type: "object", properties: { c: text } },
    [`${properties}.list`]: { type: "array", items: text },
  },
  "a webhook that lacks its parts": { "spec.conversion": { strategy: "Webhook" } },
  "a webhook without an address": {
    "spec.conversion": { strategy: "Webhook", webhook: { clientConfig: {}, conversionReviewVersions: [] } },
  },
  "a webhook with bad addresses": {
    "spec.conversion": {
      strategy: "Webhook",
      webhook: { clientConfig: { url: "http://user@a/?b#c" }, conversionReviewVersions: ["v9", "v9", "V"] },
    },
  },
  "a good webhook": {
    "spec.conversion": {
      strategy: "Webhook",
      webhook: { clientConfig: { url: "https://localhost/c" }, conversionReviewVersions: ["v1"] },
    },
  },
  "a webhook for nothing": {
    "spec.conversion": { strategy: "None", webhook: { clientConfig: {}, conversionReviewVersions: ["v1"] } },
  },
  "an odd conversion": { "spec.conversion": { strategy: "Odd" } },
  "no conversion strategy": { "spec.conversion": { strategy: "" } },
};

const schemas: Readonly<Record<string, Change>> = {
  "an empty schema": root({}),
  "a root of another type": root({ type: "array", items: text }),
  "an unknown type": root({ type: "objekt" }),
  "a nullable root": root({ type: "object", nullable: true }),
  "a preserving root": root({ type: "object", "x-kubernetes-preserve-unknown-fields": true }),
  "an unknown type within": property({ type: "objekt" }),
  "type null": property({ type: "null" }),
  "no type": property({}),
  "not preserving": property({ type: "object", "x-kubernetes-preserve-unknown-fields": false }),
  "preserving without a type": property({ "x-kubernetes-preserve-unknown-fields": true }),
  "a list without items": property({ type: "array" }),
  "items without a type": property({ type: "array", items: {} }),
  "unique items": property({ type: "array", uniqueItems: true, items: text }),
  "members of both sorts": property({ type: "object", properties: { b: text }, additionalProperties: text }),
  "any members besides": property({ type: "object", properties: { b: text }, additionalProperties: true }),
  "no members besides": property({ type: "object", properties: { b: text }, additionalProperties: false }),
  "members at the root": root({ type: "object", additionalProperties: text }),
  "a bad pattern": property({ type: "string", pattern: "(" }),
  "an unknown format": property({ type: "string", format: "bogus" }),
  "negative lengths": property({ type: "string", minLength: -1, maxLength: -2 }),
  "id and reference": property({ type: "object", id: "x", $ref: "#/y" }),
  "parts that are not supported": property({
    type: "object",
    definitions: { d: text },
    dependencies: { d: ["a"] },
    patternProperties: { "^a": text },
  }),
  "a list of schemas": property({ type: "array", items: [text] }),
  "branches with structure": property({
    type: "object",
    properties: { b: text },
    anyOf: [{ type: "object", description: "d", properties: { b: { type: "string", default: "x" } } }],
  }),
  "branches that are incomplete": property({ type: "object", oneOf: [{ properties: { c: { minLength: 1 } } }] }),
  "a branch against": property({ type: "string", not: { type: "string", nullable: true } }),
  "int or string": property({ "x-kubernetes-int-or-string": true }),
  "int or string with a type": property({ "x-kubernetes-int-or-string": true, type: "string" }),
  "int or string as branches": property({
    "x-kubernetes-int-or-string": true,
    anyOf: [{ type: "integer" }, { type: "string" }],
  }),
  "int or string, and preserved": property({
    "x-kubernetes-int-or-string": true,
    "x-kubernetes-preserve-unknown-fields": true,
    "x-kubernetes-embedded-resource": true,
  }),
  "an embedded object": property({
    type: "object",
    "x-kubernetes-embedded-resource": true,
    "x-kubernetes-preserve-unknown-fields": true,
  }),
  "an embedded object without a type": property({ "x-kubernetes-embedded-resource": true }),
  "an embedded object without members": property({ type: "object", "x-kubernetes-embedded-resource": true }),
  "an embedded object with metadata": property({
    type: "object",
    "x-kubernetes-embedded-resource": true,
    properties: { kind: { type: "integer" }, apiVersion: text, metadata: { type: "string" }, spec: { type: "object" } },
  }),
  "metadata with more than the name": {
    [`${properties}.metadata`]: { type: "object", properties: { name: text, labels: { type: "object" } } },
  },
  "metadata of another type": {
    [`${properties}.metadata`]: { type: "string" },
    [`${properties}.kind`]: { type: "integer" },
  },
  "metadata with a default": {
    [`${properties}.metadata`]: { type: "object", properties: { name: { type: "string", default: "x" } } },
  },
  "kind with a default": { [`${properties}.kind`]: { type: "string", default: "Test" } },
};

const lists: Readonly<Record<string, Change>> = {
  "a set": property({ type: "array", "x-kubernetes-list-type": "set", items: text }),
  "a set of objects": property({ type: "array", "x-kubernetes-list-type": "set", items: { type: "object" } }),
  "a set of atomic objects": property({
    type: "array",
    "x-kubernetes-list-type": "set",
    items: { type: "object", "x-kubernetes-map-type": "atomic" },
  }),
  "a set of sets": property({
    type: "array",
    "x-kubernetes-list-type": "set",
    items: { type: "array", "x-kubernetes-list-type": "set", items: text },
  }),
  "a set of nothing": property({
    type: "array",
    "x-kubernetes-list-type": "set",
    items: { type: "string", nullable: true },
  }),
  "an odd list": property({ type: "array", "x-kubernetes-list-type": "odd", items: text }),
  "a list type on an object": property({ type: "object", "x-kubernetes-list-type": "atomic" }),
  "a list type on nothing": property({
    "x-kubernetes-list-type": "atomic",
    "x-kubernetes-preserve-unknown-fields": true,
  }),
  "a map without keys": property({ type: "array", "x-kubernetes-list-type": "map", items: { type: "object" } }),
  "a map of texts": property({
    type: "array",
    "x-kubernetes-list-type": "map",
    "x-kubernetes-list-map-keys": ["k"],
    items: text,
  }),
  "keys that are missing, double, optional, nullable, objects": property({
    type: "array",
    "x-kubernetes-list-type": "map",
    "x-kubernetes-list-map-keys": ["missing", "k", "k", "n", "o"],
    items: {
      type: "object",
      required: ["n", "o"],
      properties: { k: text, n: { type: "string", nullable: true }, o: { type: "object" } },
    },
  }),
  "a good map": property({
    type: "array",
    "x-kubernetes-list-type": "map",
    "x-kubernetes-list-map-keys": ["k"],
    items: { type: "object", properties: { k: { type: "string", default: "x" } } },
  }),
  "keys without a map": property({ type: "array", "x-kubernetes-list-map-keys": ["k"], items: text }),
  "keys of a set": property({
    type: "array",
    "x-kubernetes-list-type": "set",
    "x-kubernetes-list-map-keys": ["k"],
    items: text,
  }),
  "an odd map type": property({ type: "object", "x-kubernetes-map-type": "odd" }),
  "a map type on a text": property({ type: "string", "x-kubernetes-map-type": "atomic" }),
};

const embedded = { type: "object", "x-kubernetes-embedded-resource": true, properties: { kind: text } };
const identity = { apiVersion: "v1", kind: "A" };
const defaults: Readonly<Record<string, Change>> = {
  "of another type": property({ type: "string", default: 1 }),
  "that is too long": property({ type: "string", maxLength: 1, default: "abc" }),
  "with unknown members": property({ type: "object", properties: { b: text }, default: { b: "x", c: 1 } }),
  "that lacks a member": property({ type: "object", required: ["b"], properties: { b: text }, default: {} }),
  "of an embedded object without a kind": property({ ...embedded, default: { apiVersion: "v1" } }),
  "of an object with odd metadata": property({ ...embedded, default: { ...identity, metadata: { labels: 5 } } }),
  "of an embedded object's kind": property({ ...embedded, properties: { kind: { type: "string", default: "_" } } }),
  "around embedded objects": property({ type: "array", items: embedded, default: [identity, {}] }),
  "of the whole object": { [`${properties.slice(0, properties.lastIndexOf("."))}.default`]: {} },
  "with the members of an object": property({ type: "object", properties: { b: text }, default: { metadata: {} } }),
  "that is null": property({ type: "string", default: null }),
  "that is null and may be": property({ type: "string", nullable: true, default: null }),
  "that is good": property({ type: "object", properties: { b: { type: "integer", default: 3 } }, default: { b: 1 } }),
  "against a rule": property({
    type: "integer",
    default: 1,
    "x-kubernetes-validations": [{ rule: "self > 1", message: "too small" }],
  }),
  "within a list": property({ type: "array", items: { type: "integer", default: "x" } }),
};

const rules: Readonly<Record<string, Change>> = {
  empty: rule({ rule: "  " }),
  "that is no expression": rule({ rule: "self.b >" }),
  "about an unknown field": rule({ rule: "self.c > 1" }),
  "about an unknown name": rule({ rule: "nobody == 1" }),
  "that is no truth": rule({ rule: "self.b" }),
  "that compares two types": rule({ rule: "self.b == 'x'" }),
  "that calls what is not there": rule({ rule: "self.b.nonsense()" }),
  "with a bad reason": rule({ rule: "self.b > 1", reason: "Odd" }),
  "with an empty message": rule({ rule: "self.b > 1", message: " " }),
  "with a message of two lines": rule({ rule: "self.b > 1", message: "a\nb" }),
  "of two lines": rule({ rule: "self.b > 1\n|| true" }),
  "of two lines with a message": rule({ rule: "self.b > 1\n|| true", message: "m" }),
  "with an empty message expression": rule({ rule: "self.b > 1", messageExpression: " " }),
  "with a bad message expression": rule({ rule: "self.b > 1", messageExpression: "self.b" }),
  "with a broken message expression": rule({ rule: "self.b > 1", messageExpression: "'" }),
  "with a good message expression": rule({ rule: "self.b > 1", messageExpression: "'b is too small'" }),
  "with a field": rule({ rule: "self.b > 1", fieldPath: ".b" }),
  "with a missing field": rule({ rule: "self.b > 1", fieldPath: ".c" }),
  "with a broken field": rule({ rule: "self.b > 1", fieldPath: "b\n" }),
  "about the past": rule({ rule: "self.b >= oldSelf.b" }),
  "about the past of items": property({
    type: "array",
    maxItems: 5,
    items: { type: "integer", "x-kubernetes-validations": [{ rule: "self >= oldSelf" }] },
  }),
  "about a past that may be missing": rule({
    rule: "!oldSelf.hasValue() || self.b >= oldSelf.value().b",
    optionalOldSelf: true,
  }),
  "about no past that may be missing": rule({ rule: "self.b > 1", optionalOldSelf: true }),
  "on a text": rule({ rule: "self.startsWith('a')" }, text),
  "on a map": rule(
    { rule: "self.all(k, self[k].startsWith('a'))" },
    { type: "object", maxProperties: 5, additionalProperties: { type: "string", maxLength: 5 } },
  ),
  "that costs too much": property({
    type: "array",
    items: { type: "array", items: { type: "string" } },
    "x-kubernetes-validations": [{ rule: "self.all(x, x.all(y, self.all(z, z.all(w, w == y))))" }],
  }),
  "beside a wrong schema": rule({ rule: "self.c > 1" }, { type: "object", properties: { b: { type: "objekt" } } }),
};

const prefixed = (prefix: string, cases: Readonly<Record<string, Change>>): Record<string, Change> =>
  Object.fromEntries(Object.entries(cases).map(([name, change]) => [`${prefix} ${name}`, change]));

export const definitionCases: readonly Cases[] = [
  {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    plural: "customresourcedefinitions",
    clusterWide: true,
    base: {
      metadata: { name: "tests.cases.example.com" },
      spec: {
        group: "cases.example.com",
        scope: "Namespaced",
        names: { plural: "tests", kind: "Test" },
        versions: [
          {
            name: "v1",
            served: true,
            storage: true,
            schema: { openAPIV3Schema: { type: "object", properties: { a: text } } },
          },
        ],
      },
    },
    create: {
      ...prefixed("names:", names),
      ...prefixed("versions:", versions),
      ...prefixed("parts:", parts),
      ...prefixed("schemas:", schemas),
      ...prefixed("lists:", lists),
      ...prefixed("a default", defaults),
      ...prefixed("a rule", rules),
    },
    ignore: ["status"],
  },
];
