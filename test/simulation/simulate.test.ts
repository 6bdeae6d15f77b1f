import { describe, expect, test } from "vitest";
import { ConfigMap, formatTime, newControllerRef, Secret } from "../../src/api/index.js";
import { startRunning } from "../../src/base/index.js";
import { SharedInformerFactory } from "../../src/informer/index.js";
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

  test("a heartbeat in a field that is to be ignored is no sign of work", async () => {
    const operator: SimulateOptions["operator"] = ({ client, clock }) =>
      startRunning(async (signal) => {
        const maps = client.resource(ConfigMap, { namespace: "default" });
        while (!signal.aborted) {
          const data = { renewed: String(clock.now()) };
          await maps.apply({ metadata: { name: "lock" }, data }, { fieldManager: "lock" });
          await clock.sleep(10_000, signal);
        }
      });
    const options = { operator, systematic: false, seeds: 0 };
    expect((await failureOf(options)).oracle).toBe("converges");
    const { failures } = await simulate({ ...right, ...options, ignore: ["data.renewed"] });
    expect(failures).toEqual([]);
  });

  test("things outside of the cluster are reset before each history", async () => {
    let made = 0;
    const most: number[] = [];
    const { histories } = await simulate({
      ...right,
      operator: (tools) => managerWith(tools, { ...copies, reconcile: async () => void most.push(++made) }),
      reset: () => {
        made = 0;
      },
      systematic: false,
      seeds: 2,
    });
    // the history without faults is played twice
    expect(most.filter((count) => count === 1)).toHaveLength(histories + 1);
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
    expect(waiting.message).toContain("it did not end within 30 hours");
  });
});

test("a child that is made and deleted while the operator's watch is blind is made again", async () => {
  // the list after the 410 shows neither the creation nor the deletion, so that no informer tells of either
  const faults = [
    { fault: "child-deleted", at: { on: "time", number: 1_567 }, choice: 0.9 },
    { fault: "child-deleted", at: { on: "time", number: 1_600 }, choice: 0.9 },
    { fault: "unobserved", at: { on: "event", number: 7 }, forMs: 1_000 },
  ] as const;
  const options = { ...right, faults: allFaults, oracles: defaultOracles };
  await using world = await prepareWorld(options);
  const history = await playHistory(options, world, { plan: { seed: "45", faults } });
  expect(history.struck).toHaveLength(3);
  const deletions = history.entries.filter((entry) => entry.type === "request" && entry.actor === "somebody");
  expect(deletions.map((entry) => entry.type === "request" && entry.outcome)).toEqual([200, 200]);
  expect([...history.end.keys()].filter((place) => place.startsWith("Secret "))).toEqual([
    "Secret default/a",
    "Secret default/b",
  ]);
});

