/** A reconcile in one line, and whether it concerns an object: takes its entry in the journal. Pure. */
import type { JournalEntry } from "../../controller/index.js";
import { describeReason, type Reason } from "../../workqueue/reasons.js";
import type { RunLine } from "../wire.js";

export function runLine(entry: JournalEntry): RunLine {
  const { controller, key, run, startedAt, waitedMs, durationMs, result, reasons, writes } = entry;
  const [first] = reasons;
  const done = writes.filter(({ outcome }) => outcome === "done");
  const changed = reasons.filter(({ revision = "" }) => revision !== "");
  return {
    controller,
    key,
    run,
    startedAt,
    waitedMs: tenths(waitedMs),
    durationMs: tenths(durationMs),
    result: result.type,
    because: first === undefined ? "" : describeReason(first).slice(0, 200),
    wokenBy: changed.slice(0, namedChanges).map(changeOf),
    wrote: done.slice(0, namedChanges).map((write) => ({ change: changeOf(write), at: write.at })),
    writes: done.length,
  };
}

/** True for a run of a key with this text, and for one that an object with it woke or that wrote one. */
export function concerns({ key, reasons, writes }: JournalEntry, text: string): boolean {
  const has = (one: { readonly key?: string }): boolean => one.key?.includes(text) === true;
  return key.includes(text) || reasons.some(has) || writes.some(has);
}

const namedChanges = 8;

const changeOf = ({ kind = "", key = "", revision = "" }: Pick<Reason, "kind" | "key" | "revision">): string =>
  `${kind} ${key}@${revision}`;

export const tenths = (ms: number): number => Math.round(ms * 10) / 10;
