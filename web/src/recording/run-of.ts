/** Reads a reconcile of a recording: takes plain data from a file, gives an entry as the journal has it, or nothing. Pure. */
import type { JournalEntry } from "../../../src/controller/index.js";
import { defined } from "../../../src/base/defined.js";
import { isRecord } from "../../../src/base/members.js";
import { numberOf, textOf, textsOf } from "./plain.js";

type Json = Readonly<Record<string, unknown>>;
type Write = JournalEntry["writes"][number];
type Reason = JournalEntry["reasons"][number];
type Result = JournalEntry["result"];

const mostParts = 1_000;

/** The run on the recording's own clock, at whose given time it ended: the clocks of replicas may jump. */
export function runOf(value: unknown, endedAt: number): JournalEntry | undefined {
  if (!isRecord(value) || typeof value["controller"] !== "string" || typeof value["key"] !== "string") return undefined;
  const durationMs = Math.max(0, numberOf(value["durationMs"]));
  const startedAt = endedAt - durationMs;
  const shiftMs = startedAt - numberOf(value["startedAt"]);
  return {
    run: numberOf(value["run"]),
    controller: textOf(value["controller"]),
    key: textOf(value["key"]),
    startedAt,
    durationMs,
    waitedMs: Math.max(0, numberOf(value["waitedMs"])),
    reasons: recordsOf(value["reasons"]).map(reasonOf),
    omittedReasons: numberOf(value["omittedReasons"]),
    reads: recordsOf(value["reads"]).map(({ kind, key, revision }) => {
      return { kind: textOf(kind), key: textOf(key), revision: textOf(revision) };
    }),
    writes: recordsOf(value["writes"]).map((write) => writeOf(write, shiftMs)),
    omitted: numberOf(value["omitted"]),
    result: resultOf(isRecord(value["result"]) ? value["result"] : {}),
  };
}

const recordsOf = (value: unknown): readonly Json[] =>
  Array.isArray(value) ? value.slice(0, mostParts).filter(isRecord) : [];

const given = (value: unknown): string | undefined => (value === undefined ? undefined : textOf(value));

function reasonOf({ type, kind, key, revision, fields, message }: Json): Reason {
  return {
    type: textOf(type) as Reason["type"],
    ...defined({
      kind: given(kind),
      key: given(key),
      revision: given(revision),
      message: given(message),
      fields: fields === undefined ? undefined : textsOf(fields),
    }),
  };
}

function writeOf({ verb, kind, key, fields, revision, outcome, at, error }: Json, shiftMs: number): Write {
  return {
    verb: textOf(verb) as Write["verb"],
    kind: textOf(kind),
    key: textOf(key),
    fields: textsOf(fields),
    revision: textOf(revision),
    outcome: textOf(outcome) as Write["outcome"],
    at: numberOf(at) + shiftMs,
    ...defined({ error: given(error) }),
  };
}

function resultOf({ type, error, stack, failures, retryInMs, requeueAfterMs, why }: Json): Result {
  const failed = { error: textOf(error), stack: textsOf(stack), failures: numberOf(failures) };
  const after = (ms: unknown): number | undefined => (typeof ms === "number" ? ms : undefined);
  switch (type) {
    case "failed":
      return { type, ...failed, ...defined({ retryInMs: after(retryInMs) }) };
    case "dead":
      return { type, ...failed };
    case "paused":
      return { type, why: textOf(why) };
    case "gone":
    case "overdue":
      return { type };
    default:
      return { type: "done", ...defined({ requeueAfterMs: after(requeueAfterMs) }) };
  }
}
