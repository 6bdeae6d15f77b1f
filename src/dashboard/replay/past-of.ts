/** The controllers and their newest reconciles at a moment, by the journal alone: takes its entries. Pure. */
import { defined } from "../../base/defined.js";
import type { JournalEntry } from "../../controller/index.js";
import type { PastState } from "../wire.js";
import { type ControllerFacts, figuresAt } from "./keys-at.js";
import { runLine } from "./run-line.js";

const mostRuns = 300;

export function pastOf(entries: readonly JournalEntry[], facts: Iterable<ControllerFacts>, at: number): PastState {
  const begun = entries.filter(({ startedAt }) => startedAt <= at);
  return {
    controllers: figuresAt(entries, facts, at),
    runs: begun.slice(-mostRuns).map(runLine),
    ...defined({ since: entries[0]?.startedAt }),
  };
}
