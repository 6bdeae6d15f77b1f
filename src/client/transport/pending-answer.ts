/** An answer on its way: what a connection has read of it becomes a response. From http1/ and http2/; to whoever asked. */
import type { HttpHeaders, HttpResponse } from "../../base/index.js";
import { BodyQueue, type BodySource } from "./body-queue.js";

export interface AnswerHead {
  readonly status: number;
  readonly headers: HttpHeaders;
}

/** Who waits for an answer. */
export interface Asker {
  resolve(response: HttpResponse): void;
  reject(error: Error): void;
}

/**
 *  1. It is given once: when its head is there and the chunk that brought it has been read, or when it is complete.
 *  2. Before that, pieces of its body wait in `early`; afterwards they go to the queue.
 *  3. After `finish` or `fail` it is told nothing more.
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

  /** A piece whose memory stays the connection's; false if that must not be written to until the source is resumed. */
  lend(piece: Buffer): boolean {
    if (this.#queue !== undefined) return this.#queue.lend(piece);
    this.push(Buffer.from(piece));
    return true;
  }

  /** The body is complete. An answer that nobody has seen yet is given whole. */
  finish(): void {
    if (this.#queue !== undefined) this.#queue.end();
    else this.#give(this.#early.length === 1 ? (this.#early[0] as Buffer) : Buffer.concat(this.#early));
  }

  /** All that has arrived has been read: the answer does not wait for more of its body. */
  settle(): void {
    if (this.#isGiven) return;
    const queue = new BodyQueue(this.#source);
    for (const piece of this.#early) if (piece.length > 0) queue.push(piece);
    this.#early = [];
    this.#queue = queue;
    this.#give(queue);
  }

  /** What has arrived is still read; with `dropRest` (an abort) it is not. */
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
