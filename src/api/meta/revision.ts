/** resourceVersion: opaque on the wire. Compared here and nowhere else, as a decimal of any length. */

/** Thrown when a resourceVersion that must be compared is not a positive decimal without leading zero. */
export class InvalidRevisionError extends Error {
  override readonly name = "InvalidRevisionError";
  readonly revision: string;

  constructor(revision: string) {
    super(`resource version is not well formed: ${revision}`);
    this.revision = revision;
  }
}

const wellFormed = /^[1-9][0-9]*$/;

/**
 * True for the resourceVersion of a live object. `""` and `"0"` have a meaning in requests, but no object carries them.
 */
export function isRevision(text: string | undefined): text is string {
  return text !== undefined && wellFormed.test(text);
}

/**
 * Negative if `a` is older than `b`, 0 if they are the same, positive if it is newer. Only meaningful between objects
 * of one resource of one server. Throws InvalidRevisionError for anything but a well-formed revision.
 */
export function compareRevisions(a: string, b: string): -1 | 0 | 1 {
  if (!wellFormed.test(a)) throw new InvalidRevisionError(a);
  if (!wellFormed.test(b)) throw new InvalidRevisionError(b);
  if (a.length !== b.length) return a.length < b.length ? -1 : 1;
  return a < b ? -1 : a > b ? 1 : 0;
}

/**
 * The revision at which a list shows the cluster as it was just before this write. Throws InvalidRevisionError for
 * anything but a well-formed revision; `"0"` for the first one, at which there was nothing.
 */
export function revisionBefore(revision: string): string {
  if (!wellFormed.test(revision)) throw new InvalidRevisionError(revision);
  return String(BigInt(revision) - 1n);
}

/** The newer of the two revisions. A malformed one loses; `""` if both are malformed. */
export function newerRevision(a: string | undefined, b: string | undefined): string {
  if (!isRevision(a)) return isRevision(b) ? b : "";
  return isRevision(b) && compareRevisions(a, b) < 0 ? b : a;
}

interface Versioned {
  readonly metadata?: { readonly resourceVersion?: string; readonly uid?: string };
}

/**
 * True if both are the same write, so that an update handler can skip a resync. Compared as text, so any server's
 * versions will do; an object without a version is never the same.
 */
export function sameRevision(old: Versioned, now: Versioned): boolean {
  const revision = old.metadata?.resourceVersion;
  return revision !== undefined && revision !== "" && revision === now.metadata?.resourceVersion;
}
