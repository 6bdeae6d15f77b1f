/** The options of a manager, and the check that finds the ones that cannot be meant, before anything is made of them. */
import type { KubeObject, PolicyRule } from "../api/index.js";
import {
  checkOptions,
  type Clock,
  type Logger,
  type MetricsRegistry,
  type OptionRule,
  type Random,
} from "../base/index.js";
import type { Client } from "../client/index.js";
import type { Journal } from "../controller/index.js";
import { checkWebhookServerOptions, type WebhookServerOptions } from "../webhook/index.js";
import type { ElectionOptions } from "./leader-election/elector-of.js";
import type { LeaseName } from "./leader-election/index.js";
import { checkSharding, type ShardingOptions } from "./sharding/index.js";

export interface ManagerOptions {
  readonly client: Client;
  /** Further clusters, by the names that `watch` and `context.cluster` take. */
  readonly clusters?: Readonly<Record<string, Client>>;
  /** Only these namespaces are cached, unless a kind declares others. */
  readonly namespaces?: readonly string[];
  /** The period in which everything is reconciled although nothing changed; never by default. */
  readonly resyncPeriodMs?: number;
  /** Shrinks every cached object; by default managed fields are dropped. */
  readonly transform?: (object: KubeObject) => KubeObject;
  /**
   * Freezes cached objects, so that a reconciler that changes one fails with a TypeError at that line. True on a
   * FakeClock and for test clusters. Elsewhere such a change is found when the object is written, and logged.
   */
  readonly freeze?: boolean;
  /** Controllers that shall not reconcile, by name; "*" is all of them. */
  readonly paused?: readonly string[];
  /** The Lease that the replicas share, for `leaderElection` and `sharding` without one of their own. */
  readonly lease?: LeaseName;
  /** If set, only the holder of the lease reconciles; the other replicas keep their caches warm. */
  readonly leaderElection?: Leased<ElectionOptions>;
  /**
   * If set, all replicas reconcile, each the objects of its shards. Other work that needs a lease runs on one of them.
   * Not together with `leaderElection`.
   */
  readonly sharding?: Leased<ShardingOptions>;
  /**
   * The address of `/healthz`, `/readyz`, `/metrics`, `/debug/journal` and of the page at `/`; not served by default. Port 0
   * takes any free port. Where other machines can reach it, the page wants a token: `{ port, page: { token } }`.
   */
  readonly http?: { readonly host?: string; readonly port: number; readonly page?: false | { readonly token: string } };
  /** The server of `webhook` and of conversions, its certificates and its address; not served by default. */
  readonly webhooks?: WebhookServerOptions;
  readonly events?: "v1" | "events.k8s.io/v1";
  /**
   * Permissions that no declaration of a controller tells, e.g. of a subresource:
   * `{ apiGroups: [""], resources: ["pods/eviction"], verbs: ["create"] }`. They go into the roles as they are.
   */
  readonly permissions?: readonly PolicyRule[];
  /**
   * The memory of all caches together, e.g. "200Mi". When it is short, fewer whole objects are kept (`recent` of a
   * kind's cache) and more reads go to the server; when that is not enough, the manager is not ready.
   */
  readonly cacheMemory?: string;
  /** If the process takes more than this, the manager is not ready, and names the largest cache. */
  readonly memoryBudgetBytes?: number;
  /** The longest time that a stop may take. */
  readonly stopTimeoutMs?: number;
  readonly journal?: Journal;
  /** The client's clock unless it is given. */
  readonly clock?: Clock;
  readonly random?: Random;
  readonly log?: Logger;
  readonly metrics?: MetricsRegistry;
}

/** Options about replicas; the Lease is the manager's if it is not given. */
type Leased<Options extends { readonly lease: LeaseName }> = Omit<Options, "lease"> & { readonly lease?: LeaseName };

/** The options with each part's Lease. */
export type CheckedOptions = Omit<ManagerOptions, "leaderElection" | "sharding"> & {
  readonly leaderElection?: ElectionOptions;
  readonly sharding?: ShardingOptions;
};

const rules = {
  client: "object",
  clusters: "object",
  namespaces: "list",
  resyncPeriodMs: {},
  transform: "function",
  freeze: "boolean",
  paused: "list",
  lease: "object",
  leaderElection: "object",
  sharding: "object",
  http: "object",
  webhooks: "object",
  events: "text",
  permissions: "list",
  cacheMemory: "text",
  memoryBudgetBytes: { min: 1 },
  stopTimeoutMs: { endless: true },
  journal: "object",
  clock: "object",
  random: "object",
  log: "object",
  metrics: "object",
} as const satisfies Record<keyof ManagerOptions, OptionRule>;

/** Throws for options that cannot be meant; gives them with the Leases filled in. */
export function checkedOptions(given: ManagerOptions): CheckedOptions {
  checkOptions(given, { of: "manager", rules, required: ["client"] });
  const options = withLeases(given);
  const { http, leaderElection, events = "v1", client, clusters = {} } = options;
  for (const [name, one] of Object.entries({ client, ...clusters })) checkClient(`manager: ${name}`, one);
  if (http !== undefined) {
    const port = { max: 65_535, whole: true };
    const { page, ...address } = http;
    checkOptions(address, { of: "manager: http", rules: { host: "text", port }, required: ["port"] });
    if (page !== undefined && page !== false)
      checkOptions(page, { of: "manager: http.page", rules: { token: "text" }, required: ["token"] });
  }
  if (options.webhooks !== undefined) checkWebhookServerOptions(options.webhooks);
  if (options.sharding !== undefined) checkSharding(options.sharding);
  if (options.sharding !== undefined && leaderElection !== undefined)
    throw new TypeError(
      "manager: sharding and leaderElection exclude each other: with sharding every replica works; leave out leaderElection, and --leader-elect of the command line",
    );
  if (leaderElection !== undefined) {
    const lease = { name: "text", namespace: "text" } as const;
    checkOptions(leaderElection.lease, { of: "manager: lease", rules: lease, required: ["name", "namespace"] });
  }
  if (events !== "v1" && events !== "events.k8s.io/v1")
    throw new TypeError(`manager: events must be v1 or events.k8s.io/v1, not ${String(events)}`);
  return options;
}

/** Parts that are left without a Lease are refused by their own checks. */
function withLeases({ leaderElection, sharding, ...options }: ManagerOptions): CheckedOptions {
  const leased = <Part extends object>(part: Part): Part =>
    options.lease === undefined ? part : { lease: options.lease, ...part };
  return {
    ...options,
    ...(leaderElection && { leaderElection: leased(leaderElection) as ElectionOptions }),
    ...(sharding && { sharding: leased(sharding) as ShardingOptions }),
  };
}

/** A misspelt name would pause nothing, without a word. */
export function refuseUnknownPauses(paused: readonly string[], names: readonly string[]): void {
  for (const name of paused)
    if (name !== "*" && !names.includes(name))
      throw new Error(`${name} cannot be paused: there is no such controller. There are: ${names.join(", ")}`);
}

/** `connect` gives a promise, and a forgotten `await` is the most frequent mistake of all. */
function checkClient(where: string, client: unknown): void {
  if (client instanceof Promise) throw new TypeError(`${where} is a promise: write await connect(…)`);
  if (typeof (client as { readonly resource?: unknown }).resource !== "function")
    throw new TypeError(`${where} is no client; connect(…) gives one`);
}
