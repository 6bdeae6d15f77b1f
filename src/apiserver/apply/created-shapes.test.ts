import fc from "fast-check";
import { expect, test } from "vitest";
import { atOnce } from "../../../test/conformance/apply-at-once.js";
import type { KubeObject } from "../../api/index.js";
import { builtInTypeOf, type ObjectType, typedForm } from "../../api/schema/index.js";
import { createFieldManager } from "./index.js";

const text = fc.constantFrom("", "a", "b");
const members = {
  metadata: fc.record(
    { name: text, annotations: fc.dictionary(fc.constantFrom("k", "l"), text), finalizers: fc.array(text) },
    { requiredKeys: ["name"] },
  ),
  involvedObject: fc.record({ kind: text, name: text, fieldPath: text }, { requiredKeys: [] }),
  reason: text,
  count: fc.constantFrom(0, 1, 2),
  firstTimestamp: fc.constantFrom(null, "2026-01-01T00:00:00Z", "2026-01-01T00:00:01Z"),
  series: fc.record({ count: fc.constantFrom(0, 1, 2) }),
  related: fc.record({ kind: text }, { requiredKeys: [] }),
};
const events = fc.record(members, { requiredKeys: ["metadata", "involvedObject"] });
const times = fc.constantFrom("2026-01-01T00:00:00Z", "2026-01-01T00:00:01Z");
const managers = fc.constantFrom("kubelet", "scheduler");

const typed = (event: object): KubeObject =>
  typedForm(builtInTypeOf("v1", "Event") as ObjectType, {
    kind: "Event",
    apiVersion: "v1",
    ...event,
  }) as unknown as KubeObject;

test("the owner of an event is the same whether or not others like it were created before (property)", () => {
  fc.assert(
    fc.property(fc.array(fc.tuple(events, times, managers), { maxLength: 20 }), (created) => {
      const remembering = atOnce(createFieldManager());
      for (const [event, time, manager] of created) {
        const request = { manager, apiVersion: "v1", subresource: "", time };
        const object = typed(event);
        const fresh = atOnce(createFieldManager()).update(undefined, object, request);
        expect(remembering.update(undefined, object, request)).toEqual(fresh);
      }
    }),
    { numRuns: process.env["COXSWAIN_FULL"] === "1" ? 2_000 : 200 },
  );
});

test("events that differ in their texts share the fields of their owner", () => {
  const { update } = atOnce(createFieldManager());
  const request = { manager: "kubelet", apiVersion: "v1", subresource: "", time: "2026-01-01T00:00:00Z" };
  const owned = (name: string): unknown =>
    update(undefined, typed({ metadata: { name }, involvedObject: { name }, reason: name }), request).metadata
      .managedFields?.[0]?.fieldsV1;
  expect(owned("b")).toBe(owned("a"));
});
