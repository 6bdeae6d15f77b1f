/** What a server may still send of one stream, or of a whole connection (RFC 9113, section 5.2). For session.ts and stream.ts. */
import { ProtocolViolation } from "../transport/headers.js";

/**
 *  1. `left` is what was granted and has not arrived; a server that sends more breaks the protocol (section 6.9.1).
 *  2. `held` is what has arrived and was not granted again: left + held is the size of the window.
 */
export class ReceiveWindow {
  readonly #size: number;
  #held = 0;

  constructor(size: number) {
    this.#size = size;
  }

  get left(): number {
    return this.#size - this.#held;
  }

  /** Throws a ProtocolViolation if the server was not allowed to send so much. */
  take(bytes: number, ofWhat: string): void {
    if (bytes > this.left) {
      throw new ProtocolViolation(
        `more than the ${this.#size} bytes that ${ofWhat} allows at a time (RFC 9113, 6.9.1)`,
      );
    }
    this.#held += bytes;
  }

  /** What to grant again, once that is half of the window; 0 before. */
  grant(): number {
    if (this.#held < this.#size / 2) return 0;
    const bytes = this.#held;
    this.#held = 0;
    return bytes;
  }
}
