import { expect, test } from "vitest";
import { Pod } from "../../src/api/index.js";
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
