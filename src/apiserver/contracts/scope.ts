/** The circumstances of one request that the pipelines need: user, time, strictness, dry run. */
import type { KubeObject, ResourceType, StatusCause } from "../../api/index.js";
import { type Clock, type Cooperative, type Random, sliceAmong, turnsOf } from "../../base/index.js";
import type { AdmissionPlugin, Annotate } from "./admission.js";
import type { Authorizer } from "./authorizer.js";
import type { UserInfo } from "./user.js";
import type { Store, StoreEvent, StoreWrite } from "../storage/contract.js";
import type { StrategyContext } from "./strategy.js";

/** The object with its addresses and ports. A dry run allocates nothing, and its values may differ from a write's. */
type Allocate = (
  object: KubeObject,
  about: { readonly old: KubeObject | undefined; readonly dryRun: boolean },
) => KubeObject;

/** The parts of the server that all requests share. */
export interface Machinery {
  readonly store: Store;
  readonly clock: Clock;
  readonly random: Random;
  readonly admission: readonly AdmissionPlugin[];
  /** Asked by writes that turn out to need a second permission: an update or apply that creates. */
  readonly authorizer: Authorizer;
  /** Guards by collection, for permissions that depend on an object's content. */
  readonly guards: ReadonlyMap<string, Guard>;
  /**
   * Allocators by collection: their decisions (addresses, ports) must fall in the same synchronous step as the commit,
   * because concurrent writes compete for them.
   */
  readonly allocators: ReadonlyMap<string, Allocate>;
  /** By collection: further changes in the same transaction when an object is created, changed or deleted. */
  readonly companions: ReadonlyMap<string, Companions>;
  /**
   * By batch of events, then by encoder and selection: the bytes of the batch, shared by the watchers that get it in the
   * same turn.
   */
  readonly watchBatches: WeakMap<readonly StoreEvent[], Map<string, Uint8Array>>;
  /** Counts the watches of a resource and their bytes. */
  watchMeter(resource: Pick<ResourceType, "group" | "version" | "plural">): WatchMeter;
}

export interface WatchMeter {
  opened(): void;
  sent(bytes: number): void;
  closed(): void;
}

/**
 * Throws to refuse, or gives causes that make the object invalid, which come before those of its validation. Called
 * after admission has changed the object. Gives a promise only if a permission must be asked for elsewhere.
 */
export type Guard = (write: GuardedWrite) => readonly StatusCause[] | Promise<readonly StatusCause[]>;

export interface GuardedWrite {
  readonly user: UserInfo;
  readonly verb: "create" | "update" | "patch";
  /** "" for the object itself. */
  readonly subresource: string;
  readonly resource: string;
  /** "" in cluster scope. */
  readonly namespace: string;
  /** The name in the path; "" if the object brings its own. */
  readonly name: string;
  readonly object: KubeObject;
  /** Absent for a create. */
  readonly old?: KubeObject;
}

/** `old` is undefined for a create, `object` for a delete. */
type Companions = (old: KubeObject | undefined, object: KubeObject | undefined) => readonly StoreWrite[];

export interface RequestScope {
  readonly machinery: Machinery;
  readonly user: UserInfo;
  readonly dryRun: boolean;
  /** The manager that comes to own the written fields. */
  readonly manager: string;
  readonly signal: AbortSignal;
  /**
   * A large object is worked on in phases, and between two of them other requests get their turn. After a pause the
   * state may have changed; the commit compares revisions, and nothing pauses between validating admission and it.
   */
  readonly slice: Cooperative;
  warn(text: string): void;
  /** Undefined if no audit event is made. */
  readonly annotate?: Annotate | undefined;
}

/** The time after which a request makes room for others. */
const sliceMs = 8;

export const requestSlice = ({ clock }: Pick<Machinery, "clock">): Cooperative =>
  sliceAmong(turnsOf(clock), { clock, sliceMs });

export function strategyContext({ machinery, user, warn }: RequestScope, group: string): StrategyContext {
  return { now: machinery.clock.now(), user, group, newUid: () => newUid(machinery.random), warn };
}

const hex = "0123456789abcdef";

/** A v4 UUID from the given random numbers. */
export function newUid(random: Random): string {
  let uid = "";
  for (let i = 0; i < 36; i++) {
    if (i === 8 || i === 13 || i === 18 || i === 23) uid += "-";
    else if (i === 14) uid += "4";
    else uid += hex[i === 19 ? 8 + random.int(4) : random.int(16)];
  }
  return uid;
}
