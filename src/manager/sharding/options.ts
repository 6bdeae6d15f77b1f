/** The options of sharding, their check, and the rule that gives an object its shard. */
import { isDns1123Label, isQualifiedName, type KubeObject, Lease, type ResourceType } from "../../api/index.js";
import { checkOptions, type Clock, type Logger, type MetricsRegistry, type Random, shown } from "../../base/index.js";
import { own } from "../../base/members.js";
import type { Client } from "../../client/index.js";
import type { ObjectPlace, Request, ShardHolder } from "../../controller/index.js";
import type { LeaseName } from "../leader-election/index.js";
import { groupLabel } from "./group.js";
import { shardOf } from "./plan.js";
import type { GroupClient } from "./leases.js";
import { Sharder } from "./sharder.js";

export interface ShardingOptions {
  /** The names of the group's Leases begin with this one. */
  readonly lease: LeaseName;
  /** More than there will ever be replicas; 32 by default. To change it, all replicas must end first. */
  readonly shards?: number;
  /**
   * Objects with the same text are reconciled by the same replica: those of a namespace (the default), those with the
   * same value of a label, or those for which a function gives the same text. An object without a namespace or without
   * the label goes by its own name.
   */
  readonly by?: "namespace" | { readonly label: string } | ((request: Request) => string);
  /**
   * Each replica caches only the objects of its shards, with `by: "namespace"` and of kinds that have one. A reconciler then
   * must not read other namespaces; kinds for which it does are cached whole by `manager.cache(Secret, { allShards: true })`.
   */
  readonly limitCaches?: boolean;
  /** Unique for each process. By default the host's name and a random number. */
  readonly identity?: string;
  readonly leaseDurationMs?: number;
  readonly renewDeadlineMs?: number;
  readonly retryPeriodMs?: number;
}

const rules = {
  lease: "object",
  shards: { min: 1, max: 4096, whole: true },
  limitCaches: "boolean",
  identity: "text",
  leaseDurationMs: { min: 1 },
  renewDeadlineMs: { min: 1 },
  retryPeriodMs: { min: 1 },
} as const;

/** Throws for options that cannot be meant. */
export function checkSharding(options: ShardingOptions): void {
  const of = "manager: sharding";
  const { by = "namespace", ...rest } = Object(options) as ShardingOptions;
  checkOptions(rest, { of, rules, required: ["lease"] });
  const lease = { name: "text", namespace: "text" } as const;
  checkOptions(rest.lease, { of: `${of}: lease`, rules: lease, required: ["name", "namespace"] });
  const complaints = isDns1123Label(rest.lease.name);
  if (complaints.length > 0)
    throw new TypeError(`${of}: lease: name ${shown(rest.lease.name)}: ${complaints.join("; ")}`);
  if (rest.limitCaches === true && by !== "namespace")
    throw new TypeError(
      `${of}: limitCaches needs by: "namespace": an object and those that its reconciler reads share a namespace, but neither a label nor a name`,
    );
  if (by === "namespace" || typeof by === "function") return;
  const { label } = Object(by) as { readonly label?: unknown };
  if (typeof label !== "string" || isQualifiedName(label).length > 0)
    throw new TypeError(
      `${of}: by must be "namespace", { label: "example.com/tenant" } or a function of a request, not ${shown(by)}`,
    );
}

export interface ShardingHost {
  readonly client: Client;
  readonly onLease: (lease: Lease) => void;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
  readonly metrics: MetricsRegistry;
}

export interface Sharding {
  readonly sharder: Sharder;
  /** The shards, as controllers see them. */
  readonly holder: ShardHolder;
  /** With `limitCaches`: whether objects of the namespace belong into the caches of this process now. */
  readonly caches?: (namespace: string) => boolean;
}

/** The process as a member of its group, and the view that its controllers have of it. */
export function shardingOf(
  { by = "namespace", shards = 32, limitCaches = false, ...options }: ShardingOptions,
  { client, ...host }: ShardingHost,
): Sharding {
  const { lease } = options;
  const leases = groupClient(client, lease);
  const sharder = new Sharder({ ...options, ...host, leases, shards, layout: `${shards} by ${nameOf(by)}` });
  const textOf = textBy(by, host.log);
  const caches = (namespace: string): boolean => sharder.isHeld(shardOf(namespace, shards));
  return {
    sharder,
    ...(limitCaches && { caches }),
    holder: {
      of: (type, place, object) => shardOf(textOf(type, place, object), shards),
      followsObject: typeof by === "object",
      settleMs: sharder.takeOverMs,
      enter: (shard) => sharder.enter(shard),
      onAcquired: (tell) => sharder.onAcquired(tell),
    },
  };
}

type By = NonNullable<ShardingOptions["by"]>;

function nameOf(by: By): string {
  if (typeof by === "function") return `the function ${by.name || "without a name"}`;
  return by === "namespace" ? by : `label ${by.label}`;
}

function textBy(by: By, log: Logger): (type: ResourceType, place: ObjectPlace, object?: KubeObject) => string {
  const keyOf = ({ namespace, name }: ObjectPlace): string => (namespace ? `${namespace}/${name}` : name);
  if (by === "namespace") return (_type, { namespace, name }) => namespace || name;
  if (typeof by === "object") return (_type, place, object) => own(object?.metadata.labels, by.label) ?? keyOf(place);
  return (type, place) => {
    try {
      const text = by(place);
      if (typeof text === "string") return text;
      throw new TypeError(`it gave ${shown(text)} and no text`);
    } catch (error) {
      log.error("sharding by a function failed, and the object goes by its name", { kind: type.kind, place, error });
      return keyOf(place);
    }
  };
}

/** The client must not be fenced, because the fence depends on these Leases. */
function groupClient(client: Client, { namespace, name: group }: LeaseName): GroupClient {
  const leases = client.resource(Lease, { namespace });
  const labelSelector = `${groupLabel}=${group}`;
  return {
    list: async (signal) => (await leases.list({ labelSelector, signal })).items,
    get: (name, signal) => leases.get(name, { signal }),
    create: (lease, signal) => leases.create(lease, { signal }),
    update: (lease, signal) => leases.update(lease, { signal }),
    delete: async ({ metadata: { name, uid, resourceVersion } }, signal) => {
      await leases.delete(name, { signal, preconditions: { uid, resourceVersion } as object });
    },
  };
}
