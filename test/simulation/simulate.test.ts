import { describe, expect, test } from "vitest";
import { ConfigMap, formatTime, Secret } from "../../src/api/index.js";
import { startRunning } from "../../src/base/index.js";
import {
  allFaults,
  always,
  defaultOracles,
  type Failure,
  never,
  simulate,
  type SimulateOptions,
} from "../../src/testing/index.js";
import { playHistory } from "../../src/testing/simulation/play/play.js";
import { prepareWorld } from "../../src/testing/simulation/play/world.js";
import { copies, hasty, inTwoSteps, managerWith, twoMaps, unwatching } from "./operators.js";

const right: SimulateOptions = { operator: (tools) => managerWith(tools, copies), scenario: twoMaps, seeds: 5 };

/** The one failure that a search stops at. */
async function failureOf(options: Partial<SimulateOptions>): Promise<Failure> {
  const { failures } = await simulate({ ...right, ...options });
  expect(failures).toHaveLength(1);
  return failures[0] as Failure;
}

describe("simulate", () => {
  test("has nothing to say against an operator that is right", async () => {
    const { failures, histories, coverage } = await simulate(right);
    expect(failures.map(({ story }) => story)).toEqual([]);
    expect(histories).toBeGreaterThan(30);
    expect(coverage.struck["crash-after-write"]?.moments).toBeGreaterThanOrEqual(coverage.writes);
    expect(coverage.struck["lag"]?.moments).toBeGreaterThanOrEqual(coverage.events);
  });

  test("finds the second object after a lost answer", async () => {
    const { plan, message, story } = await failureOf({ operator: (tools) => managerWith(tools, hasty), seeds: 100 });
    expect(plan.faults.map(({ fault }) => fault)).toContain("lose-answer");
    expect(message).toContain("Secret default/copy-* (3): should not be there");
    expect(story).toContain("FAULT");
    expect(story).toContain(`COXSWAIN_SEED=${plan.seed}`);
  });

  test("finds the object that is missing after a crash between two writes", async () => {
    const { plan, message } = await failureOf({ operator: (tools) => managerWith(tools, inTwoSteps) });
    expect(plan.faults).toHaveLength(1);
    expect(message).toMatch(/Secret default\/[ab]-second: is missing/);
  });

  test("finds a deletion that nobody answers", async () => {
    const { plan, message } = await failureOf({
      operator: (tools) => managerWith(tools, unwatching),
      faults: allFaults.filter(({ name }) => name === "child-deleted"),
      seeds: 20,
    });
    expect(plan.faults.map(({ fault }) => fault)).toEqual(["child-deleted"]);
    expect(message).toMatch(/Secret default\/[ab]: is missing/);
  });

  test("a report every few minutes is no sign that an operator does not come to rest", async () => {
    const fieldManager = "reporter";
    const { oracle, message } = await failureOf({
      operator: ({ client, clock }) =>
        startRunning(async (signal) => {
          const secrets = client.resource(Secret, { namespace: "default" });
          await secrets.apply({ metadata: { name: "made-once" } }, { fieldManager });
          while (!signal.aborted) {
            const annotations = { at: formatTime(clock.now()) };
            await secrets.apply({ metadata: { name: "report", annotations } }, { fieldManager });
            await clock.sleep(100_000, signal);
          }
        }),
      faults: allFaults.filter(({ name }) => name === "child-deleted"),
      oracles: defaultOracles.filter(({ name }) => name !== "rests-when-done"),
    });
    expect([oracle, message]).toEqual(["same-end", "Secret default/made-once: is missing"]);
  });

  test("the seed of a failure, and its shrunk plan, fail again in the same way", async () => {
    const operator: SimulateOptions["operator"] = (tools) => managerWith(tools, inTwoSteps);
    const first = await failureOf({ operator });
    const again = await failureOf({ operator, only: [first.seed] });
    expect(again).toEqual(first);
  });

  test("one seed gives one history, entry by entry", async () => {
    const plan = {
      seed: "7",
      faults: [
        { fault: "crash-after-write", at: { on: "write", number: 1 }, forMs: 500, choice: 0 },
        { fault: "lag", at: { on: "event", number: 2 }, forMs: 2_000, choice: 0 },
      ],
    } as const;
    const options = { ...right, faults: allFaults, oracles: defaultOracles };
    await using world = await prepareWorld(options);
    const [one, two] = [await playHistory(options, world, { plan }), await playHistory(options, world, { plan })];
    expect(one.struck).toHaveLength(2);
    expect(two.entries).toEqual(one.entries);
    expect(two.end).toEqual(one.end);
  });

  test("invariants see every revision, with its state", async () => {
    const revisions: number[] = [];
    const failure = await failureOf({
      seeds: 0,
      systematic: false,
      oracles: [
        always("every revision is shown", ({ revision }) => {
          revisions.push(revision);
          return true;
        }),
        never("a Secret with two keys", (view) =>
          view
            .list(Secret)
            .some(({ metadata }) => view.get(ConfigMap, metadata.name, "default")?.data?.["key"] === "3"),
        ),
      ],
    });
    expect(failure.oracle).toBe("a Secret with two keys");
    expect(revisions).toEqual(Array.from({ length: revisions.length }, (_, i) => (revisions[0] ?? 0) + i));
  });

  test("tells of a scenario that fails, and of one that waits for nothing", async () => {
    const failing = await failureOf({ scenario: () => Promise.reject(new Error("no luck")) });
    expect(failing.message).toBe("the scenario failed: no luck");
    const waiting = await failureOf({ scenario: () => new Promise(() => {}) });
    expect(waiting.message).toContain("it did not end within 4 hours");
  });
});

test("a child that is made and deleted while the operator's watch is blind is made again", async () => {
  // found by seed 45: the list after the 410 shows neither the creation nor the deletion, so that no informer tells of either
  const faults = [
    { fault: "child-deleted", at: { on: "time", number: 1_567 }, choice: 0.9 },
    { fault: "child-deleted", at: { on: "write", number: 5 }, choice: 0.9 },
    { fault: "unobserved", at: { on: "event", number: 7 }, forMs: 1_000 },
  ] as const;
  const options = { ...right, faults: allFaults, oracles: defaultOracles };
  await using world = await prepareWorld(options);
  const history = await playHistory(options, world, { plan: { seed: "45", faults } });
  expect(history.struck).toHaveLength(3);
  expect([...history.end.keys()].filter((place) => place.startsWith("Secret "))).toEqual([
    "Secret default/a",
    "Secret default/b",
  ]);
});
