import { expect, test } from "vitest";
import type { DaemonSet, Pod } from "../../api/index.js";
import { FakeClock } from "../../base/index.js";
import { FailedPodBackoff } from "./failed-pod-backoff.js";

const setOf = (observedGeneration: number): DaemonSet => ({
  apiVersion: "apps/v1",
  kind: "DaemonSet",
  metadata: { name: "agent", uid: "ds" },
  status: {
    observedGeneration,
    currentNumberScheduled: 0,
    numberMisscheduled: 0,
    desiredNumberScheduled: 0,
    numberReady: 0,
  },
});
const podOn = (nodeName: string): Pod => ({
  apiVersion: "v1",
  kind: "Pod",
  metadata: { name: nodeName },
  spec: { containers: [], nodeName },
});

test("a pod that fails again and again on one node is replaced ever later, up to a quarter of an hour", async () => {
  const clock = new FakeClock();
  const backoff = new FailedPodBackoff(clock);
  const pod = podOn("n1");
  const waits: (number | undefined)[] = [];
  for (let i = 0; i < 12; i++) {
    expect(backoff.judge(setOf(1), [pod])).toEqual({ due: [pod], retryAfterMs: undefined });
    const { due, retryAfterMs } = backoff.judge(setOf(1), [pod]);
    expect(due).toEqual([]);
    waits.push(retryAfterMs);
    await clock.advance(retryAfterMs ?? 0);
  }
  expect(waits.map((ms) => (ms ?? 0) / 1000)).toEqual([1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 900, 900]);
});

test("another node, another generation and a long peace start anew", async () => {
  const clock = new FakeClock();
  const backoff = new FailedPodBackoff(clock);
  backoff.judge(setOf(1), [podOn("n1")]);
  expect(backoff.judge(setOf(1), [podOn("n1"), podOn("n2")]).due.map(({ metadata }) => metadata.name)).toEqual(["n2"]);
  expect(backoff.judge(setOf(2), [podOn("n1")]).due).toHaveLength(1);
  await clock.advance(31 * 60_000);
  backoff.judge(setOf(1), [podOn("n1")]);
  expect(backoff.judge(setOf(1), [podOn("n1")]).retryAfterMs).toBe(1000);
});
