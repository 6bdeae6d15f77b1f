/** The metrics that the page has read since it was opened: seldom while nobody looks at them, so that the past has them too. */
import type { NumbersAnswer } from "../../../src/dashboard/wire.js";
import { openedRecording } from "../recording/opened.js";
import { ask } from "./ask.js";
import { Recorder } from "./recorder.js";
import { store } from "./store.js";

export const numbers: Recorder = new Recorder();

const seldomMs = 5_000;

export async function readNumbers(signal: AbortSignal): Promise<void> {
  numbers.take(await ask<NumbersAnswer>("numbers", signal), store.now.process);
}

/** For as long as the page is open. A reading that fails is left out: the view of numbers tells of its own failures. */
export function readSeldom(): void {
  const never = new AbortController().signal;
  setInterval(() => {
    if (store.now.connection === "open" && openedRecording() === undefined) readNumbers(never).catch(() => {});
  }, seldomMs);
}
