/** The strategy of a kind: its differences from all others, as pure functions. */
import type { KubeObject, StatusCause } from "../../api/index.js";
import type { UserInfo } from "./user.js";

/**
 * The facts about a request that a strategy may use. It never sees storage: decisions that need other objects belong to
 * admission.
 */
export interface StrategyContext {
  /** Wall time in milliseconds. */
  readonly now: number;
  readonly user: UserInfo;
  /** The group of the requested endpoint: a kind may be served by two. */
  readonly group: string;
  /** A fresh v4 uid. */
  newUid(): string;
  /** Adds a `Warning: 299 - "text"` header to the answer. */
  warn(text: string): void;
}

export type PropagationPolicy = "Background" | "Foreground" | "Orphan";

/** The way in which one endpoint (the main one, `status`, `approval`, …) turns a sent object into one to store. */
export interface UpdateStrategy<T extends KubeObject = KubeObject> {
  /**
   * Gives the object to store: fields that this endpoint must not change are taken from `old`. Metadata that the server
   * owns has been handled before.
   */
  prepareForUpdate?(object: T, old: T, context: StrategyContext): T;
  /** All faults, in upstream's order; the generic pipeline has validated metadata before. */
  validateUpdate?(object: T, old: T, context: StrategyContext): Iterable<StatusCause>;
}

interface StatusStrategy<T extends KubeObject = KubeObject> extends UpdateStrategy<T> {
  /** The part of `setDefaults` outside the spec, for an object that comes with the stored spec. Default: `setDefaults` itself. */
  setDefaults?(object: T): T;
}

/**
 * One per group and kind. All arguments are shared and frozen: a function returns the same object if nothing changes,
 * else a new one. Objects have the storage version's shape, with kind and apiVersion set. Everything but the identity
 * is optional: an absent member means the default written beside it.
 */
export interface Strategy<T extends KubeObject = KubeObject> extends UpdateStrategy<T> {
  readonly group: string;
  readonly kind: string;
  /**
   * Fills in defaults, as upstream's versioned defaulting functions do: runs on every object that comes in (create,
   * update, patch result), before admission.
   */
  setDefaults?(object: T): T;
  /** The faults of a name, as upstream words them; `prefix` is true for a generateName. Default: DNS-1123 subdomain. */
  validateName?(name: string, prefix: boolean): readonly string[];
  /** Rules of metadata from which this kind is exempt. */
  readonly lenient?: {
    /** Finalizers need no domain. */
    readonly finalizers?: true;
    /** On update a generateName need only be valid in a path. */
    readonly prefixOnUpdate?: true;
  };
  /**
   * Clears fields that a client may not set (status, …) and sets the fields that the server decides. The pipeline sets the
   * first generation.
   */
  prepareForCreate?(object: T, context: StrategyContext): T;
  validateCreate?(object: T, context: StrategyContext): Iterable<StatusCause>;
  /** As of an endpoint. Default: `validateCreate` of the new object. */
  validateUpdate?(object: T, old: T, context: StrategyContext): Iterable<StatusCause>;
  /** True if the metadata of a new object, sent to this group, is judged only if the rest is right. Default false. */
  judgesMetadataLast?(group: string): boolean;
  /** The object as the rules and warnings of the kind read it. Default: the object itself. */
  forRules?(object: T): T;
  /**
   * True if the rules and warnings for this new object read neither its name nor the context: then objects of one
   * template, which differ in the name, are judged once. Default false.
   */
  isJudgedByContent?(object: T): boolean;
  /** Warnings about values that are valid but unwise, for Warning headers. */
  warningsOnCreate?(object: T): readonly string[];
  warningsOnUpdate?(object: T, old: T): readonly string[];
  /**
   * The `status` endpoint; if present, `status` is also dropped on the main endpoint. Default for a kind with that
   * subresource: status from the new object, everything else from the old.
   */
  readonly status?: StatusStrategy<T>;
  /** Other endpoints that take the whole object (`approval`, `finalize`, `ephemeralcontainers`, `resize`). */
  readonly subresources?: Readonly<Record<string, UpdateStrategy<T>>>;
  /**
   * True if create keeps a `status` that was sent (Node). Default false: it is dropped before prepareForCreate if there
   * is a status endpoint.
   */
  readonly keepsStatusOnCreate?: boolean;
  /** Whether a PUT without resourceVersion is accepted. Default true. */
  readonly allowUnconditionalUpdate?: boolean;
  /** Whether a PUT of a missing object creates it. Default false. */
  readonly allowCreateOnUpdate?: boolean;
  /** The grace of a delete in seconds; `asked` is the option, if given. Default: no graceful deletion. */
  gracePeriodSeconds?(object: T, asked: number | undefined): number;
  /**
   * True if something besides finalizers keeps an object that is being deleted (a namespace's spec.finalizers). Default
   * false.
   */
  holdsDeletion?(object: T): boolean;
  /** Applied when a deletion begins, to the object that gets the deletionTimestamp (a namespace's phase). */
  onDeletionStart?(object: T, now: number): T;
  /** Default "Background". */
  readonly defaultPropagation?: "Background" | "Orphan" | "Unsupported";
  /** Whether a finished DELETE answers with the object instead of a Status. Default false. */
  readonly deleteReturnsObject?: boolean;
  /** The fields besides metadata.name and metadata.namespace that a field selector may use, with their values. */
  readonly selectableFields?: Readonly<Record<string, (object: T) => string>>;
  /** For a kind that another group serves too: that group's names for these fields, which are then the only ones. */
  readonly selectableFieldAliases?: Readonly<Record<string, ReadonlyMap<string, string>>>;
  /**
   * `never`: metadata.generation stays absent. `spec`: starts at 1, +1 when spec changes. A function decides itself
   * whether +1 is due. Default "never". All but "never" also count when deletionTimestamp is first set.
   */
  readonly generation?: "never" | "spec" | ((object: T, old: T) => boolean);
  /** With 0 the generation of a new object is absent until it first changes. Default 1. */
  readonly firstGeneration?: 0 | 1;
  /** Milliseconds to live after the last write (Event). */
  readonly ttlMs?: number;
}
