/** Finds keys of a controller by state and text: takes its queue, failures and loops, gives one page of rows and the number of all. */
import { Heap, type Turns } from "../../base/index.js";
import type { DelayingQueue, QueuedKey, Reasons, WaitingDelayed } from "../../workqueue/index.js";
import type { HotLoopBreaker, LoopReport } from "../history/hot-loop.js";
import type { Retries } from "../history/retries.js";
import { defined } from "../../base/defined.js";

export const keyStates = ["running", "ready", "delayed", "failing", "dead", "slowed", "paused"] as const;

/** `dead` keys were given up; `slowed` keys run in a loop; `paused` keys are left alone. A failing or slowed key may be ready or delayed as well. */
export type KeyState = (typeof keyStates)[number];

export interface KeyQuery {
  readonly state: KeyState;
  /** Only keys that contain this text. */
  readonly text?: string;
  readonly offset?: number;
  readonly limit: number;
}

export interface KeyRow extends Reasons {
  readonly key: string;
  readonly state: KeyState;
  readonly failures: number;
  /** The error of the last run of a failing or dead key. */
  readonly error?: string;
  /** For how long a ready key waits, and a running key runs. */
  readonly forMs?: number;
  /** The time until a delayed key becomes ready. */
  readonly dueInMs?: number;
  /** When a dead key was given up, in milliseconds since the epoch. */
  readonly since?: number;
  /** True if the key was added while it runs, and will run once more. */
  readonly again?: boolean;
  readonly loop?: LoopReport;
}

export interface KeyPage {
  /** The number of keys that match. */
  readonly total: number;
  readonly rows: readonly KeyRow[];
}

/** The states of a loop's keys. */
export interface KeyPlaces {
  readonly queue: DelayingQueue<string>;
  readonly retries: Retries;
  readonly breaker: HotLoopBreaker;
  /** Keys that a pause leaves alone. */
  readonly resting: ReadonlySet<string>;
  /** The monotonic time. */
  readonly now: number;
}

/** The turns between which a search pauses, and the signal that ends it. */
export interface SearchPace {
  readonly turns: Turns;
  readonly signal: AbortSignal | undefined;
}

/**
 * Running and ready keys come in the order of their arrival, delayed keys by their time. Copies only the rows of the
 * page, and works in slices: a search among any number of keys does not hold the event loop. A key that comes and goes
 * meanwhile may be counted or not, and one that comes back twice. Rejects with the signal's reason.
 */
export function queryKeys(places: KeyPlaces, query: KeyQuery, pace: SearchPace): Promise<KeyPage> {
  const { queue, retries, breaker, now } = places;
  switch (query.state) {
    case "running":
    case "ready":
      return queued(places, query, pace);
    case "delayed":
      return soonest(pace, queue.delayedKeys(), query, (entry) => delayedRow(places, entry));
    case "failing":
      return failing(places, query, pace);
    case "dead":
      return paged(pace, retries.deadLetters, query, ({ key, failures, error, since }) => {
        return { key, state: "dead", failures, error, since, reasons: [], omittedReasons: 0 };
      });
    case "slowed":
      return paged(pace, keyed(breaker.slowed(now)), query, ({ key }) => markedRow(places, key, "slowed"));
    case "paused":
      return paged(pace, keyed(places.resting), query, ({ key }) => markedRow(places, key, "paused"));
  }
}

/** A queue knows how many of its keys run and wait: without a text, the keys after the page need not be looked at. */
async function queued(places: KeyPlaces, query: KeyQuery, pace: SearchPace): Promise<KeyPage> {
  const { queue } = places;
  const { state, text = "", offset = 0, limit } = query;
  const [kept, shown] = state === "running" ? (["held", "running"] as const) : (["waiting", "ready"] as const);
  const rows: KeyRow[] = [];
  let [found, seen] = [0, 0];
  // keys that arrive during the search would make it endless
  const most = queue.length + queue.heldCount;
  for (const entry of queue.keys()) {
    if (seen++ >= most || (text === "" && rows.length >= limit)) break;
    if (entry.state === kept && entry.key.includes(text)) {
      if (found >= offset && rows.length < limit) rows.push(queuedRow(places, entry, shown));
      found++;
    }
    if (isLook(seen)) await rest(pace);
  }
  const known = kept === "held" ? queue.heldCount : queue.length;
  return { total: text === "" ? known : found, rows };
}

