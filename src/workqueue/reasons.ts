/** Reasons why a key is queued: they come from event handlers and retries, survive de-duplication, and go to the worker. */

/**
 * The cause of a queued key. Plain data, so that a journal can keep it and a page can show it. `type` is the kind of
 * event; `kind`, `key` and `revision` identify the object; `fields` are its changes.
 */
export interface Reason {
  readonly type: "added" | "updated" | "deleted" | "resync" | "requeue" | "retry" | "source" | "manual";
  readonly kind?: string;
  readonly key?: string;
  readonly revision?: string;
  /** Changed fields, as paths or as `path old→new`. */
  readonly fields?: readonly string[];
  /** The trace of the change, if a tracer follows and the object's writer left one; in the form of the header `traceparent`. */
  readonly trace?: string;
  /** Free text: the error behind a retry, or the name of a source. */
  readonly message?: string;
}

/** The reasons of one run: at most eight of them, and the number of further ones. */
export interface Reasons {
  readonly reasons: readonly Reason[];
  readonly omittedReasons: number;
}

const reasonLimit = 8;

/** Limit on the changed fields of one object, which may change a hundred times while its key waits. */
const fieldLimit = 16;

/**
 * Adds a reason to the list of a waiting key. A newer reason of the same type about the same object replaces the older
 * one and keeps the fields of both. Gives false if the reason was left out because the list is full.
 */
export function recordReason(reasons: Reason[], reason: Reason): boolean {
  for (let i = 0; i < reasons.length; i++) {
    const known = reasons[i] as Reason;
    if (known.type !== reason.type || known.key !== reason.key || known.kind !== reason.kind) continue;
    reasons[i] = merged(known, reason);
    return true;
  }
  if (reasons.length >= reasonLimit) return false;
  reasons.push(reason);
  return true;
}

function merged(older: Reason, newer: Reason): Reason {
  if (older.fields === undefined || newer.fields === undefined) {
    return older.fields === undefined ? newer : { ...newer, fields: older.fields };
  }
  const fields = [...new Set([...older.fields, ...newer.fields])].slice(0, fieldLimit);
  return { ...newer, fields };
}

/** `Deployment default/web updated: status.availableReplicas 1→2`, for people. */
export function describeReason({ type, kind, key, fields, message }: Reason): string {
  const subject = [kind, key].filter((part) => part !== undefined).join(" ");
  const what = subject === "" ? type : `${subject} ${type}`;
  const details = [...(fields ?? []), ...(message === undefined ? [] : [message])].join(", ");
  return details === "" ? what : `${what}: ${details}`;
}
