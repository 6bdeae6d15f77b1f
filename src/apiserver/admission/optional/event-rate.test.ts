import { expect, test } from "vitest";
import type { KubeObject } from "../../../api/index.js";
import { FakeClock } from "../../../base/index.js";
import type { AdmissionRequest } from "../../contracts/admission.js";
import { type EventRateLimit, eventRateLimit } from "./event-rate.js";

const event = (namespace: string, username = "u", name = "p"): AdmissionRequest =>
  ({
    operation: "CREATE",
    kind: { group: "", version: "v1", kind: "Event" },
    namespace,
    user: { username },
    dryRun: false,
    object: { involvedObject: { kind: "Pod", namespace, name }, source: { component: "c" } } as unknown as KubeObject,
  }) as unknown as AdmissionRequest;

const told = (limits: readonly EventRateLimit[], clock = new FakeClock()) => {
  const plugin = eventRateLimit(limits, clock);
  return (request: AdmissionRequest): string => {
    try {
      void plugin.validate?.(request);
      return "";
    } catch (error) {
      return (error as Error).message.replace("Too many requests: ", "");
    }
  };
};

test("a burst is let through, and then as many as the rate gives", async () => {
  const clock = new FakeClock();
  const ask = told([{ type: "Server", qps: 2, burst: 3 }], clock);
  expect([1, 2, 3, 4].map(() => ask(event("a")))).toEqual(["", "", "", "limit reached on type Server for key "]);
  await clock.advance(500);
  expect([1, 2].map(() => ask(event("a")) === "")).toEqual([true, false]);
});

test("each namespace, user and object has a count of its own, and all limits are named", () => {
  const one = { qps: 1, burst: 1 };
  const ask = told([
    { type: "Namespace", ...one },
    { type: "User", ...one },
    { type: "SourceAndObject", ...one },
  ]);
  expect(ask(event("a", "u"))).toBe("");
  expect(ask(event("b", "v"))).toBe("");
  expect(ask(event("a", "w", "q"))).toBe("limit reached on type Namespace for key a");
  expect(ask(event("a", "u"))).toBe(
    "[limit reached on type Namespace for key a, limit reached on type User for key u, limit reached on type SourceAndObject for key cPodap]",
  );
});

test("dry runs and other kinds are not counted", () => {
  const ask = told([{ type: "Server", qps: 1, burst: 1 }]);
  expect(ask({ ...event("a"), dryRun: true })).toBe("");
  expect(ask({ ...event("a"), kind: { group: "", version: "v1", kind: "Pod" } })).toBe("");
  expect([ask(event("a")), ask(event("a"))]).toEqual(["", "limit reached on type Server for key "]);
});
