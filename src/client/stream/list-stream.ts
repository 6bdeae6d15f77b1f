/** A list whose items are delivered while it arrives. */
import type { HttpResponse } from "../../base/index.js";
import { ConnectionError, inCall, messageOf } from "../failure.js";
import { ListBytes } from "../request/limits.js";
import type { Attempt, Exchange } from "../request/exchange.js";
import type { CallOptions } from "../request/options.js";
import type { BuiltRequest } from "../request/request.js";
import { borrowed } from "../transport/body-queue.js";
import { piecesOf } from "./chunks.js";
import type { Decode } from "./decode.js";
import { type ListEnvelope, ListScanner } from "./list-scanner.js";

/**
 * The items of one answer, in its order. Memory holds the decoded items and one chunk, never the whole text; the event
 * loop is left free. A stream that throws has delivered a part of the list: the rest is unknown, and the whole list
 * must be requested again.
 */
export interface ListStream<T> extends AsyncIterable<T> {
  /** The same items, as many at a time as a chunk held; a batch is never empty. Items or batches can be iterated once. */
  batches(): AsyncIterable<readonly T[]>;
  /** The bytes read so far, uncompressed. */
  readonly bytes: number;
  /**
   * Kind and metadata (resourceVersion, continue). Throws before the last item was delivered, because they may be
   * written at the end.
   */
  envelope(): ListEnvelope;
}

export interface ListStreamOptions<T> {
  readonly exchange: Exchange;
  readonly built: BuiltRequest;
  readonly decode: Decode<T>;
  readonly call: CallOptions;
}

export function listStream<T>(options: ListStreamOptions<T>): ListStream<T> {
  return new OneList(options);
}

class OneList<T> implements ListStream<T> {
  readonly #options: ListStreamOptions<T>;
  readonly #size: ListBytes;
  #envelope: ListEnvelope | undefined;
  #taken = false;

  constructor(options: ListStreamOptions<T>) {
    this.#options = options;
    this.#size = new ListBytes(options.exchange.settings.limits);
  }

  async *batches(): AsyncGenerator<readonly T[], void, undefined> {
    const { exchange, built, decode, call } = this.#options;
    if (this.#taken) throw new Error(`${built.title}: a list stream can be iterated once`);
    this.#taken = true;
    const { response, attempt } = await exchange.open(built, call);
    const finished = (found: ListEnvelope): void => void (this.#envelope = found);
    try {
      yield* itemsOf({ response, attempt, decode, exchange, call, size: this.#size, finished });
    } catch (error) {
      throw inCall(built.title, error);
    } finally {
      attempt.end();
    }
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<T, void, undefined> {
    for await (const batch of this.batches()) yield* batch;
  }

  get bytes(): number {
    return this.#size.sum;
  }

  envelope(): ListEnvelope {
    if (this.#envelope !== undefined) return this.#envelope;
    throw new Error(`${this.#options.built.title}: the list's metadata is known at its end`);
  }
}

interface Reading<T> {
  readonly response: HttpResponse;
  readonly attempt: Attempt;
  readonly decode: Decode<T>;
  readonly exchange: Exchange;
  readonly call: CallOptions;
  readonly size: ListBytes;
  finished(envelope: ListEnvelope): void;
}

async function* itemsOf<T>(reading: Reading<T>): AsyncGenerator<readonly T[], void, undefined> {
  const { response, attempt, decode, exchange, call, size } = reading;
  const stallMs = call.timeoutMs ?? exchange.settings.timeoutMs;
  const stalled = (): ConnectionError => new ConnectionError("timeout", `the list stopped for ${stallMs} ms`);
  const scanner = new ListScanner(decode, exchange.settings.limits);
  const scan = (piece: Uint8Array): T[] => {
    try {
      return scanner.push(piece);
    } catch (error) {
      throw error instanceof SyntaxError ? notJson(error) : error;
    }
  };
  attempt.expect(stallMs, stalled);
  for await (const piece of piecesOf(borrowed(response.body), exchange.settings.clock)) {
    const found = scan(piece);
    size.add(piece.length, found.length);
    // the time that the consumer takes is not the server's
    attempt.hold();
    if (found.length > 0) yield found;
    attempt.heard();
  }
  reading.finished(scanner.finish());
}

function notJson(error: SyntaxError): ConnectionError {
  return new ConnectionError("malformed", `an item of the list is not JSON: ${messageOf(error)}`, { cause: error });
}
