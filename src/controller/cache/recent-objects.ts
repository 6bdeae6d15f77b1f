/** Whole objects of a kind that is cached in part: the ones that were seen or read last, as text, within a limit of bytes. */
import { compareRevisions, isRevision, type KubeObject } from "../../api/index.js";

interface Kept {
  readonly revision: string;
  readonly text: string;
  readonly bytes: number;
}

/** The state of the cache that an answer must not be older than. */
type Known = Pick<KubeObject, "metadata">;

/** The engine's cost of an entry beside its texts. */
const entryBytes = 120;

/**
 * Text, because its size is known, because it holds no more memory than its own, and because a reader that changes its
 * object changes nothing here. An object that is gone is never asked for, and is dropped in its turn.
 *
 * Invariants:
 * 1. `#kept` is ordered by use, the last use last.
 * 2. `#bytes` is the sum of the entries' bytes, and no more than `#limitBytes`.
 */
export class RecentObjects {
  readonly #kept = new Map<string, Kept>();
  /** The limit that was declared. */
  readonly declaredBytes: number;
  #limitBytes: number;
  #bytes = 0;
  /** The number of reads that were answered, and of reads that were not. */
  hits = 0;
  misses = 0;

  constructor(declaredBytes: number) {
    this.declaredBytes = declaredBytes;
    this.#limitBytes = declaredBytes;
  }

  get size(): number {
    return this.#kept.size;
  }

  get bytes(): number {
    return this.#bytes;
  }

  /** The limit that holds now: the declared one, or less if memory is short. */
  get limitBytes(): number {
    return this.#limitBytes;
  }

  set limitBytes(limit: number) {
    this.#limitBytes = Math.max(0, Math.min(limit, this.declaredBytes));
    this.#trim();
  }

  /** True while objects are kept without dropping others. */
  get hasRoom(): boolean {
    return this.#bytes + entryBytes < this.#limitBytes;
  }

  /** Takes an object from the server; an older state of a kept one is ignored. */
  put(key: string, object: KubeObject): void {
    const { managedFields: _, ...metadata } = object.metadata;
    const revision = metadata.resourceVersion ?? "";
    const known = this.#kept.get(key);
    if (known !== undefined && isAtLeast(known.revision, revision)) return;
    this.#drop(key);
    const text = JSON.stringify({ ...object, metadata });
    const bytes = entryBytes + key.length + heldBytes(text);
    if (bytes > this.#limitBytes) return;
    this.#kept.set(key, { revision, text, bytes });
    this.#bytes += bytes;
    this.#trim();
  }

  /** A copy of the object, unless nothing is kept that is as new as the known state. */
  find(key: string, { metadata }: Known): KubeObject | undefined {
    const kept = this.#kept.get(key);
    if (kept === undefined || !isAtLeast(kept.revision, metadata.resourceVersion ?? "")) {
      this.misses += 1;
      return undefined;
    }
    this.hits += 1;
    this.#kept.delete(key);
    this.#kept.set(key, kept);
    return JSON.parse(kept.text) as KubeObject;
  }

  #drop(key: string): void {
    this.#bytes -= this.#kept.get(key)?.bytes ?? 0;
    this.#kept.delete(key);
  }

  #trim(): void {
    for (const key of this.#kept.keys()) {
      if (this.#bytes <= this.#limitBytes) return;
      this.#drop(key);
    }
  }
}

/** The engine keeps a text of Latin letters in one byte a letter, and any other in two. */
function heldBytes(text: string): number {
  return Buffer.byteLength(text) === text.length ? text.length : 2 * text.length;
}

function isAtLeast(revision: string, wanted: string): boolean {
  if (revision === wanted) return true;
  return isRevision(revision) && isRevision(wanted) && compareRevisions(revision, wanted) > 0;
}
