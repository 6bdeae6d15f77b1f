/** Our own parts under simulation: the built-in controllers, scheduler and nodes, and leader election. */
import { describe, expect, test } from "vitest";
import { ConfigMap, Deployment, Job, Service } from "../../src/api/index.js";
import { type Running, startRunning } from "../../src/base/index.js";
import { builtInControllers, runControllers, selectControllers } from "../../src/builtin/index.js";
import { SharedInformerFactory } from "../../src/informer/index.js";
import { startSimulatedNodes } from "../../src/machines/index.js";
import { Manager } from "../../src/manager/index.js";
import { startScheduler } from "../../src/scheduler/index.js";
import {
  allFaults,
  defaultOracles,
  type OperatorTools,
  type ScenarioTools,
  simulate,
  type SimulateOptions,
} from "../../src/testing/index.js";
import { copies } from "./operators.js";

const full = process.env["COXSWAIN_FULL"] !== undefined;
const namespace = "default";

/** A change of a pod's spec by others is no business of the controllers that made it. */
const faults = allFaults.filter(({ name }) => name !== "child-changed");

async function passes(options: SimulateOptions): Promise<void> {
  const seeds = Number(process.env["COXSWAIN_HISTORIES"] ?? "2");
  const { failures, histories } = await simulate({ systematic: false, seeds, faults, ...options });
  expect(failures.map(({ story }) => story)).toEqual([]);
  expect(histories).toBe(process.env["COXSWAIN_SEED"] === undefined ? seeds + 1 : 2);
}

const container = (image: string): object => ({ containers: [{ name: "main", image }] });

/** Without these, kube-controller-manager deletes even a finished pod of a node that is gone for five minutes. */
const tolerations = ["not-ready", "unreachable"].map((state) => ({
  key: `node.kubernetes.io/${state}`,
  operator: "Exists",
  effect: "NoExecute",
}));

async function job({ client, sleep }: ScenarioTools): Promise<void> {
  await client.resource(Job, { namespace }).create({
    metadata: { name: "once" },
    spec: { template: { spec: { ...container("job:1"), restartPolicy: "Never", tolerations } } },
  } as never);
  await sleep(20_000);
}

async function workloads({ client, sleep }: ScenarioTools): Promise<void> {
  const labels = { app: "web" };
  const deployments = client.resource(Deployment, { namespace });
  await deployments.create({
    metadata: { name: "web" },
    spec: {
      replicas: 2,
      selector: { matchLabels: labels },
      template: { metadata: { labels }, spec: container("web:1") },
    },
  } as never);
  await client
    .resource(Service, { namespace })
    .create({ metadata: { name: "web" }, spec: { selector: labels, ports: [{ port: 80 }] } });
  await sleep(20_000);
  await deployments.patch("web", { merge: { spec: { replicas: 3 } } });
  await sleep(20_000);
}

function controllers({ client, clock, random }: OperatorTools): Running {
  const chosen = selectControllers(["*"], builtInControllers).filter(({ name }) => !name.includes("volume"));
  return startRunning(async (signal) => {
    const informers = new SharedInformerFactory(client, { clock, random });
    try {
      await runControllers({ client, informers, clock, random, controllers: chosen, signal });
    } finally {
      await informers.shutdown();
    }
  });
}

function machines({ client, clock, random }: OperatorTools): Running {
  return startRunning(async (signal) => {
    const informers = new SharedInformerFactory(client, { clock, random });
    await using nodes = startSimulatedNodes({ client, informers, clock, random, nodes: 2 }, signal);
    await using scheduler = startScheduler({ client, informers, clock, random, ignoresVolumes: true }, signal);
    await using _informers = informers.start({ signal });
    await Promise.all([nodes.done, scheduler.done]);
  });
}

describe.runIf(full)("converges, whatever fails:", () => {
  test("the built-in controllers", { timeout: 300_000 }, () =>
    passes({ operator: controllers, scenario: workloads, world: { nodes: 2 } }),
  );

  test("the built-in controllers, with a Job", { timeout: 300_000 }, () =>
    passes({
      operator: controllers,
      scenario: job,
      world: { nodes: 2 },
      // a pod that somebody deletes while it runs counts as failed
      ignore: ["status.failed"],
      // its own writes are remembered in memory, as upstream's expectations are: after a restart, a server that is behind
      // hides them, and a pod with a generated name is made again
      faults: faults.filter(({ name }) => name !== "time-travel"),
    }),
  );

  test("the scheduler and the simulated nodes", { timeout: 300_000 }, () =>
    passes({
      operator: machines,
      async scenario(tools) {
        await Promise.all([workloads(tools), job(tools)]);
      },
      world: { controllers: ["*"] },
      // pods that are deleted or relabelled by others while nobody runs them are the controllers' business
      faults: faults.filter(({ name }) => !name.startsWith("child-")),
      // a node that starts reports at once
      oracles: defaultOracles.filter(({ name }) => name !== "rests-when-done"),
    }),
  );

  test("two managers and a lease", { timeout: 300_000 }, () =>
    passes({
      replicas: 2,
      async operator({ client, clock, random, replica }) {
        const lease = { name: "copies", namespace };
        const leaderElection = { lease, identity: `replica-${replica}` };
        const manager = await Manager.create({ client, clock, random, leaderElection });
        manager.controller(copies);
        return manager;
      },
      async scenario({ client, sleep }) {
        const maps = client.resource(ConfigMap, { namespace });
        for (const name of ["a", "b", "c"]) {
          await maps.create({ metadata: { name }, data: { key: "1" } });
          await sleep(15_000);
        }
        await maps.patch("a", { merge: { data: { key: "2" } } });
      },
      faults: allFaults,
    }),
  );
});
