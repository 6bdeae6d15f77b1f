/** The metrics that the page has read since it was opened: seldom while nobody looks at them, so that the past has them too. */
import type { NumbersAnswer } from "../../../src/dashboard/wire.js";
import { openedRecording } from "../recording/opened.js";
import { ask } from "./ask.js";
import { plots, Recorder } from "./recorder.js";
import { store } from "./store.js";

export const numbers: Recorder = new Recorder();

const seldomMs = 5_000;
/** A process has many more metrics than there are plots. */
const names = new Set(plots.flatMap(({ metric }) => metric ?? []));
const path = `numbers?${new URLSearchParams(Array.from(names, (name) => ["metric", name])).toString()}`;

export async function readNumbers(signal: AbortSignal): Promise<void> {
  numbers.take(await ask<NumbersAnswer>(path, signal), store.now.process);
}

/** For as long as the page is open. A reading that fails is left out: the view of numbers tells of its own failures. */
export function readSeldom(): void {
  const never = new AbortController().signal;
  setInterval(() => {
    if (store.now.connection === "open" && openedRecording() === undefined) readNumbers(never).catch(() => {});
  }, seldomMs);
}
