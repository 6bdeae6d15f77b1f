/** Read-your-writes by revision: a sync does not begin before the caches have seen what the last one wrote. */
import { compareRevisions, isRevision } from "../api/index.js";

/** What is asked of a cache: how far it is. */
export interface RevisionedStore {
  readonly lastStoreSyncResourceVersion: string;
}

/** The cache is behind the controller's own writes: try again a little later. */
export class StaleCacheError extends Error {
  override readonly name = "StaleCacheError";
  /** Whose cache is behind, by the name that its store was given. */
  readonly resource: string;

  constructor(message: string, resource: string) {
    super(message);
    this.resource = resource;
  }
}

export interface OwnWrite {
  /** Which cache will show it, e.g. `pods`. */
  readonly resource: string;
  readonly resourceVersion: string | undefined;
}

interface Written {
  readonly uid: string;
  /** The highest revision written, by resource. */
  readonly revisions: Map<string, string>;
}

/**
 * Per owner, the highest revision that its controller wrote of each resource. An owner with another uid starts anew. A
 * revision that cannot be compared never blocks anything. Deletes give no revision: those are counted by Expectations.
 */
export class ConsistencyStore {
  readonly #stores: Readonly<Record<string, RevisionedStore>>;
  readonly #written = new Map<string, Written>();

  constructor(stores: Readonly<Record<string, RevisionedStore>>) {
    this.#stores = stores;
  }

  wrote(owner: string, uid: string, { resource, resourceVersion }: OwnWrite): void {
    if (resourceVersion === undefined || !isRevision(resourceVersion)) return;
    let written = this.#written.get(owner);
    if (written === undefined || written.uid !== uid) {
      written = { uid, revisions: new Map() };
      this.#written.set(owner, written);
    }
    const before = written.revisions.get(resource);
    if (before === undefined || compareRevisions(before, resourceVersion) < 0) {
      written.revisions.set(resource, resourceVersion);
    }
  }

  /** Throws a StaleCacheError while a cache is behind; when all have caught up the record is dropped. */
  ensureReady(owner: string): void {
    const written = this.#written.get(owner);
    if (written === undefined) return;
    for (const [resource, revision] of written.revisions) {
      const read = this.#stores[resource]?.lastStoreSyncResourceVersion ?? "";
      if (isRevision(read) && compareRevisions(read, revision) < 0) {
        throw new StaleCacheError(
          `read version ${read} is not as new as written version ${revision} for group resource ${resource}`,
          resource,
        );
      }
    }
    this.#written.delete(owner);
  }

  /** Drops the record, if it is of this uid or none is given. */
  forget(owner: string, uid?: string): void {
    if (uid === undefined || this.#written.get(owner)?.uid === uid) this.#written.delete(owner);
  }
}
