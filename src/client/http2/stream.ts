/** One request and its answer on an HTTP/2 connection. From session.ts, which moves the frames; to whoever sent the request. */
import type { HttpHeaders, HttpResponse } from "../../base/index.js";
import { BodyQueue } from "../transport/body-queue.js";
import type { Sending } from "./outbox.js";

export interface StreamOptions {
  readonly id: number;
  readonly sendWindow: number;
  readonly body: Uint8Array | undefined;
  /** When so much has been read, as much may be sent again. */
  readonly grantAt: number;
  grant(bytes: number): void;
  /** The reader has stopped early. */
  cancel(): void;
  resolve(response: HttpResponse): void;
  reject(error: Error): void;
}

interface Head {
  readonly status: number;
  readonly headers: HttpHeaders;
}

/**
 *  1. The answer is given once: when its head is there and the chunk that brought it has been read, or when it is complete.
 *  2. Before that, pieces of its body wait in `early`; afterwards they go to the queue.
 *  3. After `finish` or `fail` it is told nothing more.
 */
export class Http2Stream implements Sending {
  readonly id: number;
  sendWindow: number;
  unsent: Uint8Array | undefined;
  flushed = false;
  /** Disposed when the exchange is over. */
  watching: Disposable | undefined;
  readonly #options: StreamOptions;
  #head: Head | undefined;
  #early: Buffer[] = [];
  #queue: BodyQueue | undefined;
  #isAnswered = false;
  #isPaused = false;
  /** Bytes of the body so far. */
  #length = 0;
  /** Received and not yet granted again. */
  #held = 0;

  constructor(options: StreamOptions) {
    this.#options = options;
    this.id = options.id;
    this.sendWindow = options.sendWindow;
    this.unsent = options.body;
  }

  get hasHead(): boolean {
    return this.#head !== undefined;
  }

  head(head: Head): void {
    this.#head = head;
  }

  /** A piece of the body; `bytes` is what it took of the window. */
  data(piece: Buffer, bytes: number): void {
    this.#length += piece.length;
    this.#held += bytes;
    if (this.#queue === undefined) this.#early.push(piece);
    else if (piece.length > 0) this.#queue.push(piece);
    this.#grant();
  }

  /** What is wrong with a body that is said to be complete. */
  lacking(): string | undefined {
    const announced = this.#head?.headers["content-length"];
    // an answer without any body may announce the one that it would have had
    if (announced === undefined || this.#length === 0 || Number(announced) === this.#length) return undefined;
    return `the answer has ${this.#length} bytes, but announced ${String(announced)}`;
  }

  /** The body is complete. An answer that nobody has seen yet is given whole. */
  finish(): void {
    if (this.#queue !== undefined) this.#queue.end();
    else this.#answer(this.#early.length === 1 ? (this.#early[0] as Buffer) : Buffer.concat(this.#early));
  }

  /** All that has arrived has been read: the answer does not wait for more of its body. */
  settle(): void {
    if (this.#isAnswered) return;
    const queue = new BodyQueue({
      pause: () => {
        this.#isPaused = true;
      },
      resume: () => {
        this.#isPaused = false;
        this.#grant();
      },
      cancel: () => this.#options.cancel(),
    });
    for (const piece of this.#early) if (piece.length > 0) queue.push(piece);
    this.#early = [];
    this.#queue = queue;
    this.#answer(queue);
  }

  /** What has arrived is still read; with `dropRest` (an abort) it is not. */
  fail(error: Error, options: { readonly dropRest?: boolean } = {}): void {
    this.#isAnswered = true;
    this.#queue?.fail(error, options);
    this.#options.reject(error);
  }

  #answer(body: HttpResponse["body"]): void {
    const { status, headers } = this.#head as Head;
    this.#isAnswered = true;
    this.#options.resolve({ status, headers, body });
  }

  #grant(): void {
    if (this.#isPaused || this.#held < this.#options.grantAt) return;
    this.#options.grant(this.#held);
    this.#held = 0;
  }
}
