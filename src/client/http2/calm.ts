/** Hangs up on a server that sends very many frames that bring nothing (RFC 9113, section 10.5). For session.ts. */
import type { Clock } from "../../base/index.js";
import { ProtocolViolation } from "../transport/headers.js";

/** No server that means well sends more PING, SETTINGS, PRIORITY or empty frames than this in a second. */
const mostPerSecond = 10_000;

export class Calm {
  readonly #clock: Pick<Clock, "monotonic">;
  #sinceMs: number;
  #count = 0;

  constructor(clock: Pick<Clock, "monotonic">) {
    this.#clock = clock;
    this.#sinceMs = clock.monotonic();
  }

  /** One more frame that brings nothing. */
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
