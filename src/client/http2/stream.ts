/** One request and its answer on an HTTP/2 connection. */
import type { HttpResponse } from "../../base/index.js";
import type { BodySource } from "../transport/body-queue.js";
import { mostInformational } from "../transport/headers.js";
import { type AnswerHead, PendingAnswer } from "../transport/pending-answer.js";
import type { Sending } from "./outbox.js";
import { ReceiveWindow } from "./receive-window.js";

export interface StreamOptions {
  readonly id: number;
  readonly sendWindow: number;
  readonly body: Uint8Array | undefined;
  /** The greatest number of bytes that may be sent and not yet read. */
  readonly windowBytes: number;
  grant(bytes: number): void;
  /** Called when the reader has stopped early. */
  cancel(): void;
  resolve(response: HttpResponse): void;
  reject(error: Error): void;
}

/** While its reader is behind, the server is granted no more bytes. */
export class Http2Stream implements Sending, BodySource {
  readonly id: number;
  sendWindow: number;
  unsent: Uint8Array | undefined;
  flushed = false;
  /** Disposed when the exchange is over. */
  watching: Disposable | undefined;
  readonly #options: StreamOptions;
  readonly #answer: PendingAnswer;
  #isPaused = false;
  /** Bytes of the body so far. */
  #length = 0;
  readonly #window: ReceiveWindow;
  #informed = 0;

  constructor(options: StreamOptions) {
    this.#options = options;
    this.id = options.id;
    this.sendWindow = options.sendWindow;
    this.unsent = options.body;
    this.#answer = new PendingAnswer(options, this);
    this.#window = new ReceiveWindow(options.windowBytes);
  }

  /** The reader is behind. */
  pause(): void {
    this.#isPaused = true;
  }

  resume(): void {
    this.#isPaused = false;
    this.#grant();
  }

  cancel(): void {
    this.#options.cancel();
  }

  get hasHead(): boolean {
    return this.#answer.head !== undefined;
  }

  /** Counts an informational answer (RFC 9110, section 15.2); false if there were too many. */
  inform(): boolean {
    return ++this.#informed <= mostInformational;
  }

  head(head: AnswerHead): void {
    this.#answer.begin(head);
  }

  /** Takes a piece of the body, which uses `bytes` of the window. Throws a ProtocolViolation if that is more than was granted. */
  data(piece: Buffer, bytes: number): void {
    this.#window.take(bytes, "a stream's window");
    this.#length += piece.length;
    this.#answer.push(piece);
    this.#grant();
  }

  /** The fault of a body that the server declared complete; undefined if there is none. */
  lacking(): string | undefined {
    const announced = this.#answer.head?.headers["content-length"];
    // an answer without a body (as to HEAD) may announce the length of the body that it would have had
    if (announced === undefined || this.#length === 0 || Number(announced) === this.#length) return undefined;
    return `the answer has ${this.#length} bytes, but announced ${String(announced)}`;
  }

  /** The body is complete. */
  finish(): void {
    this.#answer.finish();
  }

  /** Called when everything that has arrived is handled: gives the answer without waiting for more of its body. */
  settle(): void {
    this.#answer.settle();
  }

  /** The reader still gets the pieces that have arrived, unless `dropRest` (an abort). */
  fail(error: Error, options: { readonly dropRest?: boolean } = {}): void {
    this.#answer.fail(error, options);
  }

  #grant(): void {
    if (this.#isPaused) return;
    const bytes = this.#window.grant();
    if (bytes > 0) this.#options.grant(bytes);
  }
}
