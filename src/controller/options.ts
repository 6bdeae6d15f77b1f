/** The options of a controller, from which the manager also derives caches and permissions. */
import { checkResourceType, isQualifiedName, type KubeObject, type ResourceType, resourceKey } from "../api/index.js";
import { checkOptions, type Logger, type OptionRule, shown } from "../base/index.js";
import type { RateLimiter } from "../workqueue/index.js";
import type { CacheOptions } from "./cache/options.js";
import type { KindNeed } from "./cache/declared.js";
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
   * The framework adds this finalizer to every object before `reconcile` sees it. When the object is being deleted,
   * `run` is called in place of `reconcile`; if it returns without asking to come again, the finalizer is removed.
   */
  readonly finalizer?: { readonly name: string; readonly run: Reconcile<T> };
  /** Called when the object is gone. Nothing of it can be read any more: clean-up needs a finalizer instead. */
  readonly deleted?: (context: RunContext) => Promise<ReconcileResult | void>;
  /**
   * Kinds that this controller creates. Their changes wake the object that controls them; `owned(Kind, …)` gives more
   * control.
   */
  readonly owns?: readonly (ResourceType | WatchSpec)[];
  /** Other kinds that wake objects: `watch(Kind, map)`. */
  readonly watches?: readonly WatchSpec[];
  readonly sources?: readonly Source[];
  /** Kinds that are read from the cache and wake no object. */
  readonly reads?: readonly ResourceType[];
  /**
   * The kinds of `owns`, `watches` and `reads` that the server need not know, e.g. a kind of another operator that may
   * not be installed. The controller runs without them; when such a kind appears, all objects are reconciled. `cache.serves`
   * tells whether it is there.
   */
  readonly optional?: readonly ResourceType[];
  /** Kinds that are written and not cached; also its own kind, if more of it is written than status and finalizer. */
  readonly writes?: readonly ResourceType[];
  /** Select the changes of its own kind that wake an object: all of them must pass. `specChanged` alone by default. */
  readonly predicates?: readonly Predicate<T>[];
  /** The scope of the cache of its own kind. */
  readonly cache?: CacheOptions<T>;
  /** The number of objects that are reconciled at the same time; 4 by default. */
  readonly concurrency?: number;
  /** The time after which the signal of a run aborts; five minutes by default. */
  readonly timeoutMs?: number;
  /** Delays after failures of one key; by default 5 ms to five minutes, doubling. */
  readonly limiter?: RateLimiter;
  /** After this many failures in a row the key is a dead letter until something about it changes; never by default. */
  readonly maxFailures?: number;
  /** Keys are served in turns by group, e.g. by namespace, so that one tenant cannot starve the others. */
  readonly fairBy?: (key: string) => string;
  /** False if the loop breaker reports, and slows nothing down. */
  readonly slowHotLoops?: boolean;
  /** Runs on every replica, leader or not. */
  readonly withoutLease?: boolean;
}

/** Throws for an option that must be a mistake: a misspelt one, a kind's name in place of the kind, a NaN, no worker. */
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
  checkOptional(of, options);
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
  optional: "list",
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

function checkOptional(of: string, options: ControllerKinds): void {
  const cached = new Set(kindsOf(options).flatMap(({ type, use }) => (use === "writes" ? [] : [resourceKey(type)])));
  for (const type of options.optional ?? []) {
    checkResourceType(`${of}: optional`, type);
    if (resourceKey(type) === resourceKey(options.for))
      throw new TypeError(`${of}: ${type.kind} cannot be optional, because it is the kind that is reconciled`);
    if (!cached.has(resourceKey(type)))
      throw new TypeError(`${of}: optional ${type.kind} is in none of owns, watches and reads`);
  }
}

const isWatchSpec = (item: unknown): item is WatchSpec => "map" in (Object(item) as object);

/** The server would refuse an unqualified name at the first object, and again at each retry. */
function checkFinalizer(of: string, finalizer: unknown): void {
  const required = ["name", "run"];
  checkOptions(finalizer, { of: `${of}: finalizer`, rules: { name: "text", run: "function" }, required });
  const { name } = finalizer as { readonly name: string };
  const complaints = isQualifiedName(name);
  if (complaints.length > 0) throw new TypeError(`${of}: finalizer ${shown(name)}: ${complaints.join("; ")}`);
  if (!name.includes("/"))
    throw new TypeError(`${of}: finalizer ${shown(name)} needs a domain, as in example.com/${name}`);
}

/** `fairBy`, made safe: keys for which it throws form one group, because a key without a group would never run. */
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

/** Throws if another controller has the same finalizer on the same kind: one would remove it before the other has cleaned up. */
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

/** A controller's use of a kind, for caches and permissions. */
export interface KindUse {
  readonly type: ResourceType;
  /** "optional" if the controller works without the kind. */
  readonly need: KindNeed;
  readonly use: "for" | "owns" | "watches" | "reads" | "writes";
  /** "" for the manager's own cluster. */
  readonly cluster: string;
  /** True if the framework keeps a finalizer on the objects. */
  readonly finalizes?: boolean;
}

/** The part of the options that names kinds. */
export type ControllerKinds = Pick<
  ControllerOptions<KubeObject>,
  "for" | "owns" | "watches" | "reads" | "writes" | "optional"
> & { readonly finalizer?: object };

export function watchSpecsOf({ owns = [], watches = [] }: ControllerKinds): readonly WatchSpec[] {
  return [...owns.map((item) => (isWatchSpec(item) ? item : owned(item))), ...watches];
}

export function kindsOf(options: ControllerKinds): readonly KindUse[] {
  const { reads = [], writes = [], optional = [] } = options;
  const dispensable = new Set(optional.map(resourceKey));
  const useOf = (type: ResourceType, use: KindUse["use"], cluster = ""): KindUse => {
    return { type, use, cluster, need: dispensable.has(resourceKey(type)) ? "optional" : "needed" };
  };
  return [
    { ...useOf(options.for, "for"), finalizes: options.finalizer !== undefined },
    ...watchSpecsOf(options).map((spec) => useOf(spec.type, spec.owned ? "owns" : "watches", spec.cluster)),
    ...reads.map((type) => useOf(type, "reads")),
    ...writes.map((type) => useOf(type, "writes")),
  ];
}
