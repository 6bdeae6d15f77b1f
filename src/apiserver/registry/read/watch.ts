/**
 * Watch: an initial state, then every change, as frames of bytes, no faster than they are read; ended by time or by its
 * reader.
 */
import { initialEventsEnd, newExpired, newFieldSelector, newInternalError, StatusError } from "../../../api/index.js";
import { getOrMake } from "../../../base/containers/recent.js";
import type { Clock, Timer } from "../../../base/index.js";
import { RevisionError, type Stored, type StoreEvent, type StoreWatch } from "../../storage/contract.js";
import type { Endpoint } from "../../contracts/endpoint.js";
import { reached } from "./list.js";
import { type ListQuery, parseRevision } from "./list-options.js";
import type { Machinery, RequestScope, WatchMeter } from "../../contracts/scope.js";
import { type Selection, selectionFor } from "./selection.js";
import { type FrameEncoder, watchEventOf } from "./watch-events.js";
import { loaded } from "../views.js";

export interface WatchRequest {
  readonly options: ListQuery;
  readonly scope: RequestScope;
  readonly encoder: FrameEncoder;
  /** Set for a watch of one object by its name. */
  readonly name?: string;
  /** Called once, when the initial state has been read, or will not be. */
  readonly ready?: () => void;
}

const bookmarkMs = 60_000;
const minTimeoutMs = 1_800_000;
/** While this many bytes are unread, no more events are taken from the store. */
const enoughBytes = 256 * 1024;
/** The bytes that are written to a reader at once. */
const pieceBytes = 64 * 1024;
/** The initial state goes out in pieces of at most this many bytes or objects. */
const initialChunkBytes = 256 * 1024;
const initialChunkObjects = 250;

/**
 * The watch contract: events of one resource arrive in revision order; a bookmark's revision is never ahead of what was
 * delivered; too old ⇒ 410 in-stream: the store has forgotten events after the revision that the watch begins from.
 * A reader may be slow: while it goes on reading, the store keeps the events that it has not read. A reader that stops
 * for so long that the store forgets some of them gets 410 after all events that it was given, and must list again. The
 * promise rejects with errors that can still be HTTP errors; all later errors are sent in the stream.
 */
export async function watchObjects(
  endpoint: Endpoint,
  namespace: string,
  { options, scope, encoder, name, ready }: WatchRequest,
): Promise<AsyncIterable<Uint8Array>> {
  const selection = selectionFor(endpoint, name === undefined ? options : ofName(options, name));
  const { store, clock, random } = scope.machinery;
  const version = options.resourceVersion;
  const asked = version === "" ? 0n : parseRevision(version);
  const wanted = Number(asked);
  const initial = options.sendInitialEvents ?? wanted === 0;
  const range = { collection: endpoint.collection, prefix: namespace === "" ? "" : `${namespace}/` };
  if (initial && wanted > 0) await reached(scope.machinery, asked, scope.signal);
  const after = initial || wanted === 0 ? store.revision : wanted;
  const items = initial ? store.list({ ...range, from: "" }).items : [];
  if (after > store.settledRevision && initial) await store.settled(after);
  const stream = new WatchFrames({
    endpoint,
    encoder,
    selection,
    signal: scope.signal,
    batches: scope.machinery.watchBatches,
    meter: scope.machinery.watchMeter(endpoint.served),
    ready,
  });
  const marked = options.sendInitialEvents === true && options.allowWatchBookmarks;
  stream.begin(items, marked ? () => encoder.bookmark(after, { [initialEventsEnd]: "true" }) : undefined);
  try {
    const watching = store.watch(
      { ...range, after },
      (events) => stream.push(events),
      (error) => stream.fail(tooOld(encoder, error)),
    );
    const timeoutMs =
      options.timeoutSeconds !== undefined && options.timeoutSeconds > 0
        ? options.timeoutSeconds * 1000
        : minTimeoutMs + random.int(minTimeoutMs);
    stream.live({ watching, clock, timeoutMs, bookmarks: options.allowWatchBookmarks, signal: scope.signal });
  } catch (error) {
    if (!(error instanceof RevisionError)) throw error;
    stream.fail(tooOld(encoder, error));
  }
  return stream;
}

function ofName({ labels, fields }: ListQuery, name: string): Pick<ListQuery, "labels" | "fields"> {
  const named = { field: "metadata.name", operator: "=", value: name } as const;
  return { labels, fields: newFieldSelector(...fields.requirements, named) };
}

const tooOld = (encoder: FrameEncoder, { revision, bound }: RevisionError): Uint8Array =>
  encoder.error(newExpired(`too old resource version: ${revision} (${bound})`).status);

interface Watching {
  readonly endpoint: Endpoint;
  readonly encoder: FrameEncoder;
  readonly selection: Selection;
  readonly signal: AbortSignal;
  readonly batches: Machinery["watchBatches"];
  readonly meter: WatchMeter;
  readonly ready: (() => void) | undefined;
}

