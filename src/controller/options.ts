/** What an author says about a controller. Read by the controller and by the manager, which derives caches and permissions from it. */
import { checkResourceType, isQualifiedName, type KubeObject, type ResourceType } from "../api/index.js";
import { checkOptions, type Logger, type OptionRule, shown } from "../base/index.js";
import type { RateLimiter } from "../workqueue/index.js";
import type { CacheOptions } from "./cache/cluster-cache.js";
import type { Predicate } from "./intake/change.js";
import type { Reconcile, ReconcileResult, RunContext } from "./reconcile.js";
import { owned, type Source, type WatchSpec } from "./intake/sources.js";

export interface ControllerOptions<T extends KubeObject> {
  /** Unique in a manager. Also the field manager and the component of events. */
  readonly name: string;
  /** The kind whose objects are reconciled. */
  readonly for: ResourceType<T>;
  readonly reconcile: Reconcile<T>;
  /**
   * A finalizer of this name is on every object before `reconcile` sees it. When the object is to be deleted, `run` is called in the place
   * of `reconcile`; if it returns without asking to come again, the finalizer is removed.
   */
  readonly finalizer?: { readonly name: string; readonly run: Reconcile<T> };
  /** The object is gone. Nothing of it can be read any more: what must be cleaned up needs a finalizer instead. */
  readonly deleted?: (context: RunContext) => Promise<ReconcileResult | void>;
  /** Kinds that this controller makes. Their changes wake the object that controls them; `owned(Kind, …)` says it more exactly. */
  readonly owns?: readonly (ResourceType | WatchSpec)[];
  /** Other kinds that matter: `watch(Kind, map)`. */
  readonly watches?: readonly WatchSpec[];
  readonly sources?: readonly Source[];
  /** Kinds that are read from the cache and wake nobody. */
  readonly reads?: readonly ResourceType[];
  /** Kinds that are written and not cached. */
  readonly writes?: readonly ResourceType[];
  /** Which changes of its own kind matter: those that all of them let pass. `specChanged` alone unless they are given. */
  readonly predicates?: readonly Predicate<T>[];
  /** What is cached of its own kind. */
  readonly cache?: CacheOptions<T>;
  /** How many objects are reconciled at the same time; 4 unless it is given. */
  readonly concurrency?: number;
  /** How long one run may take before its signal aborts; five minutes unless it is given. */
  readonly timeoutMs?: number;
  /** Delays after failures of one key; 5 ms to five minutes, doubling, unless it is given. */
  readonly limiter?: RateLimiter;
  /** So many failures in a row and the key is a dead letter until something about it changes; never unless it is given. */
  readonly maxFailures?: number;
  /** Keys are served in turns by group, e.g. by namespace, so that one tenant cannot starve the others. */
  readonly fairBy?: (key: string) => string;
  /** False: the loop breaker reports, and slows nothing down. */
  readonly slowHotLoops?: boolean;
  /** Runs on every replica, leader or not. */
  readonly withoutLease?: boolean;
}

/** Throws if an option cannot be meant: a misspelt one, the name of a kind in the place of the kind, a NaN, no worker. */
export function checkControllerOptions<T extends KubeObject>(options: ControllerOptions<T>): void {
  const { name } = Object(options) as { readonly name?: unknown };
  const of = typeof name === "string" && name !== "" ? `controller ${name}` : "a controller";
  checkOptions(options, { of, rules, required: ["name", "for", "reconcile"] });
  checkResourceType(`${of}: for`, options.for);
  const { owns = [], watches = [], reads = [], writes = [], finalizer } = options;
  for (const item of owns) if (!isWatchSpec(item)) checkResourceType(`${of}: owns`, item);
  for (const item of watches) {
    if (isWatchSpec(item)) checkResourceType(`${of}: watches`, item.type);
    else throw new TypeError(`${of}: watches takes watch(Kind, map), not ${shown(item)}`);
  }
  for (const type of reads) checkResourceType(`${of}: reads`, type);
  for (const type of writes) checkResourceType(`${of}: writes`, type);
  if (finalizer !== undefined) checkFinalizer(of, finalizer);
}

