/** Metadata out of bytes, by its likeness to other metadata. Serves the lazy decoder. */
import { hashStep } from "./intern.js";
import {
  copied,
  cutMark,
  matchEnd,
  type Metadata,
  type OwnValues,
  type Pattern,
  patternOf,
} from "./metadata-pattern.js";
import { MetadataScan } from "./metadata-scan.js";
import { type Cursor, isBytes, standsAt } from "./read.js";

const quote = 0x22;
const dash = 0x2d;

/** Servers list the objects of one owner together, so that few patterns are in use at a time. */
const generationSize = 512;
const guesses = 4096;

/** How servers begin. */
const nameFirst: Buffer = Buffer.from('{"name":"');

/**
 * Objects whose names are the same up to the last dash mostly have one owner, or are one object: what such a one was like is
 * tried first. If that was wrong, the text is taken apart, and looked for among all that were seen lately.
 */
export class MetadataReader {
  readonly #own: OwnValues = { starts: new Int32Array(cutMark + 1), ends: new Int32Array(cutMark + 1) };
  readonly #scan = new MetadataScan(this.#own);
  readonly #guesses: (Pattern | undefined)[] = Array.from({ length: guesses }, () => undefined);
  #patterns = new Map<string, Pattern | "none">();
  #olderPatterns = new Map<string, Pattern | "none">();
  /** Objects are often made together. */
  #time = "";
  #timeBytes: Buffer = Buffer.alloc(0);

  /**
   * The metadata whose opening brace is at the cursor, without managedFields; the cursor moves behind it. Of readonly metadata,
   * what is in it may be frozen and belong to others too.
   */
  read(cursor: Cursor, isReadonly: boolean): Metadata {
    const { bytes, at } = cursor;
    const slot = guessSlot(bytes, at);
    const guess = this.#guesses[slot];
    if (guess !== undefined) {
      const end = matchEnd(bytes, at, guess, this.#own);
      if (end !== -1) {
        cursor.at = end;
        return this.#filled(bytes, guess, isReadonly);
      }
    }
    return this.#readUnlike(cursor, slot, isReadonly);
  }

  #readUnlike(cursor: Cursor, slot: number, isReadonly: boolean): Metadata {
    const { bytes, at: start } = cursor;
    const scan = this.#scan;
    scan.scan(cursor);
    if (!scan.isPlain) return scan.parsed(bytes, start, cursor.at);
    const text = scan.text.toString("latin1");
    const pattern = this.#patterns.get(text) ?? this.#olderPatterns.get(text);
    if (pattern === "none") return scan.parsed(bytes, start, cursor.at);
    if (pattern !== undefined) {
      this.#guesses[slot] = pattern;
      return this.#filled(bytes, pattern, isReadonly);
    }
    const metadata = scan.parsed(bytes, start, cursor.at);
    const made = patternOf(metadata, scan);
    this.#remember(text, made ?? "none");
    if (made !== undefined) this.#guesses[slot] = made;
    return metadata;
  }

  #filled(bytes: Buffer, { metadata: common, nested, marks }: Pattern, isReadonly: boolean): Metadata {
    const metadata = isReadonly ? { ...common } : copied(common, nested);
    for (let i = 0; i < marks.length; i++) {
      const mark = marks[i] as number;
      // by their names, which the engine remembers the places of
      if (mark === 0) metadata["name"] = this.#text(bytes, mark);
      else if (mark === 1) metadata["uid"] = this.#text(bytes, mark);
      else if (mark === 2) metadata["resourceVersion"] = this.#text(bytes, mark);
      else if (mark === 3) metadata["creationTimestamp"] = this.#sameTime(bytes, mark);
    }
    return metadata;
  }

  #text(bytes: Buffer, mark: number): string {
    return bytes.toString("latin1", this.#own.starts[mark], this.#own.ends[mark]);
  }

  #sameTime(bytes: Buffer, mark: number): string {
    const { starts, ends } = this.#own;
    if (!isBytes(bytes, starts[mark] as number, ends[mark] as number, this.#timeBytes)) {
      this.#time = this.#text(bytes, mark);
      this.#timeBytes = Buffer.from(this.#time);
    }
    return this.#time;
  }

  #remember(text: string, pattern: Pattern | "none"): void {
    if (this.#patterns.size >= generationSize) {
      this.#olderPatterns = this.#patterns;
      this.#patterns = new Map();
    }
    this.#patterns.set(text, pattern);
  }
}

/** A number for the name up to its last dash; one for all names without, and for metadata that does not begin with it. */
function guessSlot(bytes: Buffer, start: number): number {
  if (!standsAt(bytes, start, nameFirst)) return 0;
  let hash = 0;
  let upToDash = 0;
  for (let at = start + nameFirst.length; ; at++) {
    const byte = bytes[at] as number;
    if (byte === quote || !(byte > 0x20)) break;
    hash = hashStep(hash, byte);
    if (byte === dash) upToDash = hash;
  }
  return (upToDash ^ (upToDash >>> 12)) & (guesses - 1);
}