interface Live {
  readonly watching: StoreWatch;
  readonly clock: Clock;
  readonly timeoutMs: number;
  readonly bookmarks: boolean;
  readonly signal: AbortSignal;
}

/**
 * Invariants:
 * 1. `#queue` holds frames in order, `#queued` their total bytes.
 * 2. If a reader is pending (`#wake`), the queue is empty.
 * 3. While `#paused`, the store gives no events; the queue is then not empty.
 * 4. While `#converting`, one batch of events is at the kind's converter, and the watch is paused; no bookmark passes it.
 * 5. Once `#ended`, nothing more is queued, and timers and the store's watch are released.
 */
class WatchFrames implements AsyncIterable<Uint8Array>, AsyncIterator<Uint8Array> {
  readonly #watch: Watching;
  #converting = false;
  #initial: readonly Stored[] = [];
  #nextInitial = 0;
  /** Encodes the end of the initial events, after them: the first frame of a table is not like the others. */
  #initialEnd: (() => Uint8Array) | undefined;
  #queue: Uint8Array[] = [];
  #queued = 0;
  #paused = false;
  #ended = false;
  #wake: (() => void) | undefined;
  #live: Live | undefined;
  #bookmarkTimer: Timer | undefined;
  #timeoutTimer: Timer | undefined;
  /** Undefined once it was called. */
  #ready: (() => void) | undefined;
  readonly #onAbort = (): void => this.#end();

  constructor(watch: Watching) {
    this.#watch = watch;
    this.#ready = watch.ready;
  }

  begin(initial: readonly Stored[], end: (() => Uint8Array) | undefined): void {
    this.#initial = initial;
    this.#initialEnd = end;
    if (initial.length === 0) this.#tellReady();
  }

