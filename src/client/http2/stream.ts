/** One request and its answer on an HTTP/2 connection. From session.ts, which moves the frames; to whoever sent the request. */
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
  /** The most bytes that may be sent and not yet read. */
  readonly windowBytes: number;
  grant(bytes: number): void;
  /** The reader has stopped early. */
  cancel(): void;
  resolve(response: HttpResponse): void;
  reject(error: Error): void;
}

/** While its reader is behind, the server is granted nothing. */
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

  /** 100 and the like announce the answer; false if there were too many. */
  inform(): boolean {
    return ++this.#informed <= mostInformational;
  }

  head(head: AnswerHead): void {
    this.#answer.begin(head);
  }

  /** A piece of the body, which takes `bytes` of the window. Throws a ProtocolViolation if that is more than was granted. */
  data(piece: Buffer, bytes: number): void {
    this.#window.take(bytes, "a stream's window");
    this.#length += piece.length;
    this.#answer.push(piece);
    this.#grant();
  }

  /** What is wrong with a body that is said to be complete. */
  lacking(): string | undefined {
    const announced = this.#answer.head?.headers["content-length"];
    // an answer without any body may announce the one that it would have had
    if (announced === undefined || this.#length === 0 || Number(announced) === this.#length) return undefined;
    return `the answer has ${this.#length} bytes, but announced ${String(announced)}`;
  }

  /** The body is complete. */
  finish(): void {
    this.#answer.finish();
  }

  /** All that has arrived has been read: the answer does not wait for more of its body. */
  settle(): void {
    this.#answer.settle();
  }

  /** What has arrived is still read; with `dropRest` (an abort) it is not. */
  fail(error: Error, options: { readonly dropRest?: boolean } = {}): void {
    this.#answer.fail(error, options);
  }

  #grant(): void {
    if (this.#isPaused) return;
    const bytes = this.#window.grant();
    if (bytes > 0) this.#options.grant(bytes);
  }
}
