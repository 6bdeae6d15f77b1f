/** What a caller may say with each verb. From callers of the client; to request.ts, which puts it on the wire. */
import type { MergePatch } from "../../api/partial.js";
import type { JsonPatchOperation } from "../../api/patch/json-patch.js";

/** What every call takes. */
export interface CallOptions {
  /** Ends the call, at any point, and frees its stream at once; the call then rejects with the signal's reason. */
  readonly signal?: AbortSignal;
  /** Overrides the client's limit for one attempt; 0 means none. */
  readonly timeoutMs?: number;
}

/** A selector as text, or the labels that must be equal. */
export type SelectorText = string | Readonly<Record<string, string>>;

export interface GetOptions extends CallOptions {
  readonly resourceVersion?: string;
}

export interface SelectOptions {
  readonly labelSelector?: SelectorText;
  readonly fieldSelector?: SelectorText;
}

export interface ListOptions extends CallOptions, SelectOptions {
  readonly limit?: number;
  readonly continue?: string;
  readonly resourceVersion?: string;
  readonly resourceVersionMatch?: "NotOlderThan" | "Exact";
  /** How long the server may take. */
  readonly timeoutSeconds?: number;
  /** Kubernetes 1.36, alpha: only the objects of one shard. */
  readonly shardSelector?: string;
}

export interface WatchOptions extends SelectOptions {
  readonly signal?: AbortSignal;
  readonly resourceVersion?: string;
  readonly resourceVersionMatch?: "NotOlderThan" | "Exact";
  /** The server ends the watch after this time. */
  readonly timeoutSeconds?: number;
  /** On unless it is false: bookmarks are what tells a quiet watch from a dead one. */
  readonly allowWatchBookmarks?: boolean;
  /** Starts with the present objects as ADDED, then a bookmark with the annotation `k8s.io/initial-events-end`. */
  readonly sendInitialEvents?: boolean;
  readonly shardSelector?: string;
  /**
   * Ends the watch with a `ConnectionError` of failure `idle` when nothing, not even a bookmark, came for this long; 0
   * means never. Five minutes unless it is said otherwise; never if bookmarks are off.
   */
  readonly idleTimeoutMs?: number;
}

export type FieldValidation = "Strict" | "Warn" | "Ignore";

export interface WriteOptions extends CallOptions {
  /** The server does everything but store the result. */
  readonly dryRun?: boolean;
  readonly fieldManager?: string;
  readonly fieldValidation?: FieldValidation;
}

export interface PatchOptions extends WriteOptions {
  /** With an apply: takes over the fields that others own. */
  readonly force?: boolean;
}

export interface ApplyOptions extends PatchOptions {}

export interface Preconditions {
  readonly uid?: string;
  readonly resourceVersion?: string;
}

export interface DeleteOptions extends CallOptions {
  readonly dryRun?: boolean;
  readonly gracePeriodSeconds?: number;
  readonly propagationPolicy?: "Orphan" | "Background" | "Foreground";
  readonly preconditions?: Preconditions;
}

export interface DeleteCollectionOptions extends DeleteOptions, SelectOptions {
  readonly limit?: number;
  readonly resourceVersion?: string;
}

/** A change by one of the three languages that servers understand. Strategic is for built-in kinds only. */
export type Patch<T = Readonly<Record<string, unknown>>> =
  | { readonly merge: MergePatch<T> }
  | { readonly json: readonly JsonPatchOperation[] }
  | { readonly strategic: Readonly<Record<string, unknown>> };

/** A name, or anything that has one: an object's metadata names the object. */
export type ObjectName = string | { readonly name: string; readonly namespace?: string };
