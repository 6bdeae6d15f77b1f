/** The options of the verbs. */
import type { MergePatch } from "../../api/partial.js";
import type { JsonPatchOperation } from "../../api/patch/json-patch.js";

/** The options of every call. */
export interface CallOptions {
  /** Ends the call, at any point, and releases its stream at once; the call then rejects with the signal's reason. */
  readonly signal?: AbortSignal;
  /** Overrides the client's limit for one attempt; 0 for none. */
  readonly timeoutMs?: number;
}

/** A selector as text, or labels that must be equal. */
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
  /** The time that the server may take. */
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
  /** True by default: bookmarks tell a quiet watch from a dead one. */
  readonly allowWatchBookmarks?: boolean;
  /** Begins with the present objects as ADDED, then a bookmark with the annotation `k8s.io/initial-events-end`. */
  readonly sendInitialEvents?: boolean;
  readonly shardSelector?: string;
  /**
   * Ends the watch with a `ConnectionError` of failure `idle` when nothing, not even a bookmark, came for this long; 0
   * for never. Five minutes by default; never if bookmarks are off.
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
  /** For apply: takes over fields that others own. */
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

/** A change in one of three patch formats. Strategic is for built-in kinds only. */
export type Patch<T = Readonly<Record<string, unknown>>> =
  | { readonly merge: MergePatch<T> }
  | { readonly json: readonly JsonPatchOperation[] }
  | { readonly strategic: Readonly<Record<string, unknown>> };

/** A name, or an object with one, such as an object's metadata. */
export type NameOrMetadata = string | { readonly name: string; readonly namespace?: string };
