/** One script of changes, with our controllers and with the real kube-controller-manager: the ends must be the same, and what was told on the way. */
import { writeFile } from "node:fs/promises";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { envtestAssets } from "../../../src/testing/envtest.js";
import { differences } from "./compare.js";
import { knownDifferences } from "./known.js";
import { record, type Recording } from "./scenario.js";
import { scenarios } from "./scenarios/index.js";
import { type SideParts, startSide } from "./side.js";

const assets = envtestAssets();
const full = process.env["COXSWAIN_FULL"] === "1";
const wanted = new RegExp(process.env["CONTROLLER_SCENARIOS"] ?? "");
const out = process.env["CONTROLLER_OUT"];

async function recordSide(parts: SideParts): Promise<ReadonlyMap<string, Recording>> {
  await using side = await startSide(parts, assets ?? "");
  const recordings = await record(
    side,
    scenarios.filter(({ name }) => wanted.test(name)),
  );
  const name = `${parts.controllers}-on-${parts.server}`;
  if (out !== undefined) {
    await writeFile(`${out}/${name}.json`, JSON.stringify(Object.fromEntries(recordings), undefined, 1));
  }
  return recordings;
}

describe.skipIf(assets === undefined || !full)(
  "controllers beside the real ones on a real server (skipped where KUBEBUILDER_ASSETS is not set, and but for the full run)",
  () => {
    let teacher: Promise<ReadonlyMap<string, Recording>>;
    beforeAll(() => {
      teacher = recordSide({ server: "real", controllers: "real" });
    });
    afterAll(async () => void (await teacher));

    for (const [title, parts] of [
      ["ours on a real server", { server: "real", controllers: "ours" }],
      ["ours on the embedded server", { server: "embedded", controllers: "ours" }],
      ["the real ones on the embedded server", { server: "embedded", controllers: "real" }],
    ] as const) {
      test(`${title}: ${scenarios.length} scenarios come to the same end and tell the same events`, async () => {
        const [recorded, real] = await Promise.all([recordSide(parts), teacher]);
        const found = scenarios.flatMap((scenario) => {
          const [a, b] = [recorded.get(scenario.name), real.get(scenario.name)];
          return a === undefined || b === undefined ? [] : differences(scenario, a, b);
        });
        const unexpected = found.filter((line) => !knownDifferences.some((known) => known.line.test(line)));
        const name = `${parts.controllers}-on-${parts.server}`;
        if (out !== undefined) await writeFile(`${out}/${name}.txt`, unexpected.map((line) => `${line}\n`).join(""));
        expect(unexpected).toEqual([]);
      });
    }
  },
);
