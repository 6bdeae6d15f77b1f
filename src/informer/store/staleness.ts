/** Tells late and repeated events from new ones, so that per object revisions only grow. */
import { compareRevisions, isRevision } from "../../api/index.js";
import { Recent } from "../../base/index.js";

/** The number of deletions that are surely remembered: a late event comes soon or not at all. */
const rememberedDeletes = { weight: 1024 };

/**
 * A server sends events in order, but connections may repeat them and caches may lag. Only revisions of the same object
 * are compared, so that sources with revisions of their own work too; revisions that cannot be compared count as new.
 */
export class Staleness {
  /** Key and revision of recent deletions. */
  #deleted = new Recent<string, string>(rememberedDeletes);

  /** True for an added or updated object that the cache has left behind: the cache has a newer state, or saw a later deletion. */
  isStale(key: string, revision: string | undefined, cachedRevision: string | undefined): boolean {
    if (cachedRevision !== undefined) return isOlderRevision(revision, cachedRevision);
    return isOlderRevision(revision, this.#deleted.get(key));
  }

  /** True for a deletion of an earlier object of this name, or one that was reported before. */
  isStaleDelete(key: string, revision: string | undefined, cachedRevision: string | undefined): boolean {
    if (this.isStale(key, revision, cachedRevision)) return true;
    return cachedRevision === undefined && revision !== undefined && revision === this.#deleted.get(key);
  }

  deleted(key: string, revision: string | undefined): void {
    if (isRevision(revision)) this.#deleted.set(key, revision);
    else this.#deleted.delete(key);
  }

  /** A list that is older than the known revision begins a new history: the server was restored from a backup. */
  replaced(resourceVersion: string, knownResourceVersion: string): void {
    if (isOlderRevision(resourceVersion, knownResourceVersion)) this.#deleted = new Recent(rememberedDeletes);
  }
}

/** True if both are revisions and the first is older. */
export function isOlderRevision(a: string | undefined, b: string | undefined): boolean {
  return isRevision(a) && isRevision(b) && compareRevisions(a, b) < 0;
}
