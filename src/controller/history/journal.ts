/** Keeps the reasons, reads, writes and result of every reconcile, in a ring. */
import { Ring } from "../../base/index.js";
import { describeReason, type Reason } from "../../workqueue/index.js";

export interface JournalRead {
  readonly kind: string;
  /** The object's key, or a description of the list. */
  readonly key: string;
  /** "" if there was none. */
  readonly revision: string;
}

export interface JournalWrite {
  readonly verb: "create" | "update" | "patch" | "apply" | "delete" | "status";
  readonly kind: string;
  readonly key: string;
  /** The paths of the changed fields; empty for a write that changed nothing. */
  readonly fields: readonly string[];
  /** The revision after the write; "" if nothing was sent or it failed. */
  readonly revision: string;
  /** `unchanged` was sent, and the server had it just so; `skipped` was not sent, because the cache has it just so. */
  readonly outcome: "done" | "unchanged" | "skipped" | "failed";
  /** When the outcome was known, in milliseconds since the epoch. */
  readonly at: number;
  readonly error?: string;
}

interface Failed {
  readonly error: string;
  /** The stack and causes, line by line; empty for a run that was interrupted. */
  readonly stack: readonly string[];
  readonly failures: number;
}

export type JournalResult =
  | { readonly type: "done"; readonly requeueAfterMs?: number }
  | (Failed & { readonly type: "failed"; readonly retryInMs?: number })
  | (Failed & { readonly type: "dead" })
  | { readonly type: "gone" }
  /** Nothing was done: the object or the controller is paused. */
  | { readonly type: "paused"; readonly why: string }
  /** The run has not ended: its time is over, it ignores its signal, and it holds a worker. Another entry will report its end. */
  | { readonly type: "overdue" };

/** The end of a run. */
export type RunOutcome = Exclude<JournalResult, { readonly type: "overdue" }>;

export interface JournalEntry {
  readonly run: number;
  readonly controller: string;
  readonly key: string;
  /** Milliseconds since the epoch. */
  readonly startedAt: number;
  readonly durationMs: number;
  /** The time that the key waited in the queue after it became ready. */
  readonly waitedMs: number;
  readonly reasons: readonly Reason[];
  readonly omittedReasons: number;
  readonly reads: readonly JournalRead[];
  readonly writes: readonly JournalWrite[];
  /** The number of reads and writes that were too many to be kept. */
  readonly omitted: number;
  readonly result: JournalResult;
}

/** Keeps the last entries of all controllers of a manager, and at least one for each key as long as there is room. */
export class Journal {
  readonly #ring = new Ring<JournalEntry>();
  readonly #limit: number;
  readonly #listeners = new Set<(entry: JournalEntry) => void>();

  constructor(limit = 2_000) {
    this.#limit = limit;
  }

  add(entry: JournalEntry): void {
    this.#ring.push(entry);
    if (this.#ring.length > this.#limit) this.#ring.shift();
    for (const listener of this.#listeners) listener(entry);
  }

  /** Called with each entry from now on. */
  watch(listener: (entry: JournalEntry) => void): Disposable {
    this.#listeners.add(listener);
    return { [Symbol.dispose]: () => void this.#listeners.delete(listener) };
  }

  /** Oldest first. */
  entries(filter: { readonly controller?: string; readonly key?: string } = {}): readonly JournalEntry[] {
    const { controller, key } = filter;
    const found: JournalEntry[] = [];
    for (let i = 0; i < this.#ring.length; i++) {
      const entry = this.#ring.at(i) as JournalEntry;
      const isAsked =
        (controller === undefined || entry.controller === controller) && (key === undefined || entry.key === key);
      if (isAsked) found.push(entry);
    }
    return found;
  }

  /** The history of a key, for people. */
  explain(key: string, filter: { readonly controller?: string } = {}): string {
    const entries = this.entries({ ...filter, key });
    if (entries.length === 0) return `${key}: no reconcile is remembered\n`;
    return `${entries.map(explainEntry).join("\n")}\n`;
  }
}

export function explainEntry(entry: JournalEntry): string {
  const { run, controller, key, startedAt, durationMs, reasons, omittedReasons, reads, writes, omitted } = entry;
  const because = reasons.length === 0 ? "for no known reason" : `because ${reasons.map(describeReason).join("; ")}`;
  const more = omittedReasons === 0 ? "" : ` and ${omittedReasons} more`;
  const lines = [`${new Date(startedAt).toISOString()} ${controller} #${run} reconciled ${key} ${because}${more}`];
  if (reads.length > 0) {
    const seen = reads.map(
      ({ kind, key: read, revision }) => `${kind} ${read}${revision === "" ? " (none)" : `@${revision}`}`,
    );
    lines.push(`  read ${seen.join(", ")}`);
  }
  for (const write of writes) lines.push(`  ${explainWrite(write)}`);
  if (omitted > 0) lines.push(`  and ${omitted} more reads and writes`);
  lines.push(
    `  ${explainResult(entry.result)} after ${durationMs < 10 ? durationMs.toFixed(1) : Math.round(durationMs)} ms`,
  );
  if ("stack" in entry.result) lines.push(...entry.result.stack.map((line) => `    ${line}`));
  return lines.join("\n");
}

function explainWrite({ verb, kind, key, fields, revision, outcome, error }: JournalWrite): string {
  if (outcome === "unchanged") return `${verb} ${kind} ${key}: nothing changed`;
  if (outcome === "skipped") return `${verb} ${kind} ${key}: not sent, nothing would change`;
  if (outcome === "failed") return `${verb} ${kind} ${key}: failed: ${error ?? ""}`;
  const changed = fields.length === 0 ? "" : ` (${fields.join(", ")})`;
  return `${verb} ${kind} ${key}${changed}${revision === "" ? "" : ` → ${revision}`}`;
}

function explainResult(result: JournalResult): string {
  switch (result.type) {
    case "done":
      return result.requeueAfterMs === undefined ? "done" : `done, again in ${result.requeueAfterMs} ms,`;
    case "gone":
      return "the object is gone";
    case "paused":
      return `nothing done: ${result.why},`;
    case "overdue":
      return "still running: its time is over, and it does not heed its signal,";
    case "failed": {
      const next =
        result.retryInMs === undefined ? "a retry is already due" : `retry in ${Math.round(result.retryInMs)} ms`;
      return `failed (${result.failures} in a row): ${result.error}; ${next},`;
    }
    case "dead":
      return `given up: ${result.error},`;
  }
}
