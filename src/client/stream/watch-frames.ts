/** Cuts the bytes of a watch into events: takes chunks of a response body, gives typed events in batches. */
import type { KubeObject } from "../../api/object.js";
import type { Status } from "../../api/status.js";
import type { Bookmark, WatchEvent } from "../../api/watch-event.js";
import { isRecord } from "../../base/members.js";
import { ConnectionError, messageOf, sentStatus } from "../failure.js";
import { oversized } from "../request/limits.js";
import { ByteWindow } from "./byte-window.js";
import type { Decode } from "./decode.js";

/** The content of a chunk: events in order and, if the server ended the watch with an ERROR event, its Status after them. */
export interface WatchBatch<T> {
  readonly events: readonly WatchEvent<T>[];
  readonly error?: Status;
}

const newline = 0x0a;
const closeBrace = 0x7d;

/** The usual beginning of an event. The object's bytes follow, up to the brace that ends the line. */
const prefixes = (["ADDED", "MODIFIED", "DELETED"] as const).map((type) => ({
  type,
  letter: type.charCodeAt(0),
  bytes: Buffer.from(`{"type":"${type}","object":{`),
}));
const letterAt = '{"type":"'.length;

/**
 * One for each watch. A frame is a line; a line break inside a JSON string is escaped, so the bytes can be searched for
 * line breaks without parsing, even in the middle of a UTF-8 character.
 */
export class WatchFrames<T extends KubeObject> {
  readonly #window: ByteWindow = new ByteWindow();
  readonly #decode: Decode<T>;
  readonly #maxBytes: number;
  /** Everything before this position was searched for a line break. */
  #searched = 0;

  /** An event may have at most `maxBytes`. */
  constructor(decode: Decode<T>, maxBytes: number) {
    this.#decode = decode;
    this.#maxBytes = maxBytes;
  }

  push(chunk: Uint8Array): WatchBatch<T> {
    const events: WatchEvent<T>[] = [];
    // an incomplete frame is completed by itself, so that the rest of the chunk is read in place
    const completed = this.#window.length === 0 ? 0 : chunk.indexOf(newline) + 1;
    let error = completed === 0 ? undefined : this.#take(chunk.subarray(0, completed), events);
    error ??= this.#take(completed === 0 ? chunk : chunk.subarray(completed), events);
    return error === undefined ? { events } : { events, error };
  }

  #take(chunk: Uint8Array, events: WatchEvent<T>[]): Status | undefined {
    const window = this.#window;
    const searchedBytes = this.#searched - window.start;
    window.append(chunk);
    let from = window.start + Math.max(searchedBytes, 0);
    for (;;) {
      const lineEnd = window.buffer.indexOf(newline, from);
      if (lineEnd === -1 || lineEnd >= window.end) break;
      const error = this.#read(window.start, lineEnd, events);
      window.consumeTo(lineEnd + 1);
      if (error !== undefined) return error;
      from = lineEnd + 1;
    }
    if (window.length > this.#maxBytes) throw oversized("an event of the watch", "objectBytes", this.#maxBytes);
    window.keepRest();
    this.#searched = window.end;
    return undefined;
  }

  /** Called at the end of the body: a last line may lack its break; half a frame is a broken connection. */
  finish(): WatchBatch<T> {
    const window = this.#window;
    const events: WatchEvent<T>[] = [];
    if (window.length === 0) return { events };
    let error: Status | undefined;
    try {
      error = this.#read(window.start, window.end, events);
    } catch (cause) {
      throw new ConnectionError("closed", "the watch ended in the middle of an event", { cause });
    }
    window.consumeTo(window.end);
    return error === undefined ? { events } : { events, error };
  }

  #read(lineStart: number, lineEnd: number, events: WatchEvent<T>[]): Status | undefined {
    const buffer = this.#window.buffer;
    const [start, end] = trimmed(buffer, lineStart, lineEnd);
    if (start === end) return undefined;
    if (buffer[end - 1] === closeBrace) {
      const prefix = prefixes.find(({ letter }) => letter === buffer[start + letterAt]);
      const objectStart = start + (prefix?.bytes.length ?? 0) - 1;
      if (prefix !== undefined && objectStart < end && prefix.bytes.compare(buffer, start, objectStart + 1) === 0) {
        events.push({ type: prefix.type, object: this.#decode(buffer, objectStart, end - 1) });
        return undefined;
      }
    }
    return this.#readSlowly(start, end, events);
  }

  /** Reads bookmarks, errors, and events of servers that write the JSON in another order or with spaces. */
  #readSlowly(start: number, end: number, events: WatchEvent<T>[]): Status | undefined {
    const frame = parseFrame(this.#window.buffer.toString("utf8", start, end));
    switch (frame.type) {
      case "ERROR":
        return sentStatus(frame.object) ?? unreadableError(frame.object);
      case "BOOKMARK":
        if (!isRecord(frame.object) || !isRecord(frame.object["metadata"]))
          throw notAnEvent("a bookmark without metadata");
        events.push({ type: "BOOKMARK", object: frame.object as unknown as Bookmark });
        return undefined;
      case "ADDED":
      case "MODIFIED":
      case "DELETED": {
        if (!isRecord(frame.object)) throw notAnEvent("an event without an object");
        const bytes = Buffer.from(JSON.stringify(frame.object));
        events.push({ type: frame.type, object: this.#decode(bytes, 0, bytes.length) });
        return undefined;
      }
      default:
        throw new ConnectionError("malformed", `a watch event of unknown type ${JSON.stringify(frame.type)}`);
    }
  }
}

function parseFrame(text: string): { readonly type: unknown; readonly object: unknown } {
  try {
    const frame = JSON.parse(text) as { type: unknown; object: unknown };
    if (typeof frame === "object" && frame !== null && typeof frame.object === "object") return frame;
  } catch (error) {
    throw new ConnectionError("malformed", `a watch event is not JSON: ${messageOf(error)}: ${text.slice(0, 80)}`, {
      cause: error,
    });
  }
  throw notAnEvent(text.slice(0, 80));
}

const notAnEvent = (what: string): ConnectionError => new ConnectionError("malformed", `not a watch event: ${what}`);

function unreadableError(object: unknown): Status {
  const message = `the watch ended with an error that is no Status: ${JSON.stringify(object)}`;
  return {
    kind: "Status",
    apiVersion: "v1",
    metadata: {},
    status: "Failure",
    message,
    reason: "InternalError",
    code: 500,
  };
}

function trimmed(buffer: Buffer, from: number, to: number): readonly [start: number, end: number] {
  let start = from;
  let end = to;
  while (start < end && isSpace(buffer[start] as number)) start++;
  while (end > start && isSpace(buffer[end - 1] as number)) end--;
  return [start, end];
}

function isSpace(byte: number): boolean {
  return byte === 0x20 || byte === 0x0d || byte === 0x09;
}