describe("accuses no operator that", () => {
  const passes = async (options: Partial<SimulateOptions>): Promise<void> => {
    const { failures } = await simulate({ ...right, ...options });
    expect(failures.map(({ story }) => story)).toEqual([]);
  };
  const only = (...names: readonly string[]) => allFaults.filter(({ name }) => names.includes(name));

  test("draws a password by chance, and keeps it", async () => {
    const operator: SimulateOptions["operator"] = (tools) =>
      managerWith(tools, {
        name: "passwords",
        for: ConfigMap,
        owns: [Secret],
        async reconcile({ object, cache, client }) {
          const { name, namespace = "" } = object.metadata;
          const drawn = `drawn-${tools.random.int(1_000_000)}`;
          const password = cache.get(Secret, { name, namespace })?.data?.["password"] ?? btoa(drawn);
          const metadata = { name, namespace, ownerReferences: [newControllerRef(object)] };
          await client.apply({ apiVersion: "v1", kind: "Secret", metadata, data: { password } });
        },
      });
    await passes({ operator, faults: only("child-deleted", "crash-after-write") });
    // one that draws a new one with each process is seen, because a new process writes
    const forgetful: SimulateOptions["operator"] = (tools) => {
      const password = btoa(`drawn-${tools.random.int(1_000_000)}`);
      return managerWith(tools, {
        name: "passwords",
        for: ConfigMap,
        writes: [Secret],
        async reconcile({ object: { metadata }, client }) {
          const { name, namespace = "" } = metadata;
          await client.apply({ apiVersion: "v1", kind: "Secret", metadata: { name, namespace }, data: { password } });
        },
      });
    };
    expect((await failureOf({ operator: forgetful })).oracle).toBe("rests-when-done");
  });

  test("does a thing when it is time, by a clock that is set back", async () => {
    const operator: SimulateOptions["operator"] = (tools) =>
      managerWith(tools, {
        name: "expires",
        for: ConfigMap,
        async reconcile({ object, client, clock }) {
          const leftMs = Date.parse(object.metadata.creationTimestamp ?? "") + 120_000 - clock.now();
          if (leftMs > 0) return { requeueAfterMs: leftMs };
          await client.delete(object);
          return;
        },
      });
    await passes({ operator, faults: only("clock-jump") });
  });

  test("leaves the clock of its informers to its client", async () => {
    const operator: SimulateOptions["operator"] = ({ client, clock }) =>
      startRunning(async (signal) => {
        const informers = new SharedInformerFactory(client);
        const maps = informers.informer(ConfigMap);
        await using _started = informers.start({ signal });
        const secrets = client.resource(Secret, { namespace: "default" });
        const fieldManager = "copies";
        while (!signal.aborted) {
          for (const { metadata } of maps.indexer.list())
            await secrets.apply({ metadata: { name: metadata.name } }, { fieldManager }).catch(() => {});
          await clock.sleep(1_000, signal);
        }
      });
    const scenario: SimulateOptions["scenario"] = async ({ client, sleep }) => {
      await client.resource(ConfigMap, { namespace: "default" }).create({ metadata: { name: "a" } });
      await sleep(1_000);
    };
    const oracles = defaultOracles.filter(({ name }) => name === "same-end");
    await passes({ operator, scenario, oracles, faults: only("unobserved") });
  });
});

test("names the option that is wrong", async () => {
  const wrong = (options: object): Promise<unknown> => simulate({ ...right, ...options } as SimulateOptions);
  await expect(simulate(undefined as never)).rejects.toThrow("simulate: undefined is no object of options");
  await expect(wrong({ scenarios: 1 })).rejects.toThrow("simulate: there is no option scenarios; there are operator,");
  await expect(wrong({ operator: undefined })).rejects.toThrow("simulate: operator is missing");
  await expect(wrong({ seeds: -1 })).rejects.toThrow("simulate: seeds must be");
  await expect(wrong({ seeds: [0.5] })).rejects.toThrow("simulate: seeds must be");
  await expect(wrong({ seeds: "ten" })).rejects.toThrow("simulate: seeds must be an array");
  await expect(wrong({ faults: ["crash"] })).rejects.toThrow("simulate: faults: 'crash' is no kind of fault");
  await expect(wrong({ oracles: [undefined] })).rejects.toThrow("simulate: oracles: undefined is no oracle");
  await expect(wrong({ world: { node: 3 } })).rejects.toThrow("simulate: world: there is no option node");
  const { failures, histories } = await simulate({ ...right, seeds: 0, systematic: false });
  expect([failures.length, histories]).toEqual([0, 1]);
});

test("tells of an operator that does not start", async () => {
  const message = async (operator: unknown): Promise<string> =>
    (await failureOf({ operator: operator as SimulateOptions["operator"] })).message;
  expect(await message(() => undefined)).toContain("operator gave undefined: it must give a Manager");
  expect(await message(() => Promise.reject(new Error("no settings")))).toContain("no settings");
  expect(await message(() => new Promise(() => {}))).toContain("operator-0 never started");
});
