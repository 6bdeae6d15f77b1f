import { expect, test } from "vitest";
import { ConfigMap, Pod, ResourceQuota } from "../../src/api/index.js";
import { FakeClock } from "../../src/base/index.js";
import { builtInControllers } from "../../src/builtin/index.js";
import { startControllers } from "./in-process.js";

const namespace = "default";

test("a quota says what its namespace uses, keeps to its limits, and takes back what goes", async () => {
  const clock = new FakeClock({ startMs: Date.parse("2026-01-01T00:00:00Z") });
  const controllers = builtInControllers.filter(({ aliases }) => aliases.includes("resourcequota"));
  await using cluster = await startControllers(controllers, { clock });
  const aWhile = async (): Promise<void> => {
    for (let step = 0; step < 20; step++) await clock.advance(50);
  };
  const quotas = cluster.client.resource(ResourceQuota, { namespace });
  const pods = cluster.client.resource(Pod, { namespace });
  const maps = cluster.client.resource(ConfigMap, { namespace });
  await maps.create({ metadata: { name: "before" } });
  const hard = { pods: "1", "requests.cpu": "1", configmaps: "9", "count/leases.coordination.k8s.io": "3" };
  await quotas.create({ metadata: { name: "all" }, spec: { hard } });
  await aWhile();
  const used = async () => (await quotas.get("all")).status?.used;
  const unused = { pods: "0", "requests.cpu": "0", configmaps: "1", "count/leases.coordination.k8s.io": "0" };
  expect(await used()).toEqual(unused);

  const resources = { requests: { cpu: "250m" } };
  const podOf = (name: string) => ({
    metadata: { name },
    spec: { containers: [{ name: "c", image: "i", resources }] },
  });
  await pods.create(podOf("first"));
  await expect(pods.create(podOf("second"))).rejects.toThrow("exceeded quota: all, requested: pods=1, used: pods=1");
  await maps.create({ metadata: { name: "after" } });
  await aWhile();
  expect(await used()).toEqual({ ...unused, pods: "1", "requests.cpu": "250m", configmaps: "2" });

  await pods.delete("first");
  await maps.delete("before");
  await aWhile();
  expect(await used()).toEqual(unused);
  await pods.create(podOf("second"));
});