  live(live: Live): void {
    this.#live = live;
    this.#watch.meter.opened();
    if (live.signal.aborted) return this.#end();
    live.signal.addEventListener("abort", this.#onAbort, { once: true });
    this.#timeoutTimer = live.clock.timer(live.timeoutMs, () => this.#end());
    if (!live.bookmarks) return;
    // the last bookmark comes shortly before the end, so that the client can continue from there
    const lastAt = live.clock.monotonic() + live.timeoutMs - 2000;
    const arm = (): void => {
      const leftMs = lastAt - live.clock.monotonic();
      if (leftMs <= 0) return;
      this.#bookmarkTimer = live.clock.timer(Math.min(bookmarkMs, leftMs), () => {
        this.#bookmark();
        arm();
      });
    };
    arm();
  }

  fail(frame: Uint8Array): void {
    this.#end(frame);
  }

  /** False asks the store to pause. */
  push(events: readonly StoreEvent[]): boolean {
    if (this.#ended) return false;
    if (this.#watch.endpoint.converter !== undefined) return this.#convert(events);
    const frame = this.#batch(events);
    if (frame.length > 0) this.#put(frame);
    this.#paused = this.#queued >= enoughBytes || this.#initial.length > 0;
    return !this.#paused;
  }

  /** Pauses the watch until the converter has answered; if it fails, so does the watch. */
  #convert(events: readonly StoreEvent[]): boolean {
    this.#converting = this.#paused = true;
    void this.#converted(events).catch((error: unknown) => this.#broken(error));
    return false;
  }

  async #converted(events: readonly StoreEvent[]): Promise<void> {
    const judged = this.#watch.selection.needsView
      ? events.flatMap(({ previous, current }) => [previous, current])
      : [];
    await loaded(
      this.#watch.endpoint,
      judged.filter((one) => one !== undefined),
      this.#watch.signal,
    );
    const shown = events.map((event) => watchEventOf(event, this.#watch.selection)?.object);
    await loaded(
      this.#watch.endpoint,
      shown.filter((one) => one !== undefined),
      this.#watch.signal,
    );
    this.#converting = false;
    if (this.#ended) return;
    const frame = this.#batch(events);
    if (frame.length > 0) this.#put(frame);
    this.#resumeIfDrained();
  }

  #broken(error: unknown): void {
    const { status } = error instanceof StatusError ? error : newInternalError(String(error));
    this.#end(this.#watch.encoder.error(status));
  }

  [Symbol.asyncIterator](): AsyncIterator<Uint8Array> {
    return this;
  }

  async next(): Promise<IteratorResult<Uint8Array>> {
    for (;;) {
      if (this.#nextInitial > 0) {
        // a reader that is always ready must not starve other work
        await new Promise<void>((resolve) => setImmediate(resolve));
      }
      if (this.#watch.endpoint.converter !== undefined && this.#initial.length > 0) await this.#convertInitial();
      const chunk = this.#take();
      this.#resumeIfDrained();
      if (chunk !== undefined && chunk.length > 0) {
        this.#watch.meter.sent(chunk.length);
        return { done: false, value: chunk };
      }
      if (chunk !== undefined) continue;
      if (this.#ended) return { done: true, value: undefined };
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
  }

  async #convertInitial(): Promise<void> {
    const chunk = this.#initial.slice(this.#nextInitial, this.#nextInitial + initialChunkObjects);
    await loaded(this.#watch.endpoint, chunk, this.#watch.signal)?.catch((error: unknown) => this.#broken(error));
  }

  return(): Promise<IteratorResult<Uint8Array>> {
    this.#end();
    return Promise.resolve({ done: true, value: undefined });
  }

  /** Undefined if there is nothing to read now. */
  #take(): Uint8Array | undefined {
    if (this.#nextInitial < this.#initial.length) return this.#takeInitial();
    if (this.#initialEnd !== undefined) {
      const end = this.#initialEnd;
      this.#initialEnd = undefined;
      return end();
    }
    return this.#queue.length === 0 ? undefined : this.#takeQueued();
  }

  /**
   * Joins short frames and splits long ones. A frame is shared by all watchers of its kind, but each copies the bytes
   * on their way out, so pieces are kept short.
   */
  #takeQueued(): Uint8Array {
    const [first] = this.#queue as [Uint8Array];
    let count = 0;
    let size = 0;
    for (const frame of this.#queue) {
      if (size + frame.length > pieceBytes) break;
      size += frame.length;
      count++;
    }
    if (count === 0) {
      this.#queue[0] = first.subarray(pieceBytes);
      this.#queued -= pieceBytes;
      return first.subarray(0, pieceBytes);
    }
    this.#queued -= size;
    const frames = this.#queue.splice(0, count);
    return count === 1 ? first : Buffer.concat(frames);
  }

  /**
   * Selects and encodes the initial state as it is read, so that a reader that stops early costs little. Empty if none
   * of these objects is selected.
   */
  #takeInitial(): Uint8Array {
    const frames: Uint8Array[] = [];
    const end = Math.min(this.#nextInitial + initialChunkObjects, this.#initial.length);
    for (let size = 0; size < initialChunkBytes && this.#nextInitial < end; this.#nextInitial++) {
      const stored = this.#initial[this.#nextInitial] as Stored;
      if (!this.#watch.selection.isEverything && !this.#watch.selection.matches(stored)) continue;
      const frame = this.#watch.encoder.event({ type: "ADDED", object: stored });
      frames.push(frame);
      size += frame.length;
    }
    if (this.#nextInitial === this.#initial.length) this.#initial = [];
    if (this.#initial.length === 0) {
      this.#nextInitial = 0;
      this.#tellReady();
    }
    return Buffer.concat(frames);
  }

  #batch(events: readonly StoreEvent[]): Uint8Array {
    if (this.#watch.encoder.id === "") return this.#encode(events);
    const shared = getOrMake(this.#watch.batches, events, () => new Map());
    const id = `${this.#watch.encoder.id} ${this.#watch.selection.id}`;
    return getOrMake(shared, id, () => this.#encode(events));
  }

  #encode(events: readonly StoreEvent[]): Uint8Array {
    const frames: Uint8Array[] = [];
    for (const event of events) {
      const shown = watchEventOf(event, this.#watch.selection);
      if (shown !== undefined) frames.push(this.#watch.encoder.event(shown));
    }
    return frames.length === 1 ? (frames[0] as Uint8Array) : Buffer.concat(frames);
  }

  #resumeIfDrained(): void {
    if (!this.#paused || this.#converting || this.#ended || this.#initial.length > 0 || this.#queued >= enoughBytes / 2)
      return;
    this.#paused = false;
    this.#live?.watching.resume();
  }

  #bookmark(): void {
    if (this.#converting) return;
    const revision = this.#live?.watching.catchUp();
    if (this.#converting) return;
    if (revision !== undefined && !this.#ended) this.#put(this.#watch.encoder.bookmark(revision));
  }

  #put(frame: Uint8Array): void {
    this.#queue.push(frame);
    this.#queued += frame.length;
    this.#rouse();
  }

  /** Ends the watch. The reader still gets the queued frames, unless the initial state is incomplete, and then `last`. */
  #end(last?: Uint8Array): void {
    if (this.#ended) return;
    this.#ended = true;
    this.#tellReady();
    if (this.#initial.length > 0 || this.#initialEnd !== undefined) {
      // changes without the state that they build on would mislead a client that continues from their revision
      this.#initial = [];
      this.#nextInitial = 0;
      this.#initialEnd = undefined;
      this.#queue = [];
      this.#queued = 0;
    }
    if (last !== undefined) this.#put(last);
    if (this.#live !== undefined) this.#watch.meter.closed();
    this.#live?.watching[Symbol.dispose]();
    this.#live?.signal.removeEventListener("abort", this.#onAbort);
    this.#timeoutTimer?.[Symbol.dispose]();
    this.#bookmarkTimer?.[Symbol.dispose]();
    this.#rouse();
  }

  #tellReady(): void {
    this.#ready?.();
    this.#ready = undefined;
  }

  #rouse(): void {
    const wake = this.#wake;
    this.#wake = undefined;
    wake?.();
  }
}
