/** The same pods for our scheduler and for the real kube-scheduler: they must come to the same nodes, or be told the same. */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { envtestAssets } from "../../../src/testing/envtest.js";
import { scenarios } from "./scenarios.js";
import { type SideParts, startSide } from "./side.js";
import type { Outcome } from "./scenario.js";

const assets = envtestAssets() ?? "";
const isThere = assets !== "" && existsSync(join(assets, "kube-scheduler"));
const wanted = new RegExp(process.env["SCHEDULER_SCENARIOS"] ?? "");

async function playAll(parts: SideParts): Promise<Readonly<Record<string, readonly Outcome[]>>> {
  await using side = await startSide(parts, assets);
  const played: Record<string, readonly Outcome[]> = {};
  for (const scenario of scenarios.filter(({ name }) => wanted.test(name))) {
    played[scenario.name] = await side.play(scenario);
  }
  return played;
}

describe.skipIf(!isThere)(
  "the scheduler beside the real one (skipped unless KUBEBUILDER_ASSETS has a kube-scheduler too)",
  () => {
    for (const [title, parts] of [
      ["ours on a real server", { server: "real", scheduler: "ours" }],
      ["the real one on the embedded server", { server: "embedded", scheduler: "real" }],
    ] as const) {
      test(`${title}: ${scenarios.length} scenarios come to the same end`, async () => {
        const [ours, real] = await Promise.all([playAll(parts), playAll({ server: "real", scheduler: "real" })]);
        expect(ours).toEqual(real);
      });
    }
  },
);
