/** What one kind does differently from all others, as pure functions. From registry/kinds and crd; to the generic store's pipelines. */
import type { Random } from "../../base/index.js";
import type { KubeObject, StatusCause } from "../../api/index.js";
import type { UserInfo } from "./user.js";

/** What a strategy may know of the request. It never sees storage: what needs other objects is admission's task. */
export interface StrategyContext {
  /** Wall time in milliseconds. */
  readonly now: number;
  readonly random: Random;
  readonly user: UserInfo;
  readonly dryRun: boolean;
  /** Of the endpoint that was asked: a kind may be served by two. */
  readonly group: string;
  /** A fresh v4 uid. */
  newUid(): string;
  /** Adds a `Warning: 299 - "text"` header to the answer. */
  warn(text: string): void;
}

export type PropagationPolicy = "Background" | "Foreground" | "Orphan";

/** How one endpoint (the main one, `status`, `approval`, …) turns what was sent into what may be stored. */
export interface UpdateStrategy<T extends KubeObject = KubeObject> {
  /** Gives the object to store: what this endpoint must not touch is taken from `old`. Metadata that the server owns is handled before. */
  prepareForUpdate?(object: T, old: T, context: StrategyContext): T;
  /** All that is wrong, in upstream's order; metadata is validated by the generic store before. */
  validateUpdate?(object: T, old: T, context: StrategyContext): readonly StatusCause[];
}

export interface StatusStrategy<T extends KubeObject = KubeObject> extends UpdateStrategy<T> {
  /** What `setDefaults` does to all but the spec; for an object that comes with the stored spec. Default: `setDefaults` itself. */
  setDefaults?(object: T): T;
}

/**
 * One per group and kind. All objects that go in are shared and frozen: a function returns the same object if nothing changes, else a
 * new one. Objects have the storage version's shape, with kind and apiVersion set. Everything is optional but the identity: an absent
 * member means the default written beside it.
 */
export interface Strategy<T extends KubeObject = KubeObject> extends UpdateStrategy<T> {
  readonly group: string;
  readonly kind: string;
  /** Fills in defaults, as the versioned defaulting functions do: runs on every object that comes in (create, update, patch result), before admission. */
  setDefaults?(object: T): T;
  /** Problems of a name, as upstream words them; `prefix` is true for a generateName. Default: DNS-1123 subdomain. */
  validateName?(name: string, prefix: boolean): readonly string[];
  /** Rules of metadata that this kind is spared. */
  readonly lenient?: {
    /** Finalizers need no domain. */
    readonly finalizers?: true;
    /** On update a generateName need only be fit for a path. */
    readonly prefixOnUpdate?: true;
  };
  /** Clears what a client may not set (status, …) and sets what the server decides (first generation is set by the store). */
  prepareForCreate?(object: T, context: StrategyContext): T;
  validateCreate?(object: T, context: StrategyContext): readonly StatusCause[];
  /** Warnings about values that are valid but unwise; strings go out as Warning headers. */
  warningsOnCreate?(object: T): readonly string[];
  warningsOnUpdate?(object: T, old: T): readonly string[];
  /** The `status` endpoint; also drops `status` on the main endpoint when present. Default for a kind with that subresource: status from the new, all else from the old. */
  readonly status?: StatusStrategy<T>;
  /** Other endpoints that take the object itself (`approval`, `finalize`, `ephemeralcontainers`, `resize`). */
  readonly subresources?: Readonly<Record<string, UpdateStrategy<T>>>;
  /** Create does not drop a `status` that was sent (Node). Default false: dropped before prepareForCreate if there is that endpoint. */
  readonly keepsStatusOnCreate?: boolean;
  /** PUT without resourceVersion is accepted. Default true. */
  readonly allowUnconditionalUpdate?: boolean;
  /** PUT of a missing object creates it. Default false. */
  readonly allowCreateOnUpdate?: boolean;
  /** Grace in seconds for a delete; `asked` is the option, if given. Default: no graceful deletion. */
  gracePeriodSeconds?(object: T, asked: number | undefined): number;
  /** Something else than finalizers still keeps an object that is being deleted (a namespace's spec.finalizers). Default false. */
  holdsDeletion?(object: T): boolean;
  /** Applied when a deletion begins, to the object that gets the deletionTimestamp (a namespace's phase). */
  onDeletionStart?(object: T, now: number): T;
  /** Default "Background". */
  readonly defaultPropagation?: "Background" | "Orphan" | "Unsupported";
  /** A finished DELETE answers with the object instead of a Status. Default false. */
  readonly deleteReturnsObject?: boolean;
  /** Fields besides metadata.name and metadata.namespace that a field selector may use, with the object's values. */
  selectableFields?(object: T): Readonly<Record<string, string>>;
  /** The names of these fields (so that an unknown one is refused without an object). */
  readonly selectableFieldNames?: readonly string[];
  /** For a kind that another group serves too: that group's names for these fields, which are then the only ones. */
  readonly selectableFieldAliases?: Readonly<Record<string, ReadonlyMap<string, string>>>;
  /**
   * `never`: metadata.generation stays absent. `spec`: starts at 1, +1 when spec changes. A function says itself whether +1 is due.
   * Default "never". All but "never" also count when deletionTimestamp is first set.
   */
  readonly generation?: "never" | "spec" | ((object: T, old: T) => boolean);
  /** With 0 the generation of a new object is absent until it first changes. Default 1. */
  readonly firstGeneration?: 0 | 1;
  /** Milliseconds to live after the last write (Event). */
  readonly ttlMs?: number;
}
