/**
 * Generated histories with our autoscaler and with the real kube-controller-manager's: the same metrics lead to the same
 * scales, statuses and events.
 */
import { describe, expect, test } from "vitest";
import { systemClock } from "../../../src/base/index.js";
import { envtestAssets } from "../../../src/testing/envtest.js";
import { type History, historyOf } from "./histories.js";
import { play, type Recording } from "./side.js";

const assets = envtestAssets();
const full = process.env["COXSWAIN_FULL"] === "1";
/** More than in the full run, for a change of the autoscaler. */
const count = Number(process.env["AUTOSCALING_HISTORIES"] ?? 100);
const first = Number(process.env["AUTOSCALING_FIRST"] ?? 1);

/** On a busy machine an autoscaler may look too late: a difference counts if it is there each time. */
const attempts = Number(process.env["AUTOSCALING_ATTEMPTS"] ?? 3);

/** JSON with the members in the order of their names. */
const inOrder = (value: unknown): string =>
  JSON.stringify(value, (_key, member: unknown) =>
    typeof member === "object" && member !== null && !Array.isArray(member)
      ? Object.fromEntries(Object.entries(member).toSorted(([a], [b]) => (a < b ? -1 : 1)))
      : member,
  );

/** Each fact of a recording as a line. */
function linesOf({ scales, statuses, events }: Recording): readonly string[] {
  const steps = statuses.flatMap((status, step) =>
    Object.entries(status as object).flatMap(([field, value]) =>
      (Array.isArray(value) ? value : [value]).map((item) => `step ${step}: ${field} ${inOrder(item)}`),
    ),
  );
  return [`scales: ${scales.join(" ")}`, ...steps, ...events.map((event) => `event: ${event}`)];
}

/** The lines that only one side has, by history. */
async function differencesOf(histories: readonly History[]): Promise<ReadonlyMap<string, readonly string[]>> {
  const [ours, real] = [await play("ours", histories, assets ?? ""), await play("real", histories, assets ?? "")];
  const found = new Map<string, readonly string[]>();
  for (const { name, spec, fault } of histories) {
    const [a, b] = [ours, real].map((side) => linesOf(side.get(name) as Recording)) as [string[], string[]];
    const lines = [
      ...a.filter((line) => !b.includes(line)).map((line) => `ours: ${line}`),
      ...b.filter((line) => !a.includes(line)).map((line) => `real: ${line}`),
    ];
    if (lines.length > 0) found.set(name, [JSON.stringify({ fault, spec }), ...lines]);
  }
  return found;
}

describe.skipIf(assets === undefined || !full)(
  "the autoscaler beside the real one (skipped where KUBEBUILDER_ASSETS is not set, and but for the full run)",
  () => {
    test(`histories of the seeds ${first} to ${first + count - 1}`, { timeout: 1_800_000 }, async () => {
      const now = systemClock.now();
      let histories = Array.from({ length: count }, (_, index) => historyOf(first + index, now));
      let found: ReadonlyMap<string, readonly string[]> = new Map();
      for (let attempt = 1; attempt <= attempts && histories.length > 0; attempt++) {
        found = await differencesOf(histories);
        histories = histories.filter(({ name }) => found.has(name));
      }
      expect(Object.fromEntries(found)).toEqual({});
    });
  },
);
