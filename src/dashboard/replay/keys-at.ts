/** The keys and figures of controllers at a moment of the past, by the journal alone: takes its entries. Pure. */
import { defined } from "../../base/defined.js";
import type { JournalEntry, KeyPage, KeyQuery, KeyRow, KeyState } from "../../controller/index.js";
import type { ControllerLine } from "../wire.js";

/** The parts of a controller that do not change. */
export type ControllerFacts = Pick<ControllerLine, "name" | "kind" | "concurrency">;

/**
 * The keys that a controller had in a state at a moment. A run that waited then is waiting, and a run that had begun and
 * not ended is running; a key whose last run had ended waits for its next try, or was given up, or came back by itself.
 * Keys of which the journal remembers no run are not known, and neither are keys that were slowed.
 */
export function keysAt(
  entries: readonly JournalEntry[],
  {
    controller,
    state,
    text = "",
    offset = 0,
    limit,
    at,
  }: KeyQuery & { readonly controller: string; readonly at: number },
): KeyPage {
  const rows = rowsAt(
    entries.filter((entry) => entry.controller === controller && entry.key.includes(text)),
    at,
  ).filter((row) => row.state === state);
  return { total: rows.length, rows: rows.slice(offset, offset + limit) };
}

/** The figures of each controller at a moment. */
export function figuresAt(
  entries: readonly JournalEntry[],
  facts: Iterable<ControllerFacts>,
  at: number,
): readonly ControllerLine[] {
  const byController = groupedBy(entries, ({ controller }) => controller);
  return Array.from(facts, (fact): ControllerLine => {
    const own = byController.get(fact.name) ?? [];
    const rows = rowsAt(own, at);
    const number = (state: KeyState): number => rows.filter((row) => row.state === state).length;
    const ended = own.filter((entry) => endOf(entry) <= at);
    const failed = ended.findLast(({ result }) => "error" in result);
    const lastError =
      failed !== undefined && "error" in failed.result
        ? { key: failed.key, message: failed.result.error, at: failed.startedAt }
        : undefined;
    return {
      name: fact.name,
      kind: fact.kind,
      concurrency: fact.concurrency,
      ready: number("ready"),
      delayed: number("delayed"),
      active: number("running"),
      failing: number("failing"),
      dead: number("dead"),
      paused: number("paused"),
      slowed: 0,
      overdue: ended.filter(({ result, run }) => result.type === "overdue" && !hasEnded(own, run, at)).length,
      runs: ended.length,
      ...defined({ lastError }),
    };
  });
}

const endOf = ({ startedAt, durationMs }: JournalEntry): number => startedAt + durationMs;

const hasEnded = (own: readonly JournalEntry[], run: number, at: number): boolean =>
  own.some((entry) => entry.run === run && entry.result.type !== "overdue" && endOf(entry) <= at);

/** A row for each key that had a state worth a row: a key that is done has none. */
function rowsAt(own: readonly JournalEntry[], at: number): readonly KeyRow[] {
  const rows: KeyRow[] = [];
  for (const [key, runs] of groupedBy(own, (entry) => entry.key)) {
    const row = rowAt(key, runs, at);
    if (row !== undefined) rows.push(row);
  }
  return rows.toSorted((a, b) => (a.dueInMs ?? 0) - (b.dueInMs ?? 0) || (b.forMs ?? 0) - (a.forMs ?? 0));
}

function rowAt(key: string, runs: readonly JournalEntry[], at: number): KeyRow | undefined {
  const ended = runs.filter(({ result }) => result.type !== "overdue");
  const running = ended.find((entry) => entry.startedAt <= at && at < endOf(entry));
  const last = ended.findLast((entry) => endOf(entry) <= at);
  const next = ended.find((entry) => entry.startedAt > at);
  const result = last?.result;
  const failures = result !== undefined && "failures" in result ? result.failures : 0;
  if (running !== undefined)
    return { ...reasonsOf(running), key, failures, state: "running", forMs: at - running.startedAt };
  if (next !== undefined && next.startedAt - next.waitedMs <= at)
    return { ...reasonsOf(next), key, failures, state: "ready", forMs: at - (next.startedAt - next.waitedMs) };
  if (last === undefined || result === undefined) return undefined;
  const common = { ...reasonsOf(last), key, failures };
  switch (result.type) {
    case "failed": {
      const dueInMs = result.retryInMs === undefined ? undefined : Math.max(0, endOf(last) + result.retryInMs - at);
      return { ...common, state: "failing", error: result.error, ...defined({ dueInMs }) };
    }
    case "dead":
      return { ...common, state: "dead", error: result.error, since: endOf(last) };
    case "paused":
      return { ...common, state: "paused" };
    case "done": {
      if (result.requeueAfterMs === undefined) return undefined;
      return { ...common, state: "delayed", dueInMs: Math.max(0, endOf(last) + result.requeueAfterMs - at) };
    }
    case "gone":
    case "overdue":
      return undefined;
  }
}

const reasonsOf = ({ reasons, omittedReasons }: JournalEntry): Pick<KeyRow, "reasons" | "omittedReasons"> => ({
  reasons,
  omittedReasons,
});

function groupedBy(
  entries: readonly JournalEntry[],
  nameOf: (entry: JournalEntry) => string,
): ReadonlyMap<string, readonly JournalEntry[]> {
  const groups = new Map<string, JournalEntry[]>();
  for (const entry of entries) {
    const known = groups.get(nameOf(entry));
    if (known === undefined) groups.set(nameOf(entry), [entry]);
    else known.push(entry);
  }
  return groups;
}
