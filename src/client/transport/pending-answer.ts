/** An answer under way: turns the bytes that a connection reads into a response. */
import type { HttpHeaders, HttpResponse } from "../../base/index.js";
import { BodyQueue, type BodySource } from "./body-queue.js";

export interface AnswerHead {
  readonly status: number;
  readonly headers: HttpHeaders;
}

/** The caller that waits for an answer. */
export interface Asker {
  resolve(response: HttpResponse): void;
  reject(error: Error): void;
}

/**
 * Invariants:
 * 1. The answer is given once: when its head is there and the chunk that brought it has been read, or when it is
 *    complete.
 * 2. Before that, pieces of its body wait in `#early`; afterwards they go to the queue.
 * 3. After `finish` or `fail` no method may be called.
 */
export class PendingAnswer {
  readonly #asker: Asker;
  readonly #source: BodySource;
  #head: AnswerHead | undefined;
  #early: Buffer[] = [];
  #queue: BodyQueue | undefined;
  #isGiven = false;

  constructor(asker: Asker, source: BodySource) {
    this.#asker = asker;
    this.#source = source;
  }

  get head(): AnswerHead | undefined {
    return this.#head;
  }

  begin(head: AnswerHead): void {
    this.#head = head;
  }

  /** A piece of the body. */
  push(piece: Buffer): void {
    if (this.#queue === undefined) this.#early.push(piece);
    else if (piece.length > 0) this.#queue.push(piece);
  }

  /** Takes a piece whose memory stays the connection's; false if it must not be overwritten until the source is resumed. */
  lend(piece: Buffer): boolean {
    if (this.#queue !== undefined) return this.#queue.lend(piece);
    this.push(Buffer.from(piece));
    return true;
  }

  /** Called when the body is complete. An answer that was not given yet is given whole. */
  finish(): void {
    if (this.#queue !== undefined) this.#queue.end();
    else this.#give(this.#early.length === 1 ? (this.#early[0] as Buffer) : Buffer.concat(this.#early));
  }

  /** Called when everything that has arrived is handled: gives the answer without waiting for more of its body. */
  settle(): void {
    if (this.#isGiven) return;
    const queue = new BodyQueue(this.#source);
    for (const piece of this.#early) if (piece.length > 0) queue.push(piece);
    this.#early = [];
    this.#queue = queue;
    this.#give(queue);
  }

  /** The reader still gets the pieces that have arrived, unless `dropRest` (an abort). */
  fail(error: Error, options: { readonly dropRest?: boolean } = {}): void {
    this.#isGiven = true;
    this.#queue?.fail(error, options);
    this.#asker.reject(error);
  }

  #give(body: HttpResponse["body"]): void {
    const { status, headers } = this.#head as AnswerHead;
    this.#isGiven = true;
    this.#asker.resolve({ status, headers, body });
  }
}
