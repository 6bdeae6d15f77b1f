/** Finds the items of a list in its bytes while they arrive; gives decoded items. */
import { isRecord } from "../../base/members.js";
import {
  backslash,
  closeBrace,
  closeBracket,
  colon,
  comma,
  openBrace,
  openBracket,
  quote,
} from "../../api/decode/punctuation.js";
import type { ListMeta } from "../../api/object.js";
import { ConnectionError, messageOf } from "../failure.js";
import { type AnswerLimits, oversized } from "../request/limits.js";
import { ByteWindow } from "./byte-window.js";
import type { Decode } from "./decode.js";

/** A list without its items. */
export interface ListEnvelope {
  readonly kind: string;
  readonly apiVersion: string;
  readonly metadata: ListMeta;
}

const itemsKey = Buffer.from("items");
const noItems = Buffer.from("]");

/**
 * One for each list. Everything outside the array `items` is kept and parsed at the end, so the list's metadata may
 * come before its items (built-in kinds) or after (custom resources).
 * Invariants:
 * 1. `#at` is the position up to which bytes were scanned; it may be one behind the end, after a backslash.
 * 2. In "item", the window starts with the item's first brace and `#depth` counts its open braces.
 * 3. In "envelope", `#depth` counts the open braces and brackets of the list itself.
 */
export class ListScanner<T> {
  readonly #window: ByteWindow = new ByteWindow();
  readonly #decode: Decode<T>;
  readonly #limits: Pick<AnswerLimits, "objectBytes" | "answerBytes">;
  readonly #envelope: Buffer[] = [];
  #envelopeBytes = 0;
  #mode: "envelope" | "between" | "item" = "envelope";
  #depth = 0;
  #inString = false;
  #at = 0;
  /** The number of bytes of the string at depth 1 that match `items` so far; -1 once it differs. */
  #matched = -1;
  /** Whether the key `items`, and perhaps its colon, was read. */
  #afterKey: "no" | "key" | "colon" = "no";

  constructor(decode: Decode<T>, limits: Pick<AnswerLimits, "objectBytes" | "answerBytes">) {
    this.#decode = decode;
    this.#limits = limits;
  }

  /** Gives the items that are complete with this chunk. */
  push(chunk: Uint8Array): T[] {
    const window = this.#window;
    const understood = this.#at - window.start;
    window.append(chunk);
    this.#at = window.start + understood;
    const items: T[] = [];
    while (this.#at < window.end) {
      if (this.#mode === "item") {
        if (this.#skipItem()) items.push(this.#takeItem());
      } else if (this.#mode === "between") this.#skipBetween();
      else this.#skipEnvelope();
    }
    const { objectBytes } = this.#limits;
    if (window.length > objectBytes) throw oversized("an item of the list", "objectBytes", objectBytes);
    const passed = this.#at - window.start;
    window.keepRest();
    this.#at = window.start + passed;
    return items;
  }

  /** The content outside the items. A body that ends too early is a broken connection. */
  finish(): ListEnvelope {
    const text = Buffer.concat(this.#envelope).toString("utf8");
    if (this.#mode !== "envelope" || this.#depth !== 0) {
      throw new ConnectionError("closed", "the list ended in the middle");
    }
    try {
      const envelope: unknown = JSON.parse(text);
      if (isRecord(envelope) && isRecord(envelope["metadata"])) return envelope as unknown as ListEnvelope;
    } catch (error) {
      throw malformed(`${messageOf(error)}: ${text.slice(0, 80)}`);
    }
    throw malformed(`it has no metadata: ${text.slice(0, 80)}`);
  }

  /** Skips to the item's last brace; false if the bytes end before. The hot loop: every byte of a long list passes here. */
  #skipItem(): boolean {
    const { buffer, end } = this.#window;
    let at = this.#at;
    let depth = this.#depth;
    let inString = this.#inString;
    while (at < end) {
      if (inString) {
        while (at < end && buffer[at] !== quote && buffer[at] !== backslash) at++;
        if (at === end) break;
        inString = buffer[at] === backslash;
        at += inString ? 2 : 1;
        continue;
      }
      const byte = buffer[at++];
      if (byte === quote) inString = true;
      else if (byte === openBrace) depth++;
      else if (byte === closeBrace && --depth === 0) break;
    }
    this.#at = at;
    this.#depth = depth;
    this.#inString = inString;
    return depth === 0;
  }

  #takeItem(): T {
    const window = this.#window;
    const item = this.#decode(window.buffer, window.start, this.#at);
    window.consumeTo(this.#at);
    this.#mode = "between";
    return item;
  }

  #skipBetween(): void {
    const window = this.#window;
    const byte = window.buffer[this.#at];
    if (byte === openBrace) {
      this.#mode = "item";
      this.#depth = 0;
      window.consumeTo(this.#at);
      return;
    }
    this.#at++;
    window.consumeTo(this.#at);
    if (byte === closeBracket) {
      this.#envelope.push(noItems);
      this.#mode = "envelope";
      this.#depth = 1;
    } else if (byte !== comma && !isSpace(byte)) {
      throw malformed("an item is not an object");
    }
  }

  #skipEnvelope(): void {
    const window = this.#window;
    const { buffer, end } = window;
    while (this.#at < end) {
      const byte = buffer[this.#at++] as number;
      if (this.#inString) this.#inEnvelopeString(byte);
      else if (this.#structure(byte)) break;
    }
    const upTo = Math.min(this.#at, end);
    const { answerBytes } = this.#limits;
    this.#envelopeBytes += upTo - window.start;
    if (this.#envelopeBytes > answerBytes) throw oversized("the list without its items", "answerBytes", answerBytes);
    // copied: the chunk is not ours to keep, and may be large
    this.#envelope.push(Buffer.from(buffer.subarray(window.start, upTo)));
    window.consumeTo(upTo);
  }

  #inEnvelopeString(byte: number): void {
    if (byte === quote) {
      this.#inString = false;
      this.#afterKey = this.#matched === itemsKey.length ? "key" : "no";
    } else if (byte === backslash) {
      this.#at++;
      this.#matched = -1;
    } else if (this.#matched >= 0) {
      this.#matched = byte === itemsKey[this.#matched] ? this.#matched + 1 : -1;
    }
  }

  /** True if the array of items begins after this byte. */
  #structure(byte: number): boolean {
    if (isSpace(byte)) return false;
    const afterKey = this.#afterKey;
    this.#afterKey = "no";
    if (byte === quote) {
      this.#inString = true;
      this.#matched = this.#depth === 1 ? 0 : -1;
    } else if (byte === colon) {
      if (afterKey === "key") this.#afterKey = "colon";
    } else if (byte === openBracket && afterKey === "colon") {
      this.#mode = "between";
      return true;
    } else if (byte === openBrace || byte === openBracket) this.#depth++;
    else if (byte === closeBrace || byte === closeBracket) this.#depth--;
    return false;
  }
}

function isSpace(byte: number | undefined): boolean {
  return byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09;
}

function malformed(why: string): ConnectionError {
  return new ConnectionError("malformed", `the answer is not a list: ${why}`);
}
