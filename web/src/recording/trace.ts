/** Reads a recording, a file in the Trace Event Format as `simulate` writes it: takes its text, gives its entries in the order of time. */
import type { JournalEntry } from "../../../src/controller/index.js";
import { isRecord } from "../../../src/base/members.js";
import { JsonWalk, type Pause } from "./json-parts.js";
import { numberOf, textOf, textsOf } from "./plain.js";
import { runOf } from "./run-of.js";

export interface Told {
  /** Milliseconds since the recording began. */
  readonly at: number;
  /** The row of the trace: a replica, the scenario, or the faults. */
  readonly actor: string;
  readonly type: "request" | "event" | "reconcile" | "fault" | "life" | "other";
  readonly text: string;
  readonly run?: JournalEntry;
  /** An event of a watch. */
  readonly seen?: Seen;
  /** The resource that a request lists or watches, and whether that failed. */
  readonly asked?: { readonly verb: "list" | "watch"; readonly resource: string; readonly failed: boolean };
  /** The revision that a write made. */
  readonly revision?: string;
}

interface Seen {
  readonly event: string;
  readonly resource: string;
  readonly kind: string;
  readonly key: string;
  readonly revision: string;
}

export interface Trace {
  readonly seed: string;
  readonly oracle: string;
  readonly messages: readonly string[];
  readonly faults: readonly string[];
  readonly entries: readonly Told[];
  /** Entries that were left out because they are too many, too large, or not in the format. */
  readonly omitted: number;
}

export const mostCharacters = 256_000_000;
const mostEntries = 100_000;
const longestEntry = 1_000_000;
const mostRows = 200;

/** Rejects with a SyntaxError that says what is wrong with the text. */
export async function readTrace(text: string, pause: Pause): Promise<Trace> {
  const walk = new JsonWalk(text, pause);
  const rows = new Map<number, string>();
  const entries: (Omit<Told, "actor"> & { readonly row: number })[] = [];
  let [omitted, hasEvents] = [0, false];
  let about: Readonly<Record<string, unknown>> = {};
  const takeEvent = async (): Promise<void> => {
    const part = await walk.value();
    const event: unknown = part.length > longestEntry ? undefined : JSON.parse(part);
    if (!isRecord(event)) omitted += 1;
    else if (event["ph"] === "M") nameRow(rows, event);
    else {
      const told = toldOf(event);
      if (told === undefined || entries.length >= mostEntries) omitted += 1;
      else entries.push(told);
    }
  };
  const takeEvents = (): Promise<void> => {
    hasEvents = true;
    return walk.each("[", takeEvent);
  };
  if (walk.peek() === "[") await takeEvents();
  else
    await walk.each("{", async () => {
      const name: unknown = JSON.parse(await walk.value());
      walk.take(":");
      if (name === "traceEvents") return takeEvents();
      const part = await walk.value();
      const value: unknown = name === "otherData" && part.length <= longestEntry ? JSON.parse(part) : undefined;
      if (isRecord(value)) about = value;
    });
  if (!hasEvents) throw new SyntaxError("the file has no member traceEvents: it is not a recording of simulate");
  return {
    seed: textOf(about["seed"]),
    oracle: textOf(about["oracle"]),
    messages: textsOf(about["messages"]),
    faults: textsOf(about["faults"]),
    entries: inOrder(entries, typeof about["seed"] === "string").map(({ row, ...told }) => {
      return { ...told, actor: rows.get(row) ?? `row ${row}` };
    }),
    omitted,
  };
}

/**
 * A record of simulate is in the order in which things happened, and its clock begins anew with the scenario: times
 * before that become its beginning. Other traces have no order.
 */
function inOrder<T extends { readonly at: number }>(entries: readonly T[], isRecorded: boolean): readonly T[] {
  if (!isRecorded) return entries.toSorted((a, b) => a.at - b.at);
  let next = Infinity;
  return entries
    .toReversed()
    .map((entry) => {
      next = Math.min(next, entry.at);
      return { ...entry, at: next };
    })
    .toReversed();
}

type Json = Readonly<Record<string, unknown>>;

function nameRow(rows: Map<number, string>, { name, tid, args }: Json): void {
  if (name === "thread_name" && isRecord(args) && rows.size < mostRows) rows.set(numberOf(tid), textOf(args["name"]));
}

const types: ReadonlySet<string> = new Set(["request", "event", "reconcile", "fault", "life"]);

function toldOf(event: Json): (Omit<Told, "actor"> & { readonly row: number }) | undefined {
  const { name, cat, ts, dur, tid, args } = event;
  if (typeof name !== "string" || typeof ts !== "number" || !Number.isFinite(ts)) return undefined;
  const type = (typeof cat === "string" && types.has(cat) ? cat : "other") as Told["type"];
  // a reconcile is told at its end, as in the record
  const at = (ts + numberOf(dur)) / 1_000;
  const common = { row: numberOf(tid), at, type, text: textOf(name) };
  if (!isRecord(args)) return common;
  if (type === "reconcile") {
    const run = runOf(args["run"], at);
    return run === undefined ? common : { ...common, run };
  }
  if (type === "event") return { ...common, seen: seenOf(args) };
  return type === "request" ? { ...common, ...requestOf(args) } : common;
}

function seenOf({ event, resource, kind, key, revision }: Json): Seen {
  return {
    event: textOf(event),
    resource: textOf(resource),
    kind: textOf(kind),
    key: textOf(key),
    revision: textOf(revision),
  };
}

function requestOf({ target, outcome, revision, changed }: Json): Pick<Told, "asked" | "revision"> {
  if (!isRecord(target)) return {};
  const { verb, resource } = target;
  if (verb === "list" || verb === "watch")
    return { asked: { verb, resource: textOf(resource), failed: typeof outcome !== "number" || outcome >= 400 } };
  return changed === true ? { revision: textOf(revision) } : {};
}
