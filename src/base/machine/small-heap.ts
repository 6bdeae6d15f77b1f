/** Keeps the heap near what is in use, for commands that run for long beside others: called once when a server starts. */
import { PerformanceObserver } from "node:perf_hooks";
import { getHeapSpaceStatistics, setFlagsFromString } from "node:v8";

/**
 * V8 lets the young generation grow to 32 MB and the heap to a multiple of what lives in it. Requests leave little behind, so a
 * quarter of that serves as well; a smaller one would cost more time. Both are flags that V8 reads when it decides, and
 * cannot be given on a command line that is not ours.
 */
const youngBytes = 8 * 1024 * 1024;

/** `growthPercent` is how much of the heap may become garbage before it is looked for: less memory for more time. */
export function keepHeapSmall(growthPercent: number): Disposable {
  setFlagsFromString(`--heap-growing-percent=${growthPercent}`);
  let factor = 2;
  const observer = new PerformanceObserver(() => {
    const young = getHeapSpaceStatistics().find(({ space_name }) => space_name === "new_space");
    const next = (young?.space_size ?? 0) >= youngBytes ? 1 : 2;
    if (next !== factor) setFlagsFromString(`--semi-space-growth-factor=${next}`);
    factor = next;
  });
  observer.observe({ entryTypes: ["gc"] });
  return { [Symbol.dispose]: () => observer.disconnect() };
}
