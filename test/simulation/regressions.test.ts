/** Histories that once ended badly, played again. */
import { expect, test } from "vitest";
import { fooController } from "../../examples/sample-controller/high-level.js";
import { Manager } from "../../src/manager/index.js";
import { allFaults, defaultOracles, simulate, type SimulateOptions } from "../../src/testing/index.js";
import { differences } from "../../src/testing/simulation/end-state.js";
import type { PlannedFault } from "../../src/testing/simulation/plan.js";
import { playHistory, type PlayOptions } from "../../src/testing/simulation/play/play.js";
import { prepareWorld } from "../../src/testing/simulation/play/world.js";
import { copies, managerWith, twoMaps } from "./operators.js";
import builtIns from "./subjects/built-ins.js";
import { deploys } from "./subjects/deploys.js";
import { sample, site } from "./subjects/examples.js";
import job from "./subjects/job.js";
import scheduler from "./subjects/scheduler.js";

interface Regression {
  readonly about: string;
  readonly subject: SimulateOptions;
  readonly seed: string;
  readonly faults: readonly PlannedFault[];
}

/** Both objects belong to one of two replicas. */
const shared: SimulateOptions = {
  ...sample,
  replicas: 2,
  operator({ client, clock, random, replica }) {
    const lease = { name: "foos", namespace: "default" };
    const manager = new Manager({
      client,
      clock,
      random,
      sharding: { lease, shards: 4, identity: `replica-${replica}` },
    });
    manager.controller(fooController);
    return manager;
  },
  async scenario(tools) {
    await sample.scenario(tools);
    await tools.sleep(20_000);
  },
};

const regressions: readonly Regression[] = [
  ...[0.1, 0.9].map((choice) => ({
    about: `a status that is lost is seen by the replica that has its object, by choice ${choice}`,
    subject: shared,
    seed: "1",
    faults: [{ fault: "status-overwritten", at: { on: "time", number: 25_000 }, choice } as const],
  })),
  {
    about: "a conflict in the last status of a Job's pod is tried again, though no event comes",
    subject: scheduler,
    seed: "100",
    faults: [{ fault: "conflict", at: { on: "write", number: 6 } }],
  },
  {
    about: "nodes that start while the server cannot be reached register when it can",
    subject: scheduler,
    seed: "54",
    faults: [
      { fault: "crash-before-write", at: { on: "write", number: 1 }, forMs: 7_468 },
      { fault: "partition", at: { on: "time", number: 7_188 }, forMs: 4_789, choice: 0 },
    ],
  },
  {
    about: "nodes that start while the server refuses their registration stay alive",
    subject: scheduler,
    seed: "49",
    faults: [
      { fault: "time-travel", at: { on: "write", number: 2 }, forMs: 102, choice: 0 },
      { fault: "kind-refused", at: { on: "write", number: 4 }, forMs: 65_046 },
    ],
  },
  {
    about: "a kubelet that has not seen its last report replaces the pod's address",
    subject: scheduler,
    seed: "1001028",
    faults: [
      { fault: "time-travel", at: { on: "write", number: 8 }, forMs: 161, choice: 0.127 },
      { fault: "owner-recreated", at: { on: "time", number: 30_823 }, choice: 0.1305 },
    ],
  },
  {
    about: "a clock that was set back does not keep a Job's container running",
    subject: scheduler,
    seed: "4000014",
    faults: [{ fault: "clock-jump", at: { on: "time", number: 486 }, choice: 0.1446 }],
  },
  {
    about: "a server that is behind does not show the status of before it was lost",
    subject: site,
    seed: "4001217",
    faults: [
      { fault: "status-overwritten", at: { on: "time", number: 3_074 }, choice: 0.0232 },
      { fault: "time-travel", at: { on: "write", number: 3 }, forMs: 147, choice: 0.4627 },
    ],
  },
  {
    about: "a container that runs is started, also by a clock that was set back since",
    subject: scheduler,
    seed: "1001029",
    faults: [
      { fault: "clock-jump", at: { on: "time", number: 11_215 }, choice: 0.3868 },
      { fault: "status-overwritten", at: { on: "time", number: 31_160 }, choice: 0.7968 },
    ],
  },
  {
    about: "a Job is made again as its author wrote it, without the selector that the server gave it",
    subject: scheduler,
    seed: "78",
    faults: [{ fault: "owner-recreated", at: { on: "time", number: 84 }, choice: 0.5 }],
  },
  {
    about: "Endpoints that exist and are not in the cache yet are written when they are",
    subject: builtIns,
    seed: "2000285",
    faults: [
      { fault: "time-travel", at: { on: "write", number: 2 }, forMs: 107, choice: 0.9824 },
      { fault: "time-travel", at: { on: "write", number: 9 }, forMs: 4_257, choice: 0.3142 },
      { fault: "unobserved", at: { on: "time", number: 2_394 }, forMs: 23_942, choice: 0.7617 },
    ],
  },
  {
    about: "two users who change an object and change it back do not take each other's change for the state before",
    subject: site,
    seed: "2000235",
    faults: [
      { fault: "asked-and-back", at: { on: "time", number: 3_919 }, forMs: 345, choice: 0.8943 },
      { fault: "asked-and-back", at: { on: "time", number: 4_187 }, forMs: 55_122, choice: 0.1913 },
    ],
  },
  {
    about: "a process that starts because a status was lost is not shown the status of before",
    subject: sample,
    seed: "2000085",
    faults: [
      { fault: "old-list", at: { on: "time", number: 924 }, forMs: 4_166, choice: 0.6712 },
      { fault: "status-overwritten", at: { on: "time", number: 2_763 }, choice: 0.8653 },
    ],
  },
  {
    about: "the ReplicaSet of a Deployment that is gone is collected in a world of workload controllers",
    subject: deploys,
    seed: "1",
    faults: [{ fault: "child-deleted", at: { on: "time", number: 5_250 }, choice: 0.2 }],
  },
  {
    about: "a rollout that somebody began and the operator took back leaves revisions and an empty ReplicaSet",
    subject: deploys,
    seed: "1",
    faults: [{ fault: "child-changed", at: { on: "time", number: 10_501 }, choice: 0.336 }],
  },
];

