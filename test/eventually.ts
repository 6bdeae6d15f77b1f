/** Waiting for what real servers and processes do in their own time. For tests. */
import { systemClock } from "../src/base/index.js";

/** Long enough for a busy machine: only what never comes takes so long. */
export const patienceMs = 60_000;

/** Waits for what must come true soon; says what it waited for when it does not. */
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
