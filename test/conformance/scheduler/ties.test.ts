/** The scenarios' results must not depend on chance: kube-scheduler draws among nodes of equal score. */
import { isDeepStrictEqual } from "node:util";
import { describe, expect, test } from "vitest";
import { deviceSelector } from "../../../src/apiserver/index.js";
import { FakeClock, Lifetime, type Random, seededRandom } from "../../../src/base/index.js";
import { Client } from "../../../src/client/index.js";
import { startSimulatedNodes } from "../../../src/machines/index.js";
import { startScheduler } from "../../../src/scheduler/index.js";
import { startTestServer } from "../../../src/testing/cluster.js";
import { configuredSets } from "./configured-scenarios.js";
import { startExtender } from "./extender.js";
import { play } from "./play.js";
import { scenarios } from "./scenarios.js";
import type { Outcome, ScenarioSet } from "./scenario.js";

/** A chance that always draws the lowest, or always the highest number. */
const always = (draw: (limit: number) => number): Random => ({
  next: () => 0.5,
  int: draw,
  fork: (name) => seededRandom(name),
});

async function playAll(
  random: Random,
  { scenarios: chosen, configuration }: ScenarioSet,
): Promise<ReadonlyMap<string, readonly Outcome[]>> {
  await using lifetime = new Lifetime();
  const clock = new FakeClock();
  const server = lifetime.use(await startTestServer({ clock }));
  const client = lifetime.use(new Client({ transport: server.transport(), clock }));
  const nodes = lifetime.use(startSimulatedNodes({ client, clock, untaint: true }));
  const extender = lifetime.use(await startExtender(() => client));
  const configured = configuration === undefined ? {} : { configuration: configuration(extender) };
  const scheduler = lifetime.use(startScheduler({ client, clock, random, deviceSelector, ...configured }));
  await clock.passUntil(Promise.all([nodes.started, scheduler.started]));
  const played = new Map<string, readonly Outcome[]>();
  const pass = (): Promise<void> => clock.advance(2_000);
  for (const scenario of chosen) {
    played.set(scenario.name, await play(scenario, { client, settled: pass, told: pass }));
  }
  await clock.passUntil(lifetime[Symbol.asyncDispose]());
  return played;
}

const full = process.env["COXSWAIN_FULL"] === "1";

describe.skipIf(!full)("the scenarios of the comparison (skipped but for the full run)", () => {
  const wanted = new RegExp(process.env["SCHEDULER_SCENARIOS"] ?? "");
  test.each([{ name: "the usual configuration", scenarios }, ...configuredSets])(
    "have one end each, however ties are broken: $name",
    async (set: ScenarioSet) => {
      const chosen = { ...set, scenarios: set.scenarios.filter(({ name }) => wanted.test(name)) };
      const lowest = await playAll(
        always(() => 0),
        chosen,
      );
      const highest = await playAll(
        always((limit) => limit - 1),
        chosen,
      );
      const byChance = chosen.scenarios.filter(({ name }) => !isDeepStrictEqual(lowest.get(name), highest.get(name)));
      expect(byChance.map(({ name }) => name)).toEqual([]);
    },
  );
});
