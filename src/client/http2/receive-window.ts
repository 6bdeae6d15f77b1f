/** Counts the bytes that a server may still send on a stream or a whole connection (RFC 9113, section 5.2). */
import { ProtocolViolation } from "../transport/headers.js";

/**
 * Invariants:
 * 1. `left` is the number of bytes that were granted and have not arrived; a server that sends more breaks the protocol
 *    (section 6.9.1).
 * 2. `#held` is the number of bytes that have arrived and were not granted again: left + held is the size of the
 *    window.
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

  /** Counts bytes that have arrived. Throws a ProtocolViolation if they are more than the server was allowed to send. */
  take(bytes: number, ofWhat: string): void {
    if (bytes > this.left) {
      throw new ProtocolViolation(
        `more than the ${this.#size} bytes that ${ofWhat} allows at a time (RFC 9113, 6.9.1)`,
      );
    }
    this.#held += bytes;
  }

  /** The number of bytes to grant again, once they are half of the window; 0 before. */
  grant(): number {
    if (this.#held < this.#size / 2) return 0;
    const bytes = this.#held;
    this.#held = 0;
    return bytes;
  }
}
