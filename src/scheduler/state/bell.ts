/** A bell that rings with each change, for work that waits for one. */
import { abortable, type Clock } from "../../base/index.js";

export class Bell {
  readonly #waiting = new Set<() => void>();

  /** Ends all waits. */
  ring(): void {
    for (const end of this.#waiting) end();
  }

  /** Resolves when the bell next rings, or after `withinMs`. */
  async wait(clock: Clock, withinMs: number, signal: AbortSignal): Promise<void> {
    let end = (): void => {};
    const changed = new Promise<void>((resolve) => {
      end = resolve;
    });
    this.#waiting.add(end);
    using _timer = clock.timer(withinMs, end);
    try {
      await abortable(changed, signal);
    } finally {
      this.#waiting.delete(end);
    }
  }
}
