import fc from "fast-check";
import { expect, test } from "vitest";
import { atOnce } from "../../../test/conformance/apply-at-once.js";
import { deepFreeze, type KubeObject } from "../../api/index.js";
import { createFieldManager, customType } from "./index.js";

const apiVersion = "example.com/v1";
const type = customType({
  type: "object",
  properties: {
    spec: {
      type: "object",
      properties: {
        size: { type: "integer" },
        holder: { type: "string" },
        labels: { type: "object", additionalProperties: { type: "string" } },
        whole: { type: "object", "x-kubernetes-map-type": "atomic", properties: { x: { type: "string" } } },
        tags: { type: "array", "x-kubernetes-list-type": "set", items: { type: "string" } },
      },
    },
  },
});
const fieldManager = atOnce(createFieldManager({ customKind: () => ({ type, hasStatus: true }) }));

const few = fc.constantFrom("1", "2");
const write = fc.record({
  manager: fc.constantFrom("a", "b"),
  second: fc.integer({ min: 0, max: 59 }),
  annotations: fc.option(fc.dictionary(fc.constantFrom("k", "l"), few, { maxKeys: 2 }), { nil: undefined }),
  spec: fc.record(
    {
      size: fc.constantFrom(1, 2, 3),
      holder: few,
      labels: fc.dictionary(fc.constantFrom("k", "l"), few, { minKeys: 1, maxKeys: 2 }),
      whole: fc.record({ x: few }),
      tags: fc.uniqueArray(few),
    },
    { requiredKeys: ["size", "holder"] },
  ),
});

test("an update of scalars that their writer alone owns has the entries of the full comparison (property)", () => {
  fc.assert(
    fc.property(fc.array(write, { minLength: 2, maxLength: 8 }), (writes) => {
      let live: KubeObject | undefined;
      for (const { manager, second, spec, annotations } of writes) {
        const time = `2026-01-01T00:00:${String(second).padStart(2, "0")}Z`;
        const request = { manager, apiVersion, subresource: "", time };
        const metadata = { name: "t", uid: "u", ...(annotations && { annotations }) };
        const object = { apiVersion, kind: "Thing", metadata, spec } as KubeObject;
        const short = fieldManager.update(live, deepFreeze(object) as KubeObject, request);
        // a copy of the entries in the sent object has the same meaning, but is compared in full
        const managedFields = live?.metadata.managedFields && structuredClone(live.metadata.managedFields);
        const sent = { ...object, metadata: { ...metadata, ...(managedFields && { managedFields }) } };
        expect(short).toEqual(fieldManager.update(live, sent, request));
        live = deepFreeze(short) as KubeObject;
      }
    }),
    { numRuns: 500 },
  );
});

test("a renewal changes the time of its writer's entry, and an update without a change does not", () => {
  const at = (time: string) => ({ manager: "a", apiVersion, subresource: "", time: `2026-01-01T00:00:${time}Z` });
  const thing = (holder: string): KubeObject =>
    ({ apiVersion, kind: "Thing", metadata: { name: "t", uid: "u" }, spec: { holder } }) as KubeObject;
  const created = fieldManager.update(undefined, thing("x"), at("01"));
  const renewed = fieldManager.update(created, thing("y"), at("02"));
  const [before, after] = [created, renewed].map(({ metadata }) => metadata.managedFields?.[0]);
  expect(after).toEqual({ ...before, time: "2026-01-01T00:00:02Z" });
  expect(after?.fieldsV1).toBe(before?.fieldsV1);
  expect(fieldManager.update(renewed, thing("y"), at("03")).metadata.managedFields).toBe(
    renewed.metadata.managedFields,
  );
});
