/** Half an hour of a cluster's life on virtual time: users change their minds, nodes lose power, requests fail; whenever it is calm again, all is right. */
import { describe, expect, test } from "vitest";
import { DaemonSet, Deployment, Job, Node, Pod, Service, StatefulSet } from "../../src/api/index.js";
import { type Random, seededRandom } from "../../src/base/index.js";
import { collectGarbage } from "../informer/collect-garbage.js";
import { type FaultPlan, seededFaults } from "../../src/client/index.js";
import { powerAnnotation } from "../../src/machines/index.js";
import { namespace, startWholeCluster, template, type WholeCluster } from "./whole-cluster.js";

const full = process.env["COXSWAIN_FULL"] === "1";
/** Of the cluster's time. */
const minutes = full ? 30 : 4;
const nodeCount = 4;
const apps = 3;

/** The actions of users on the cluster, as `kind: action`. */
type Deed = (cluster: WholeCluster, random: Random) => Promise<void>;

const nameOf = (random: Random): string => `app-${random.int(apps)}`;
const pick = <T>(items: readonly T[], random: Random): T | undefined => items[random.int(items.length)];
const behaviours = [{}, {}, {}, { "crash-every": "20s" }, { "ready-after": "5s" }, { "image-pull": "fail" }] as const;

const deployed: Deed = async ({ client }, random) => {
  const name = nameOf(random);
  const deployments = client.resource(Deployment, { namespace });
  const spec = {
    replicas: random.int(6),
    selector: { matchLabels: { app: name } },
    template: template(name, `image:${random.int(3)}`, pick(behaviours, random)),
  };
  if ((await deployments.getOrUndefined(name)) === undefined) {
    await deployments.create({ metadata: { name }, spec });
  } else await deployments.patch(name, { merge: { spec } });
};

const stateful: Deed = async ({ client }, random) => {
  const sets = client.resource(StatefulSet, { namespace });
  const name = "db";
  const spec = {
    replicas: random.int(4),
    serviceName: "db",
    selector: { matchLabels: { app: name } },
    template: template(name, `db:${random.int(2)}`),
  };
  if ((await sets.getOrUndefined(name)) === undefined) await sets.create({ metadata: { name }, spec });
  else await sets.patch(name, { merge: { spec: { replicas: spec.replicas, template: spec.template } } });
};

const daemon: Deed = async ({ client }, random) => {
  const sets = client.resource(DaemonSet, { namespace });
  const spec = { selector: { matchLabels: { app: "agent" } }, template: template("agent", `agent:${random.int(2)}`) };
  if ((await sets.getOrUndefined("agent")) === undefined) await sets.create({ metadata: { name: "agent" }, spec });
  else await sets.patch("agent", { merge: { spec: { template: spec.template } } });
};

const job: Deed = async ({ client }, random) => {
  const outcome = pick([{ "run-for": "3s" }, { "run-for": "2s", "exit-code": "1" }], random) ?? {};
  const { spec, ...rest } = template("job", "job:1", outcome);
  await client.resource(Job, { namespace }).create({
    metadata: { generateName: "job-" },
    spec: {
      completions: 3,
      parallelism: 2,
      backoffLimit: 1,
      ttlSecondsAfterFinished: 60,
      template: { ...rest, spec: { ...spec, restartPolicy: "Never" } },
    },
  });
};

const deleted: Deed = async ({ client }, random) => {
  const propagationPolicy = pick(["Background", "Foreground", "Orphan"] as const, random) ?? "Background";
  const found = pick((await client.resource(Deployment, { namespace }).list()).items, random);
  if (found !== undefined) await client.resource(Deployment).delete(found.metadata, { propagationPolicy });
};

const killed: Deed = async (cluster, random) => {
  for (const pod of await cluster.pods()) {
    if (random.int(3) === 0)
      await cluster.client.resource(Pod).delete(pod.metadata, { gracePeriodSeconds: random.int(2) });
  }
};

/** Off for up to seven minutes: longer than pods tolerate. */
const blackout: Deed = async ({ client, pass }, random) => {
  const name = `node-${1 + random.int(nodeCount)}`;
  const power = (value: "off" | null): Promise<unknown> =>
    client.resource(Node).patch(name, { merge: { metadata: { annotations: { [powerAnnotation]: value } } } });
  await power("off");
  await pass(random.int(420) * 1_000);
  await power(null);
};

const deeds = { deployed, scaled: deployed, rolled: deployed, stateful, daemon, job, deleted, killed, blackout };

/** Of the heap, in megabytes, after a full collection. */
function heapMegabytes(): number {
  collectGarbage();
  return process.memoryUsage().heapUsed / 2 ** 20;
}

/** A container that crashes may do so just now: a real fault is still there at the second look. */
async function restsSoundly(cluster: WholeCluster, when: string): Promise<void> {
  await cluster.settle(1_000).catch(() =>
    cluster.settle(2_000).catch((error: unknown) => {
      throw new Error(when, { cause: error });
    }),
  );
}

interface Weather {
  stormy: boolean;
}

function faultsOf(random: Random, weather: Weather): FaultPlan {
  const kinds = ["refuse", "drop", "lose-answer", "reset", "answer"] as const;
  const plan = seededFaults({ random, rate: 0.05, kinds });
  return (request, index) => (weather.stormy ? plan(request, index) : undefined);
}

describe("a cluster that is not left in peace", () => {
  const seeds = Array.from({ length: full ? 6 : 1 }, (_, index) => index + 1);
  test.each(seeds)("comes to rest in the right state again and again, in the same memory (seed %i)", async (seed) => {
    const random = seededRandom(seed);
    const weather = { stormy: false };
    await using cluster = await startWholeCluster(nodeCount, { random, faults: faultsOf(random, weather) });
    const { client, clock } = cluster;
    const ports = [{ port: 80 }];
    for (let app = 0; app < apps; app++) {
      await client.resource(Service, { namespace }).create({
        metadata: { name: `app-${app}` },
        spec: { selector: { app: `app-${app}` }, ports },
      });
    }
    const done: string[] = [];
    const heap: number[] = [];
    const endsAt = clock.now() + minutes * 60_000;
    while (clock.now() < endsAt) {
      const [name, deed] = pick(Object.entries(deeds), random) ?? ["deployed", deployed];
      done.push(name);
      weather.stormy = random.int(2) === 0;
      await deed(cluster, random);
      await cluster.pass(20_000);
      weather.stormy = false;
      await cluster.pass(90_000);
      await restsSoundly(cluster, `seed ${seed}, after ${done.join(", ")}`);
      heap.push(heapMegabytes());
    }
    const [early = 0] = heap.slice(Math.floor(heap.length / 3));
    expect((heap.at(-1) ?? 0) - early, `seed ${seed}: ${heap.map(Math.round).join(", ")} MB`).toBeLessThan(24);
  });
});
