/** Real kubectl shows the usage of simulated nodes and pods. */
import { expect, test } from "vitest";
import { Pod } from "../../src/api/index.js";
import { FakeClock, Lifetime, systemClock } from "../../src/base/index.js";
import { startCluster } from "../../src/testing/cluster.js";
import { hasRealCluster } from "../../src/testing/shared-envtest.js";
import { startClientTools } from "./client-tools.js";

const pod = (name: string, cpu: string, memory: string) => ({
  metadata: {
    name,
    labels: { app: name },
    annotations: { "coxswain.dev/cpu.main": cpu, "coxswain.dev/memory.main": memory },
  },
  spec: {
    nodeName: "node-1",
    containers: [
      { name: "main", image: "a" },
      { name: "side", image: "b" },
    ],
  },
});

test.skipIf(!hasRealCluster())("kubectl top (skipped where KUBEBUILDER_ASSETS is not set)", async () => {
  await using lifetime = new Lifetime();
  const clock = new FakeClock({ startMs: systemClock.now() });
  const { server, client } = lifetime.use(await startCluster({ clock, nodes: 2 }));
  const { kubectl } = lifetime.use(await startClientTools(server));
  const pods = client.resource(Pod, { namespace: "default" });
  await pods.create(pod("small", "100m", "300Mi"));
  await pods.create(pod("large", "1500m", "20Mi"));
  await clock.advance(40_000);
  expect(await kubectl("top pods")).toBe(
    [
      "NAME    CPU(cores)   MEMORY(bytes)   ",
      "large   1501m        28Mi            ",
      "small   101m         308Mi           ",
      "",
    ].join("\n"),
  );
  expect(await kubectl("top pods --containers --sort-by=memory --no-headers -A")).toBe(
    [
      "default   small   main   100m    300Mi   ",
      "default   small   side   1m      8Mi     ",
      "default   large   main   1500m   20Mi    ",
      "default   large   side   1m      8Mi     ",
      "",
    ].join("\n"),
  );
  expect(await kubectl("top pods -l app=small --no-headers --sum")).toMatch(/^small +101m +308Mi +\n/);
  expect(await kubectl("top nodes --sort-by=cpu")).toMatch(
    /^NAME +CPU\(cores\) +CPU\(%\) +MEMORY\(bytes\) +MEMORY\(%\) +\nnode-1 +1622m +\d+% +464Mi +\d+% +\nnode-2 +20m +0% +128Mi +0% +\n$/,
  );
  expect(await kubectl("get --raw /apis/metrics.k8s.io/v1beta1/nodes/node-2")).toContain('"usage":{"cpu":"20m"');
  expect(await kubectl("get pods.v1beta1.metrics.k8s.io")).toMatch(/large +1501m +28Mi +15s/);
});
