/** A failure as text: the plan, the expected and the actual state, and the record around the faults. Pure. */
import type { History } from "./history.js";
import { describeFault } from "./plan.js";
import { describeEntry, type Entry } from "./record.js";

/** Entries before the first fault and after the last one that a story shows. */
const before = 12;
const after = 60;

export interface StoryParts {
  readonly history: History;
  readonly oracle: string;
  readonly messages: readonly string[];
}

export function storyOf({ history, oracle, messages }: StoryParts): string {
  const { plan, entries } = history;
  const faults = plan.faults.map(describeFault);
  return [
    `seed ${plan.seed}: ${oracle}`,
    ...messages.map((message) => `  ${message}`),
    faults.length === 0
      ? "It happens without any fault."
      : `It takes ${faults.length === 1 ? "one fault" : `${faults.length} faults`}:`,
    ...faults.map((line) => `  ${line}`),
    "",
    ...decisive(entries).map(describeOrGap),
    "",
    `Repeat it with COXSWAIN_SEED=${plan.seed}.`,
  ].join("\n");
}

/** The entries around the faults; without a fault all entries, up to a bound. */
function decisive(entries: readonly Entry[]): readonly (Entry | number)[] {
  const hits = entries.flatMap(({ type }, index) => (type === "fault" ? [index] : []));
  const wanted = new Set<number>();
  const mark = (from: number, to: number): void => {
    for (let i = Math.max(0, from); i < Math.min(entries.length, to); i++) wanted.add(i);
  };
  if (hits.length === 0) mark(0, before + after);
  for (const hit of hits) mark(hit - before, hit + after);
  const shown: (Entry | number)[] = [];
  let skipped = 0;
  entries.forEach((entry, index) => {
    if (!wanted.has(index)) {
      skipped += 1;
      return;
    }
    if (skipped > 0) shown.push(skipped);
    skipped = 0;
    shown.push(entry);
  });
  if (skipped > 0) shown.push(skipped);
  return shown;
}

const describeOrGap = (entry: Entry | number): string =>
  typeof entry === "number" ? `             … ${entry} more` : describeEntry(entry);
