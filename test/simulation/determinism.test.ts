import { createHash } from "node:crypto";
import { expect, test } from "vitest";
import { simulate } from "../../src/testing/index.js";
import { copies, managerWith, twoMaps } from "./operators.js";

const full = process.env["COXSWAIN_FULL"] !== undefined;

/** The seed of each history, with a hash of every byte of its record. */
async function records(seeds: number, replicas: number): Promise<readonly string[]> {
  const records: string[] = [];
  await simulate({
    operator: (tools) => managerWith(tools, copies),
    scenario: twoMaps,
    seeds,
    systematic: full,
    replicas,
    oracles: [
      {
        name: "hash",
        judge({ history }) {
          const hash = createHash("sha256").update(JSON.stringify(history.entries)).digest("hex");
          records.push(`${history.plan.seed} ${hash}`);
          return [];
        },
      },
    ],
  });
  return records;
}

test.each([
  { replicas: 1, seeds: full ? 400 : 60 },
  { replicas: 2, seeds: full ? 100 : 10 },
])("two runs of one seed give the same bytes: $seeds seeds, $replicas replicas", async ({ seeds, replicas }) => {
  const [one, two] = [await records(seeds, replicas), await records(seeds, replicas)];
  expect(one.length).toBeGreaterThan(seeds);
  expect(two).toEqual(one);
});
