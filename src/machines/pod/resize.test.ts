import { expect, test } from "vitest";
import type { Pod } from "../../api/index.js";
import { at, live, podWith, statusAt, web, type Change } from "../../../test/simulated/lives.js";
import { advance } from "./life.js";
import { statusPatch } from "./patch.js";
import { noResize, type Resize, resizeHappenings, resizeOf, restartResized } from "./resize.js";
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
  const waiting = podStatusOf({ ...report, resize: { type: "pending", reason: "Deferred", message: "no room" } });
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

const asked = (cpu: string, change: Change = {}, container: object = {}): Pod =>
  podWith({ ...change, spec: { containers: [{ ...web, ...container, resources: { requests: { cpu } } }] } });

/** A pod that got one CPU, and asks for two. */
const resizedPod = (change: Change = {}, container: object = {}): Pod => ({
  ...asked("2", { ...change, metadata: { generation: 3 } }, container),
  status: statusAt(asked("1"), 0),
});
const resized = resizedPod();
const summary = '{"containers":[{"name":"web","resources":{"requests":{"cpu":"2"}}}],"generation":3';
const told = (pod: Pod, resize: Resize): readonly string[] =>
  resizeHappenings(pod, resize).map(({ type, reason, message }) => `${type} ${reason} ${message}`);
const noRoom = { reason: "Deferred", message: "no room" } as const;

test("a pod without a change has nothing to tell, and one that has not reported has not changed", () => {
  for (const pod of [{ ...asked("1"), status: statusAt(asked("1"), 0) }, asked("1")]) {
    expect(resizeOf({ ...at(pod, 0), pending: noRoom })).toEqual(noResize);
    expect(told(pod, noResize)).toEqual([]);
  }
});

test("a change takes effect at once, or waits, and tells why once for each reason", () => {
  expect(resizeOf(at(resized, 0))).toEqual({ type: "done" });
  expect(told(resized, { type: "done" })).toEqual([
    `Normal ResizeStarted Pod resize started: ${summary}}`,
    `Normal ResizeCompleted Pod resize completed: ${summary}}`,
  ]);
  const pending = resizeOf({ ...at(resized, 0), pending: noRoom });
  expect(told(resized, pending)).toEqual([`Warning ResizeDeferred Pod resize Deferred: ${summary},"error":"no room"}`]);
  const condition = { type: "PodResizePending", status: "True", reason: "Deferred", observedGeneration: 3 } as const;
  const waiting = { ...resized, status: { ...resized.status, conditions: [condition] } };
  expect(told(waiting, pending)).toEqual([]);
  expect(told(waiting, { type: "pending", reason: "Infeasible", message: "never" })).toEqual([
    `Warning ResizeInfeasible Pod resize Infeasible: ${summary},"error":"never"}`,
  ]);
});

test("a change that takes time shows as granted first, then as in effect", () => {
  const pod = resizedPod({ annotations: { "resize-after": "5s" } });
  const began = resizeOf(at(pod, 7_000));
  expect(began).toEqual({ type: "inProgress", since: 7_000, until: 12_000 });
  expect(told(pod, began)).toEqual([`Normal ResizeStarted Pod resize started: ${summary}}`]);
  const { life } = live(pod, 7_000);
  const status = podStatusOf({ ...at(pod, 7_000), life, hostIP: "", podIP: "", resize: began });
  expect(status.containerStatuses?.[0]).toMatchObject({
    allocatedResources: { cpu: "2" },
    resources: { requests: { cpu: "1" } },
  });
  expect(status.conditions?.at(-1)).toMatchObject({ type: "PodResizeInProgress", observedGeneration: 3 });
  const going = { ...pod, status };
  expect(resizeOf(at(going, 11_999))).toEqual(began);
  expect(resizeOf(at(going, 12_000))).toEqual({ type: "done" });
  expect(told(going, { type: "done" })).toEqual([`Normal ResizeCompleted Pod resize completed: ${summary}}`]);
  // another change begins anew
  const again = { ...going, metadata: { ...going.metadata, generation: 4 } };
  expect(resizeOf(at(again, 12_000))).toEqual({ type: "inProgress", since: 12_000, until: 17_000 });
});

test("a container whose policy wants it is restarted, if that resource has changed", () => {
  const restarts = (resourceName: string): string => {
    const pod = resizedPod({}, { resizePolicy: [{ resourceName, restartPolicy: "RestartContainer" }] });
    const { life, happenings } = restartResized(live(pod, 0).life, at(pod, 9_000));
    const after = advance(life, at(pod, 9_000)).life.main[0];
    return `${happenings.map(({ message }) => message).join()} ${after?.restarts} ${after?.last?.exitCode}`;
  };
  expect(restarts("cpu")).toBe("Container web resize requires restart 1 143");
  expect(restarts("memory")).toBe(" 0 undefined");
});

test("resources of the pod as a whole are reported, and a change of them is one", () => {
  const whole = (cpu: string): Pod => podWith({ spec: { resources: { requests: { cpu } } } });
  const status = statusAt(whole("1"), 0);
  expect(status).toMatchObject({ allocatedResources: { cpu: "1" }, resources: { requests: { cpu: "1" } } });
  expect(resizeOf(at({ ...whole("2"), status }, 0))).toEqual({ type: "done" });
});
