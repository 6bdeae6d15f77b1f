import { expect, test } from "vitest";
import { findCondition, Pod } from "../../src/api/index.js";
import { startCluster } from "../../src/testing/index.js";

test("a pod that the server takes for assigned is tried again, and is not marked as one without a place", async () => {
  let refusals = 0;
  const marks: string[] = [];
  await using cluster = await startCluster({
    clock: "virtual",
    nodes: 1,
    faults({ method, path, body }) {
      if (method === "PATCH" && Buffer.from(body ?? []).includes("SchedulerError")) marks.push(path);
      return path.includes("/binding") && refusals++ === 0 ? { type: "answer", code: 409 } : undefined;
    },
  });
  const pods = cluster.client.resource(Pod, { namespace: "default" });
  await pods.create({ metadata: { name: "a" }, spec: { containers: [{ name: "a", image: "a" }] } });
  await cluster.clock.pass(20_000);
  expect((await pods.get("a")).spec?.nodeName).toBe("node-1");
  expect([refusals, marks]).toEqual([2, []]);
});

test.each(["1ms", "1h"])(
  "a pod that runs for %s has a place, whatever a scheduler that is behind says of it",
  async (time) => {
    await using cluster = await startCluster({ clock: "virtual", nodes: 1 });
    const pods = cluster.client.resource(Pod, { namespace: "default" });
    const annotations = { "coxswain.dev/run-for": time };
    const spec = { restartPolicy: "Never", containers: [{ name: "a", image: "a" }] } as const;
    await pods.create({ metadata: { name: "a", annotations }, spec });
    await cluster.clock.pass(20_000);
    const conditions = [{ type: "PodScheduled", status: "False", reason: "Unschedulable", message: "no" }];
    await pods.status.patch("a", { strategic: { status: { conditions } } });
    await cluster.clock.pass(5_000);
    const scheduled = findCondition((await pods.get("a")).status?.conditions, "PodScheduled");
    expect([scheduled?.status, scheduled?.reason, scheduled?.message]).toEqual(["True", undefined, undefined]);
  },
);
