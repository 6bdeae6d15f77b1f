/** Tells late and repeated events from news. Serves the process loop, so that per object revisions only grow. */
import { compareRevisions, isRevision } from "../../api/index.js";

/** How many deletions are remembered: a late event comes soon or not at all. */
const rememberedDeletes = 1024;

/**
 * A server sends events in order, but connections may repeat them and caches may lag. Revisions of one object are compared,
 * never those of different objects, so that sources with revisions of their own making work too; what cannot be compared is
 * news.
 */
export class Staleness {
  /** Key and revision of recent deletions, oldest first. */
  readonly #deleted = new Map<string, string>();

  /** An added or updated object that the cache has left behind: it holds a newer state, or saw it deleted later. */
  isStale(key: string, revision: string | undefined, cachedRevision: string | undefined): boolean {
    if (cachedRevision !== undefined) return isOlderRevision(revision, cachedRevision);
    return this.#deleted.size > 0 && isOlderRevision(revision, this.#deleted.get(key));
  }

  /** A deletion of an earlier life of the object, or one that was reported before. */
  isStaleDelete(key: string, revision: string | undefined, cachedRevision: string | undefined): boolean {
    if (this.isStale(key, revision, cachedRevision)) return true;
    return cachedRevision === undefined && revision !== undefined && revision === this.#deleted.get(key);
  }

  deleted(key: string, revision: string | undefined): void {
    this.#deleted.delete(key);
    if (!isRevision(revision)) return;
    this.#deleted.set(key, revision);
    if (this.#deleted.size <= rememberedDeletes) return;
    for (const oldest of this.#deleted.keys()) {
      this.#deleted.delete(oldest);
      return;
    }
  }

  /** A list that is older than what was known begins a new history: the server went back to a backup. */
  replaced(resourceVersion: string, knownResourceVersion: string): void {
    if (isOlderRevision(resourceVersion, knownResourceVersion)) this.#deleted.clear();
  }
}

/** Both are revisions, and the first is the older one. */
export function isOlderRevision(a: string | undefined, b: string | undefined): boolean {
  return isRevision(a) && isRevision(b) && compareRevisions(a, b) < 0;
}
