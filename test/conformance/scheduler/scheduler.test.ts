/** The same pods for our scheduler and for the real kube-scheduler: they must come to the same nodes, or be told the same. */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { describe, expect, test } from "vitest";
import { envtestAssets } from "../../../src/testing/envtest.js";
import { configuredSets } from "./configured-scenarios.js";
import { scenarios } from "./scenarios.js";
import { type SideParts, startSide } from "./side.js";
import type { Outcome, Scenario, ScenarioSet } from "./scenario.js";

const assets = envtestAssets() ?? "";
const isThere = assets !== "" && existsSync(join(assets, "kube-scheduler"));
const full = process.env["COXSWAIN_FULL"] === "1";
const wanted = new RegExp(process.env["SCHEDULER_SCENARIOS"] ?? "");

type Played = Readonly<Record<string, readonly Outcome[]>>;

async function playAll(parts: SideParts, chosen: readonly Scenario[]): Promise<Played> {
  await using side = await startSide(parts, assets);
  const played: Record<string, readonly Outcome[]> = {};
  for (const scenario of chosen) played[scenario.name] = await side.play(scenario);
  return played;
}

/** On a busy machine a scheduler looks slow: a difference that comes from the pace alone is not there each time. */
const attempts = 3;

/** The results on both sides, only of the scenarios whose results differ again and again. */
async function differing(parts: SideParts, set: ScenarioSet): Promise<readonly [Played, Played]> {
  let doubtful: readonly Scenario[] = set.scenarios.filter(({ name }) => wanted.test(name));
  let played: readonly [Played, Played] = [{}, {}];
  const configured = set.configuration === undefined ? {} : { configuration: set.configuration };
  for (let attempt = 0; attempt < attempts && doubtful.length > 0; attempt++) {
    const real: SideParts = { server: "real", scheduler: "real", ...configured };
    played = await Promise.all([playAll({ ...parts, ...configured }, doubtful), playAll(real, doubtful)]);
    doubtful = doubtful.filter(({ name }) => !isDeepStrictEqual(played[0][name], played[1][name]));
  }
  const only = (all: Played): Played => Object.fromEntries(doubtful.map(({ name }) => [name, all[name] ?? []]));
  return [only(played[0]), only(played[1])];
}

const oursOnReal = { server: "real", scheduler: "ours" } as const;
const realOnOurs = { server: "embedded", scheduler: "real" } as const;
const usual: ScenarioSet = { name: "the usual configuration", scenarios };

describe.skipIf(!isThere || !full)(
  "the scheduler beside the real one (skipped unless KUBEBUILDER_ASSETS has a kube-scheduler too, and but for the full run)",
  () => {
    test.each([
      { title: "ours on a real server", parts: oursOnReal, set: usual },
      { title: "the real one on the embedded server", parts: realOnOurs, set: usual },
      ...configuredSets.map((set) => ({ title: "ours on a real server", parts: oursOnReal, set })),
    ])("$title, $set.name: the scenarios come to the same end", async ({ parts, set }) => {
      const [ours, real] = await differing(parts, set);
      expect(ours).toEqual(real);
    });
  },
);