const rules = {
  name: "text",
  for: "object",
  reconcile: "function",
  finalizer: "object",
  deleted: "function",
  owns: "list",
  watches: "list",
  sources: "list",
  reads: "list",
  writes: "list",
  predicates: "list",
  cache: "object",
  concurrency: { min: 1, whole: true },
  timeoutMs: { min: 1, endless: true },
  limiter: "object",
  maxFailures: { min: 1, whole: true, endless: true },
  fairBy: "function",
  slowHotLoops: "boolean",
  withoutLease: "boolean",
} as const satisfies Record<keyof ControllerOptions<KubeObject>, OptionRule>;

const isWatchSpec = (item: unknown): item is WatchSpec => "map" in (Object(item) as object);

/** The server refuses an unqualified name at the first object, and again at each retry. */
function checkFinalizer(of: string, finalizer: unknown): void {
  const required = ["name", "run"];
  checkOptions(finalizer, { of: `${of}: finalizer`, rules: { name: "text", run: "function" }, required });
  const { name } = finalizer as { readonly name: string };
  const complaints = isQualifiedName(name);
  if (complaints.length > 0) throw new TypeError(`${of}: finalizer ${shown(name)}: ${complaints.join("; ")}`);
  if (!name.includes("/"))
    throw new TypeError(`${of}: finalizer ${shown(name)} needs a domain, as in example.com/${name}`);
}

/** `fairBy`, made safe: the keys of which it throws are one group, because a key that is in no group would never run. */
export function fairGroups(fairBy: (key: string) => string, log: Logger): (key: string) => string {
  return (key) => {
    try {
      return fairBy(key);
    } catch (error) {
      log.error("fairBy failed, and the key waits in a group with others like it", { key, error });
      return "";
    }
  };
}

/** Throws if another controller has the same finalizer on the same kind: one would take it off before the other has cleaned up. */
export function refuseSharedFinalizer(options: FinalizerUse, others: readonly FinalizerUse[]): void {
  const { name, finalizer, for: type } = options;
  const sharing = others.find(
    (other) =>
      finalizer !== undefined &&
      other.finalizer?.name === finalizer.name &&
      other.for.group === type.group &&
      other.for.plural === type.plural,
  );
  if (sharing !== undefined)
    throw new Error(
      `controllers ${sharing.name} and ${name} both have the finalizer ${finalizer?.name} on ${type.kind}: each needs one of its own`,
    );
}

/** The part of the options that is about the finalizer. */
export interface FinalizerUse {
  readonly name: string;
  readonly for: ResourceType;
  readonly finalizer?: { readonly name: string };
}

/** What a controller does with a kind, for caches and permissions. */
export interface KindUse {
  readonly type: ResourceType;
  readonly use: "for" | "owns" | "watches" | "reads" | "writes";
  /** "" is the manager's own. */
  readonly cluster: string;
}

/** The part of the options that names kinds. */
export type ControllerKinds = Pick<ControllerOptions<KubeObject>, "for" | "owns" | "watches" | "reads" | "writes">;

export function watchSpecsOf({ owns = [], watches = [] }: ControllerKinds): readonly WatchSpec[] {
  return [...owns.map((item) => (isWatchSpec(item) ? item : owned(item))), ...watches];
}

export function kindsOf(options: ControllerKinds): readonly KindUse[] {
  const { reads = [], writes = [] } = options;
  const cluster = "";
  return [
    { type: options.for, use: "for", cluster },
    ...watchSpecsOf(options).map((spec): KindUse => {
      return { type: spec.type, use: spec.owned ? "owns" : "watches", cluster: spec.cluster };
    }),
    ...reads.map((type): KindUse => ({ type, use: "reads", cluster })),
    ...writes.map((type): KindUse => ({ type, use: "writes", cluster })),
  ];
}
