/** Lets the thread that runs the program go before the engine's own. For programs whose work is all on one thread. */
import { readdirSync } from "node:fs";
import { setPriority } from "node:os";
import { isMainThread } from "node:worker_threads";

/** Where all cores are busy, a helper gets about a tenth of what the main thread gets; where one is idle, all of it. */
const helperNiceness = 10;

/**
 * V8 compiles and collects on four threads beside the main one, however few cores there are. On two cores those take a tenth of
 * the main thread's time and more while a program is young and everything is compiled at once. The price: beside other busy
 * programs code is compiled later. Linux only, whose threads have priorities of their own; elsewhere, and where it is refused,
 * nothing is done.
 */
export function yieldToMainThread(lower: (thread: number, niceness: number) => void = setPriority): void {
  // in a worker, the others may be working as hard
  if (process.platform !== "linux" || !isMainThread) return;
  try {
    for (const thread of readdirSync("/proc/self/task")) {
      if (Number(thread) !== process.pid) lower(Number(thread), helperNiceness);
    }
  } catch {
    // a thread that has ended meanwhile, or a system that hides them: it goes on as it was
  }
}
