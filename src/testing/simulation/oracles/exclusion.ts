/** The oracle of replicas that share work by leases: no key is worked on by two of them at once. Pure. */
import type { History } from "../history.js";
import type { Oracle } from "../oracle.js";
import type { Actor, Entry } from "../record.js";

/** A run that wrote. Times are the world's, because the clock of a process may be wrong. */
interface WritingRun {
  readonly actor: Actor;
  readonly controller: string;
  readonly key: string;
  readonly beganMs: number;
  readonly writesMs: readonly number[];
}

/**
 * No replica writes for a key in a run that was under way when another replica wrote for it: every later write of the
 * old holder is refused. A controller that does so without any fault works on all replicas by design.
 */
export const oneAtATime: Oracle = {
  name: "one-at-a-time",
  judge({ history, reference }) {
    if (!history.facts.hasLeases || history === reference) return [];
    const byDesign = new Set(overlaps(reference).map(({ controller }) => controller));
    return overlaps(history)
      .filter(({ controller }) => !byDesign.has(controller))
      .map(
        ({ controller, key, first, second }) =>
          `${controller} reconciled ${key} on ${first.actor} and on ${second.actor} at once: the one began at ${seconds(first.beganMs)} and wrote until ${seconds(Math.max(...first.writesMs))}, the other wrote at ${seconds(Math.min(...second.writesMs))}`,
      );
  },
};

const seconds = (ms: number): string => `${(ms / 1000).toFixed(3)} s`;

interface Overlap {
  readonly controller: string;
  readonly key: string;
  readonly first: WritingRun;
  readonly second: WritingRun;
}

function overlaps({ entries }: History): readonly Overlap[] {
  const found: Overlap[] = [];
  const byKey = new Map<string, WritingRun[]>();
  for (const run of writingRuns(entries)) {
    const others = byKey.get(`${run.controller} ${run.key}`) ?? [];
    for (const other of others) {
      for (const [first, second] of [[run, other] as const, [other, run] as const])
        if (first.actor !== second.actor && isAmid(second, first)) found.push({ ...first, first, second });
    }
    byKey.set(`${run.controller} ${run.key}`, [...others, run]);
  }
  return found;
}

/** True if the run wrote while the other was under way, and the other wrote after that. */
function isAmid(run: WritingRun, other: WritingRun): boolean {
  const at = Math.min(...run.writesMs);
  return other.beganMs < at && other.writesMs.some((ms) => ms > at);
}

function writingRuns(entries: readonly Entry[]): readonly WritingRun[] {
  const writtenAt = new Map<string, number>();
  for (const entry of entries)
    if (entry.type === "request" && entry.changed) writtenAt.set(`${entry.actor} ${entry.revision}`, entry.atMs);
  return entries.flatMap((entry) => {
    if (entry.type !== "reconcile") return [];
    const { actor, atMs, run } = entry;
    // a write that changes nothing has the revision of an earlier one
    const done = run.writes.filter(({ outcome }) => outcome === "done");
    const writesMs = done.flatMap(({ revision }) => writtenAt.get(`${actor} ${revision}`) ?? []);
    if (writesMs.length === 0) return [];
    const beganMs = Math.min(atMs - run.durationMs * surelyUnderWay, ...writesMs);
    return [{ actor, controller: run.controller, key: run.key, beganMs, writesMs }];
  });
}

/** The clock of a process may run too fast by a tenth: a run has lasted for at least this part of its own measure. */
const surelyUnderWay = 0.9;
