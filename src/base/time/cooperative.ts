/** Keeps the event loop free during long loops: work runs in slices, with a turn of the loop between them. */
import { type Clock, systemClock } from "./clock.js";

export interface CooperativeOptions {
  readonly clock?: Clock;
  /** The longest time of one slice; 8 by default. */
  readonly sliceMs?: number;
}

/** For the body of a long loop: `if (slice.due()) await slice.pause();` */
export interface Cooperative {
  /** True once the slice is used up. Costs one reading of the clock. */
  due(): boolean;
  /** Lets timers, I/O and other work run for one turn, and begins a new slice. */
  pause(): Promise<void>;
}

export function cooperative(options: CooperativeOptions = {}): Cooperative {
  const { clock = systemClock, sliceMs = 8 } = options;
  let sliceEndsMs = clock.monotonic() + sliceMs;
  return {
    due: () => clock.monotonic() >= sliceEndsMs,
    pause: () =>
      new Promise((resolve) => {
        setImmediate(() => {
          sliceEndsMs = clock.monotonic() + sliceMs;
          resolve();
        });
      }),
  };
}
