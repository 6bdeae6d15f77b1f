/** Real kubectl makes, lists, watches and describes an autoscaler. */
import { expect, test } from "vitest";
import { Deployment } from "../../src/api/index.js";
import { FakeClock, Lifetime, systemClock } from "../../src/base/index.js";
import { startCluster } from "../../src/testing/cluster.js";
import { hasRealCluster } from "../../src/testing/shared-envtest.js";
import { startClientTools } from "./client-tools.js";

test.skipIf(!hasRealCluster())("kubectl autoscale (skipped where KUBEBUILDER_ASSETS is not set)", async () => {
  await using lifetime = new Lifetime();
  const clock = new FakeClock({ startMs: systemClock.now() });
  const controllers = ["deployment", "replicaset", "horizontalpodautoscaling"];
  const { server, client } = lifetime.use(await startCluster({ clock, nodes: 2, controllers }));
  const { kubectl } = lifetime.use(await startClientTools(server));
  const resources = { requests: { cpu: "1" } };
  const metadata = { labels: { app: "web" }, annotations: { "coxswain.dev/cpu": "total 3" } };
  const template = { metadata, spec: { containers: [{ name: "main", image: "a", resources }] } };
  await client.resource(Deployment, { namespace: "default" }).create({
    metadata: { name: "web" },
    spec: { replicas: 2, selector: { matchLabels: { app: "web" } }, template },
  });
  expect(await kubectl("autoscale deployment web --min=2 --max=5 --cpu=50%")).toBe(
    "horizontalpodautoscaler.autoscaling/web autoscaled\n",
  );
  expect(await kubectl("get hpa --no-headers")).toMatch(/^web +Deployment\/web +cpu: <unknown>\/50% +2 +5 +0 +/);
  await clock.pass(180_000);
  expect(await kubectl("get hpa")).toMatch(
    /^NAME +REFERENCE +TARGETS +MINPODS +MAXPODS +REPLICAS +AGE\nweb +Deployment\/web +cpu: 60%\/50% +2 +5 +5 +\S+\n$/,
  );
  const described = await kubectl("describe hpa web");
  for (const line of [
    /^Reference: +Deployment\/web$/m,
    /^ {2}resource cpu on pods {2}\(as a percentage of request\): +60% \(600m\) \/ 50%$/m,
    /^Min replicas: +2$/m,
    /^Deployment pods: +5 current \/ 5 desired$/m,
    /^ {2}AbleToScale +True +ReadyForNewScale +recommended size matches current size$/m,
    /^ {2}ScalingActive +True +ValidMetricFound +the HPA was able to successfully calculate a replica count from cpu resource utilization \(percentage of request\)$/m,
    /^ {2}ScalingLimited +True +TooManyReplicas +the desired replica count is more than the maximum replica count$/m,
  ]) {
    expect(described).toMatch(line);
  }
});
