/** Definitions of custom kinds, with their schemas, and objects of such a kind as targets. */
import { writeYaml } from "../../../src/api/yaml/index.js";
import { definition, definitions, widget, widgets } from "../../stalls/requests.js";
import type { TargetKind } from "../target.js";
import { bodyWords, get, patchOf, table, verbWords } from "./pieces.js";
import { mutateRequest, openServer, requestInput } from "./server.js";

const rich = {
  type: "object",
  properties: {
    spec: {
      type: "object",
      required: ["a"],
      properties: {
        a: { type: "string", pattern: "^[a-z]+$", maxLength: 10, default: "x" },
        n: { type: "integer", format: "int32", minimum: 0, maximum: 9, multipleOf: 3, exclusiveMaximum: true },
        l: {
          type: "array",
          maxItems: 5,
          items: { type: "object", properties: { k: { type: "string" } }, required: ["k"] },
          "x-kubernetes-list-type": "map",
          "x-kubernetes-list-map-keys": ["k"],
        },
        m: { type: "object", additionalProperties: { type: "number" }, maxProperties: 3 },
        i: { "x-kubernetes-int-or-string": true, anyOf: [{ type: "integer" }, { type: "string" }] },
        e: { type: "object", "x-kubernetes-embedded-resource": true, "x-kubernetes-preserve-unknown-fields": true },
        o: {
          type: "string",
          enum: ["a", "b"],
          nullable: true,
          oneOf: [{ enum: ["a"] }, { not: { enum: ["a"] } }],
          format: "date-time",
        },
      },
      "x-kubernetes-validations": [
        {
          rule: "self.a.size() < 5 && has(self.n)",
          message: "m",
          messageExpression: "'is ' + self.a",
          reason: "FieldValueInvalid",
          fieldPath: ".a",
        },
        { rule: "self.a == oldSelf.a" },
      ],
    },
    status: { type: "object", "x-kubernetes-preserve-unknown-fields": true },
  },
};
const printed = {
  additionalPrinterColumns: [{ name: "A", type: "string", jsonPath: ".spec.a" }],
  selectableFields: [{ jsonPath: ".spec.a" }],
  subresources: { status: {}, scale: { specReplicasPath: ".spec.n", statusReplicasPath: ".status.n" } },
};
const defined = (schema: object, version: object = {}): Uint8Array =>
  requestInput(`POST ${definitions}\ncontent-type: application/json`, JSON.stringify(definition(schema, version)));
const schemaWords =
  "type object array string integer number boolean properties additionalProperties items required enum pattern format default nullable allOf anyOf oneOf not minimum maximum exclusiveMinimum multipleOf minLength maxItems uniqueItems minProperties $ref title x-kubernetes-preserve-unknown-fields x-kubernetes-int-or-string x-kubernetes-embedded-resource x-kubernetes-list-type x-kubernetes-list-map-keys x-kubernetes-map-type x-kubernetes-validations rule messageExpression fieldPath optionalOldSelf atomic granular set map self oldSelf".split(
    " ",
  );

const schemas: TargetKind = {
  name: "schemas",
  seeds: [
    defined(rich, printed),
    defined({ type: "object", "x-kubernetes-preserve-unknown-fields": true }),
    requestInput(
      `PUT ${definitions}/widgets.stalls.example.com\ncontent-type: application/json`,
      JSON.stringify(definition(rich, printed)),
    ),
    requestInput(`DELETE ${definitions}/widgets.stalls.example.com`),
  ],
  words: [...schemaWords, ...bodyWords, ...verbWords],
  mutate: mutateRequest,
  open: () => openServer(),
};

const customObjects: TargetKind = {
  name: "custom-objects",
  seeds: [
    requestInput(
      `POST ${widgets}\ncontent-type: application/json`,
      JSON.stringify(
        widget({
          a: "abc",
          n: 3,
          l: [{ k: "a" }],
          m: { x: 1.5 },
          i: "5",
          e: { apiVersion: "v1", kind: "Pod", metadata: { name: "x" } },
          o: null,
        }),
      ),
    ),
    requestInput(
      `POST ${widgets}?fieldValidation=Strict\ncontent-type: application/yaml\naccept: application/yaml`,
      writeYaml(widget({ a: "b", n: 6 })),
    ),
    patchOf(`${widgets}/stall?fieldManager=m`, "apply-patch+yaml", widget({ l: [{ k: "b" }] })),
    patchOf(`${widgets}/stall`, "merge-patch+json", { spec: { n: 0, l: null } }),
    patchOf(`${widgets}/stall/scale`, "merge-patch+json", { spec: { replicas: 3 } }),
    patchOf(`${widgets}/stall/status`, "json-patch+json", [{ op: "add", path: "/status", value: { n: 1 } }]),
    get(`${widgets}?fieldSelector=spec.a=b`, table),
    get(widgets, "accept: application/vnd.kubernetes.protobuf"),
  ],
  words: [...bodyWords, ...verbWords],
  mutate: mutateRequest,
  open: () => openServer([defined(rich, printed)]),
};

export const definitionTargets: readonly TargetKind[] = [schemas, customObjects];