const keyed = (keys: Iterable<string>): readonly { readonly key: string }[] => Array.from(keys, (key) => ({ key }));

async function paged<E extends { readonly key: string }>(
  pace: SearchPace,
  entries: Iterable<E>,
  { text = "", offset = 0, limit }: KeyQuery,
  row: (entry: E) => KeyRow,
): Promise<KeyPage> {
  const rows: KeyRow[] = [];
  let total = 0;
  await scan(entries, pace, (entry) => {
    if (!entry.key.includes(text)) return;
    if (total >= offset && total < offset + limit) rows.push(row(entry));
    total++;
  });
  return { total, rows };
}

/** Keeps as many of the soonest as the page needs; sorting all of them would take too long. */
async function soonest(
  pace: SearchPace,
  entries: Iterable<WaitingDelayed<string>>,
  query: KeyQuery,
  row: (entry: WaitingDelayed<string>) => KeyRow,
): Promise<KeyPage> {
  const { text = "", offset = 0, limit } = query;
  const latestFirst = new Heap<WaitingDelayed<string>, string>({
    compare: (a, b) => b.dueAt - a.dueAt,
    key: ({ key }) => key,
  });
  let total = 0;
  await scan(entries, pace, (entry) => {
    if (!entry.key.includes(text)) return;
    total++;
    const isFull = latestFirst.size >= offset + limit;
    if (isFull && entry.dueAt >= (latestFirst.peek()?.dueAt ?? 0)) return;
    latestFirst.push(entry);
    if (isFull) latestFirst.pop();
  });
  const found = [...latestFirst.values()].sort((a, b) => a.dueAt - b.dueAt).slice(offset, offset + limit);
  return { total, rows: found.map(row) };
}

async function failing({ queue, retries, now }: KeyPlaces, query: KeyQuery, pace: SearchPace): Promise<KeyPage> {
  const due = new Map<string, WaitingDelayed<string>>();
  await scan(queue.delayedKeys(), pace, (entry) => {
    if (retries.isFailing(entry.key)) due.set(entry.key, entry);
  });
  return paged(pace, retries.failing, query, ({ key, failures, error }) => {
    const entry = due.get(key);
    const row = { key, state: "failing", failures, error, reasons: entry?.reasons ?? [] } as const;
    return { ...row, omittedReasons: 0, ...(entry && { dueInMs: entry.dueAt - now }) };
  });
}

const entriesBetweenLooks = 512;

/** The references are copied first, which takes a fraction of the search: a queue changes while a slice is paused. */
async function scan<E>(entries: Iterable<E>, pace: SearchPace, visit: (entry: E) => void): Promise<void> {
  let seen = 0;
  const copied = Array.from(entries);
  for (const entry of copied) {
    visit(entry);
    seen++;
    if (isLook(seen)) await rest(pace);
  }
}

const isLook = (seen: number): boolean => seen % entriesBetweenLooks === 0;

async function rest({ turns, signal }: SearchPace): Promise<void> {
  if (!turns.due()) return;
  await turns.pause();
  signal?.throwIfAborted();
}

function marks({ retries, breaker, now }: KeyPlaces, key: string): Pick<KeyRow, "failures" | "error" | "loop"> {
  const [error, loop] = [retries.errorOf(key), breaker.reportOf(key, now)];
  return { failures: retries.failures(key), ...defined({ error, loop }) };
}

function queuedRow(places: KeyPlaces, entry: QueuedKey<string>, state: "running" | "ready"): KeyRow {
  const { key, omittedReasons, again } = entry;
  const forMs = places.now - (state === "running" ? entry.heldAt : entry.readyAt);
  return { key, state, reasons: [...entry.reasons], omittedReasons, forMs, again, ...marks(places, key) };
}

function delayedRow(places: KeyPlaces, { key, reasons = [], omittedReasons, dueAt }: WaitingDelayed<string>): KeyRow {
  const dueInMs = dueAt - places.now;
  return { key, state: "delayed", reasons: [...reasons], omittedReasons, dueInMs, ...marks(places, key) };
}

function markedRow(places: KeyPlaces, key: string, state: "slowed" | "paused"): KeyRow {
  return { key, state, reasons: [], omittedReasons: 0, ...marks(places, key) };
}
