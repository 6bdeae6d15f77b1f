/**
 * One script of changes, with our controllers and with the real kube-controller-manager: the final states and the
 * events on the way must be the same.
 */
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { envtestAssets } from "../../../src/testing/envtest.js";
import { differences } from "./compare.js";
import { knownDifferences } from "./known.js";
import { record, type Recording, type Scenario } from "./scenario.js";
import { scenarios } from "./scenarios/index.js";
import { type SideParts, startSide } from "./side.js";

const assets = envtestAssets();
const full = process.env["COXSWAIN_FULL"] === "1";
const wanted = new RegExp(process.env["CONTROLLER_SCENARIOS"] ?? "");
const out = process.env["CONTROLLER_OUT"];

type Recordings = ReadonlyMap<string, Recording>;

const asked = scenarios.filter(({ name }) => wanted.test(name));
const realParts: SideParts = { server: "real", controllers: "real" };

async function recordSide(parts: SideParts, played: readonly Scenario[] = asked): Promise<Recordings> {
  await using side = await startSide(parts, assets ?? "");
  const recordings = await record(side, played);
  await note(`${nameOf(parts)}.json`, JSON.stringify(Object.fromEntries(recordings), undefined, 1));
  return recordings;
}

/** Writes a file for inspection, if a folder is given. */
async function note(name: string, text: string): Promise<void> {
  if (out !== undefined) await writeFile(join(out, name), text);
}

function unexpected(
  { controllers }: SideParts,
  played: readonly Scenario[],
  { ours, real }: { readonly ours: Recordings; readonly real: Recordings },
): readonly string[] {
  const known = knownDifferences.filter((one) => one.controllers === undefined || one.controllers === controllers);
  const found = played.flatMap((scenario) => {
    const [a, b] = [ours.get(scenario.name), real.get(scenario.name)];
    return a === undefined || b === undefined ? [] : differences(scenario, a, b);
  });
  return found.filter((text) => !known.some(({ line }) => line.test(text)));
}

/**
 * On a busy machine steps merge: a difference that comes from the pace alone is not there again when fewer scenarios
 * are played.
 */
const attempts = 3;
const withoutNumbers = (line: string): string => line.replaceAll(/\d+/g, "N");

const nameOf = ({ controllers, server }: SideParts): string => `${controllers}-on-${server}`;

async function differencesThatStay(parts: SideParts, ours: Recordings, real: Recordings): Promise<readonly string[]> {
  let found = unexpected(parts, asked, { ours, real });
  for (let attempt = 2; attempt <= attempts && found.length > 0; attempt++) {
    await note(`${nameOf(parts)}-doubts-${attempt}.txt`, found.join("\n"));
    const doubtful = asked.filter(({ name }) => found.some((line) => line.startsWith(`${name}: `)));
    const [one, other] = await Promise.all([recordSide(parts, doubtful), recordSide(realParts, doubtful)]);
    const again = new Set(unexpected(parts, doubtful, { ours: one, real: other }).map(withoutNumbers));
    found = found.filter((line) => again.has(withoutNumbers(line)));
  }
  return found;
}

const compared = [
  ["ours on a real server", { server: "real", controllers: "ours" }],
  ["ours on the embedded server", { server: "embedded", controllers: "ours" }],
  ["the real ones on the embedded server", { server: "embedded", controllers: "real" }],
] as const;

/** A scenario that hangs ends long before: each has its own limit. */
const timeoutMs = 2_400_000;

describe.skipIf(assets === undefined || !full)(
  "controllers beside the real ones on a real server (skipped where KUBEBUILDER_ASSETS is not set, and but for the full run)",
  () => {
    const recorded = new Map<SideParts, Recordings>();
    let teacher: Recordings;

    beforeAll(async () => {
      const [[, oursOnReal], [, oursOnOurs], [, realOnOurs]] = compared;
      // most of the time goes by with waiting until all is quiet; one real server at a time is enough for a machine
      const first = await Promise.all([recordSide(realParts), recordSide(oursOnOurs)]);
      const then = await Promise.all([recordSide(oursOnReal), recordSide(realOnOurs)]);
      teacher = first[0];
      recorded.set(oursOnOurs, first[1]).set(oursOnReal, then[0]).set(realOnOurs, then[1]);
    }, timeoutMs);

    test.each(compared)(
      `%s: ${scenarios.length} scenarios come to the same end and tell the same events`,
      async (_title, parts) => {
        const found = await differencesThatStay(parts, recorded.get(parts) ?? new Map(), teacher);
        await note(`${nameOf(parts)}.txt`, found.map((line) => `${line}\n`).join(""));
        expect(found).toEqual([]);
      },
      timeoutMs,
    );
  },
);
