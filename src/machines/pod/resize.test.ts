import { expect, test } from "vitest";
import type { Pod } from "../../api/index.js";
import { at, live, podWith, statusAt, web, type Change } from "../../../test/simulated/lives.js";
import { statusPatch } from "./patch.js";
import { resizeHappening } from "./resize.js";
import { podStatusOf } from "./status.js";

test("a pod says what its node has given it, which is what it asks for unless that has to wait", () => {
  const asks = (cpu: string): Change => ({
    spec: { containers: [{ ...web, resources: { requests: { cpu }, limits: { cpu: "2" } } }] },
    metadata: { generation: 2 },
  });
  const small = { ...podWith(asks("1")), status: statusAt(podWith(asks("1")), 0) };
  const given = { allocatedResources: { cpu: "1" }, resources: { limits: { cpu: "2" }, requests: { cpu: "1" } } };
  expect(small.status.containerStatuses?.[0]).toMatchObject(given);
  const resized = { ...podWith(asks("2")), status: small.status };
  const { life } = live(resized, 0);
  const report = { ...at(resized, 0), life, hostIP: "", podIP: "" };
  expect(podStatusOf(report).containerStatuses?.[0]).toMatchObject({ allocatedResources: { cpu: "2" } });
  const waiting = podStatusOf({ ...report, deferred: "no room" });
  expect(waiting.containerStatuses?.[0]).toMatchObject(given);
  expect(waiting.conditions?.at(-1)).toMatchObject({
    type: "PodResizePending",
    status: "True",
    reason: "Deferred",
    message: "no room",
    observedGeneration: 2,
  });
  // and when there is room, the condition is taken off
  const patch = statusPatch({ ...resized, status: waiting }, podStatusOf(report)) as {
    status: { conditions: unknown };
  };
  expect(patch.status.conditions).toEqual([{ $patch: "delete", type: "PodResizePending" }]);
});

test("a pod tells of a change of its resources when it is made, or why it has to wait, once", () => {
  const asked = (cpu: string): Pod => podWith({ spec: { containers: [{ ...web, resources: { requests: { cpu } } }] } });
  const resized: Pod = {
    ...asked("2"),
    metadata: { ...asked("2").metadata, generation: 3 },
    status: statusAt(asked("1"), 0),
  };
  const summary = '{"containers":[{"name":"web","resources":{"requests":{"cpu":"2"}}}],"generation":3';
  expect(resizeHappening(resized, undefined)?.map(({ reason, message }) => `${reason} ${message}`)).toEqual([
    `ResizeStarted Pod resize started: ${summary}}`,
    `ResizeCompleted Pod resize completed: ${summary}}`,
  ]);
  expect(resizeHappening(resized, "no room")).toEqual([
    { type: "Warning", reason: "ResizeDeferred", message: `Pod resize Deferred: ${summary},"error":"no room"}` },
  ]);
  const pending = { type: "PodResizePending", status: "True", observedGeneration: 3 } as const;
  expect(resizeHappening({ ...resized, status: { ...resized.status, conditions: [pending] } }, "no room")).toBe(
    undefined,
  );
  expect(resizeHappening({ ...asked("1"), status: statusAt(asked("1"), 0) }, undefined)).toBe(undefined);
  expect(resizeHappening(asked("1"), undefined)).toBe(undefined);
});
