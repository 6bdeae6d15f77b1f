/** Waits for conditions that real servers and processes fulfil in their own time. */
import { systemClock } from "../src/base/index.js";

/** Long enough for a busy machine: only a condition that never holds takes this long. */
export const patienceMs = 60_000;

/** Waits until the condition holds; the error names `what` if it does not. */
export async function eventually(
  what: string,
  holds: () => boolean | Promise<boolean>,
  withinMs: number = patienceMs,
): Promise<void> {
  const deadline = systemClock.monotonic() + withinMs;
  const { signal } = new AbortController();
  while (!(await holds())) {
    if (systemClock.monotonic() > deadline) throw new Error(`in ${withinMs} ms it did not come true that ${what}`);
    await systemClock.sleep(20, signal);
  }
}
