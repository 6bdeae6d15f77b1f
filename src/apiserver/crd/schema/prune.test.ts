import { expect, test } from "vitest";
import type { StructuralSchema } from "./json-schema.js";
import { pruneObject } from "./prune.js";

const schema: StructuralSchema = {
  type: "object",
  properties: {
    spec: {
      type: "object",
      properties: { template: { type: "object", "x-kubernetes-embedded-resource": true, properties: {} } },
    },
  },
};

test("what the metadata of an embedded object cannot have is told, beside what the schema does not know", () => {
  const unknown: string[] = [];
  const template = { apiVersion: "v1", kind: "Sub", metadata: { name: "x", odd: 1 }, extra: true };
  const pruned = pruneObject({ spec: { template } }, schema, (path) => unknown.push(path));
  expect(unknown).toEqual(["spec.template.metadata.odd", "spec.template.extra"]);
  expect(pruned).toMatchObject({ spec: { template: { metadata: { name: "x" } } } });
});
