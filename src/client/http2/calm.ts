/** Hangs up on a server that floods the connection with frames without content (RFC 9113, section 10.5). */
import type { Clock } from "../../base/index.js";
import { ProtocolViolation } from "../transport/headers.js";

/** No well-behaved server sends more PING, SETTINGS, PRIORITY or empty frames than this in a second. */
const mostPerSecond = 10_000;

export class Calm {
  readonly #clock: Pick<Clock, "monotonic">;
  #sinceMs: number;
  #count = 0;

  constructor(clock: Pick<Clock, "monotonic">) {
    this.#clock = clock;
    this.#sinceMs = clock.monotonic();
  }

  /** Counts one more frame without content. */
  spend(): void {
    if (++this.#count <= mostPerSecond) return;
    const nowMs = this.#clock.monotonic();
    if (nowMs - this.#sinceMs < 1_000) {
      throw new ProtocolViolation(`more than ${mostPerSecond} frames without content in a second (RFC 9113, 10.5)`);
    }
    this.#sinceMs = nowMs;
    this.#count = 0;
  }
}