test.each<{ readonly about: string; readonly faults: readonly PlannedFault[] }>([
  {
    about: "two finalizers of somebody's on one object are one: its end is no harm by the operator",
    faults: [
      { fault: "foreign-finalizer", at: { on: "time", number: 500 }, forMs: 469, choice: 0 },
      { fault: "foreign-finalizer", at: { on: "time", number: 600 }, forMs: 500, choice: 0 },
    ],
  },
  {
    about: "a finalizer that came too late for an object was not removed by the operator",
    faults: [
      { fault: "child-deleted", at: { on: "write", number: 1 }, choice: 0.702 },
      { fault: "foreign-finalizer", at: { on: "write", number: 1 }, forMs: 118, choice: 0.6804 },
    ],
  },
])("$about", async ({ faults }) => {
  const options: PlayOptions = {
    operator: (tools) => managerWith(tools, copies),
    scenario: twoMaps,
    faults: allFaults,
    oracles: defaultOracles,
  };
  await using world = await prepareWorld(options);
  const { struck, harm } = await playHistory(options, world, { plan: { seed: "1", faults } });
  expect([struck.length, harm]).toEqual([2, []]);
});

test.each(regressions)("$about", async ({ subject, seed, faults }) => {
  const options = { ...subject, faults: allFaults, oracles: defaultOracles };
  await using world = await prepareWorld(options);
  const reference = await playHistory(options, world, { plan: { seed: "none", faults: [] } });
  const history = await playHistory(options, world, { plan: { seed, faults }, reference: reference.end });
  expect(history.struck).toEqual(faults);
  expect(history.exits).toEqual([]);
  expect(differences(reference.end, history.end)).toEqual([]);
});

test("a Job may run twice if the creation of its pod was not answered, and nothing was seen of it", async () => {
  const options: PlayOptions = { ...job, faults: allFaults, oracles: job.oracles ?? [] };
  const faults: readonly PlannedFault[] = [
    { fault: "lose-answer", at: { on: "write", number: 0 } },
    { fault: "unobserved", at: { on: "event", number: 1 }, forMs: 2_000 },
  ];
  await using world = await prepareWorld(options);
  const reference = await playHistory(options, world, { plan: { seed: "none", faults: [] } });
  const history = await playHistory(options, world, { plan: { seed: "1", faults }, reference: reference.end });
  expect(differences(reference.end, history.end)).toEqual([
    "Job default/once: status.succeeded should be 1 and is 2",
    "Pod default/once-* (2): should not be there",
  ]);
  expect(options.oracles.flatMap(({ judge }) => judge?.({ history, reference }) ?? [])).toEqual([]);
});

test("two simulations in one process do not wait for each other", async () => {
  const options = {
    operator: (tools) => managerWith(tools, copies),
    scenario: twoMaps,
    seeds: 5,
    systematic: false,
  } as SimulateOptions;
  const reports = await Promise.all([simulate(options), simulate(options)]);
  expect(reports.map(({ failures }) => failures)).toEqual([[], []]);
});
