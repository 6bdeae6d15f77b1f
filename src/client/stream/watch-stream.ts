/** A watch as an async iterable, event by event or in batches. */
import { defined } from "../../base/defined.js";
import type { KubeObject } from "../../api/object.js";
import { isInitialEventsEnd, type WatchEvent } from "../../api/watch-event.js";
import type { Closable } from "../../base/index.js";
import { ConnectionError, inCall, messageOf, refusedCall } from "../failure.js";
import type { Exchange, OpenAnswer } from "../request/exchange.js";
import { ListBytes } from "../request/limits.js";
import type { BuiltRequest } from "../request/request.js";
import { borrowed } from "../transport/body-queue.js";
import { piecesOf } from "./chunks.js";
import type { Decode } from "./decode.js";
import { WatchFrames, type WatchBatch } from "./watch-frames.js";

/**
 * Events of one resource in the server's order. The request is sent when `open` is called or iteration begins, once.
 * The iteration ends when the server ends the watch, which it does every few minutes: a caller that wants more watches
 * again from the last revision. It throws a StatusError when the server sends ERROR (410 Expired: list again), a
 * ConnectionError when the connection breaks or stays silent, and the signal's reason when that aborts. Events that
 * came before any of these are always delivered first.
 */
export interface WatchStream<T> extends AsyncIterable<WatchEvent<T>>, Closable {
  /** Resolves when the server has accepted the watch; rejects when it refuses. */
  open(): Promise<void>;
  /**
   * The same events, as many at a time as a chunk held; a batch is never empty. For readers that cannot afford a
   * promise for each event.
   */
  batches(): AsyncIterable<readonly WatchEvent<T>[]>;
}

export interface WatchStreamOptions<T> {
  readonly exchange: Exchange;
  readonly built: BuiltRequest;
  readonly decode: Decode<T>;
  readonly signal?: AbortSignal | undefined;
  /** Whether the watch begins with a list, which counts for `limits.listBytes` until its end is told. */
  readonly beginsWithList: boolean;
  /** 0 for never. */
  readonly idleTimeoutMs: number;
}

export function watchStream<T extends KubeObject>(options: WatchStreamOptions<T>): WatchStream<T> {
  return new OneWatch(options);
}

class OneWatch<T extends KubeObject> implements WatchStream<T> {
  readonly #options: WatchStreamOptions<T>;
  #opening: Promise<OpenAnswer> | undefined;
  #taken = false;

  constructor(options: WatchStreamOptions<T>) {
    this.#options = options;
  }

  async open(): Promise<void> {
    await this.#open();
  }

  #open(): Promise<OpenAnswer> {
    const { exchange, built, signal } = this.#options;
    return (this.#opening ??= exchange.open(built, defined({ signal })));
  }

  async *batches(): AsyncGenerator<readonly WatchEvent<T>[], void, undefined> {
    const { exchange, built, decode, idleTimeoutMs, beginsWithList } = this.#options;
    const { clock, limits } = exchange.settings;
    if (this.#taken) throw new Error(`${built.title}: a watch can be iterated once`);
    this.#taken = true;
    const { response, attempt } = await this.#open();
    let list = beginsWithList ? new ListBytes(limits) : undefined;
    const frames = new WatchFrames(decode, limits.objectBytes);
    const silence = (): ConnectionError =>
      new ConnectionError("idle", `nothing came for ${idleTimeoutMs} ms, not even a bookmark`);
    try {
      attempt.expect(idleTimeoutMs, silence);
      for await (const piece of piecesOf(borrowed(response.body), clock)) {
        attempt.hold();
        const { events, error } = read(() => frames.push(piece));
        if (list !== undefined && events.some(isInitialEventsEnd)) list = undefined;
        list?.add(piece.length, events.length);
        if (events.length > 0) yield events;
        attempt.heard();
        if (error !== undefined) throw refusedCall(built.title, error);
      }
      const { events, error } = read(() => frames.finish());
      if (events.length > 0) yield events;
      if (error !== undefined) throw refusedCall(built.title, error);
    } catch (error) {
      throw inCall(built.title, error);
    } finally {
      attempt.end();
    }
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<WatchEvent<T>, void, undefined> {
    for await (const batch of this.batches()) yield* batch;
  }

  async close(): Promise<void> {
    // a watch that never opened holds nothing; a failure to open was reported by `open`
    const answer = await this.#opening?.catch(() => undefined);
    answer?.attempt.end();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }
}

function read<T>(step: () => WatchBatch<T>): WatchBatch<T> {
  try {
    return step();
  } catch (error) {
    throw error instanceof SyntaxError ? notJson(error) : error;
  }
}

function notJson(error: SyntaxError): ConnectionError {
  return new ConnectionError("malformed", `an object in the watch is not JSON: ${messageOf(error)}`, { cause: error });
}
