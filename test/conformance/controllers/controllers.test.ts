/** One script of changes, with our controllers and with the real kube-controller-manager: the ends must be the same, and what was told on the way. */
import { writeFile } from "node:fs/promises";
import { describe, expect, test } from "vitest";
import { envtestAssets } from "../../../src/testing/envtest.js";
import { differences } from "./compare.js";
import { knownDifferences } from "./known.js";
import { record, type Recording } from "./scenario.js";
import { scenarios } from "./scenarios/index.js";
import { type SideName, startSide } from "./side.js";

const assets = envtestAssets();
const full = process.env["COXSWAIN_FULL"] === "1";

async function recordSide(name: SideName): Promise<ReadonlyMap<string, Recording>> {
  const wanted = new RegExp(process.env["CONTROLLER_SCENARIOS"] ?? "");
  await using side = await startSide(name, assets ?? "");
  return await record(
    side,
    scenarios.filter((scenario) => wanted.test(scenario.name)),
  );
}

describe.skipIf(assets === undefined || !full)(
  "our controllers beside the real ones (skipped where KUBEBUILDER_ASSETS is not set, and but for the full run)",
  () => {
    test(`${scenarios.length} scenarios come to the same end and tell the same events`, async () => {
      const [ours, real] = await Promise.all([recordSide("ours"), recordSide("real")]);
      const found = scenarios.flatMap((scenario) => {
        const [a, b] = [ours.get(scenario.name), real.get(scenario.name)];
        return a === undefined || b === undefined ? [] : differences(scenario, a, b);
      });
      const unexpected = found.filter((line) => !knownDifferences.some((known) => known.line.test(line)));
      const out = process.env["CONTROLLER_OUT"];
      if (out !== undefined) {
        await writeFile(`${out}/differences.txt`, unexpected.map((line) => `${line}\n`).join(""));
        await writeFile(`${out}/ours.json`, JSON.stringify(Object.fromEntries(ours), undefined, 1));
        await writeFile(`${out}/real.json`, JSON.stringify(Object.fromEntries(real), undefined, 1));
      }
      expect(unexpected).toEqual([]);
    });
  },
);
