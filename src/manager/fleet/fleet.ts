/** Clusters that come and go while a manager runs: each has controllers, caches and workers of its own, so that one harms no other. */
import {
  type Clock,
  exponentialBackoff,
  isAbortOf,
  linkedAbort,
  type Logger,
  MetricsRegistry,
  onAbort,
  type Running,
  shown,
  startRunning,
} from "../../base/index.js";
import type { Client } from "../../client/index.js";
import type { ClusterCache, Journal } from "../../controller/index.js";
import type { TermSource } from "../leader-election/index.js";
import type { Runnable } from "../stages.js";
import type { ClusterTurns } from "./cluster-turns.js";

/** Tells a fleet of its clusters, for as long as it runs. If it fails, it is started again. */
export interface ClusterProvider {
  readonly name: string;
  /** Runs until the signal aborts. The clients that it makes are its own to close, after `remove`. */
  run(fleet: FleetClusters, options: { readonly signal: AbortSignal }): Promise<void>;
}

/** The clusters of a fleet, as a provider or a program changes them. */
export interface FleetClusters {
  /** Adds a cluster. One of the same name is replaced: its work is stopped first. Resolves when the new one was started. */
  add(name: string, client: Client): Promise<void>;
  /**
   * Removes a cluster; resolves when its work has stopped, and rejects if it had not when the manager's time to stop was
   * over. A name that is not there is no error.
   */
  remove(name: string): Promise<void>;
}

/** The part of a cluster's manager that the fleet uses. */
interface FleetManager {
  readonly journal: Journal;
  readonly reader: ClusterCache;
  problems(): readonly string[];
  run(options: { readonly signal: AbortSignal; readonly abort?: AbortSignal }): Promise<void>;
}

interface FleetHost {
  readonly journal: Journal;
  readonly metrics: MetricsRegistry;
  readonly clock: Clock;
  readonly log: Logger;
}

export interface FleetOptions extends FleetHost {
  readonly provider?: ClusterProvider;
  /** Makes the manager of a cluster, with its controllers. */
  readonly engage: (name: string, member: MemberParts) => FleetManager;
  /** If set, the fleet runs on every replica, and each cluster on the one whose turn it is. */
  readonly turns: ClusterTurns | undefined;
}

/** The parts of a cluster's manager that the fleet gives. */
interface MemberParts {
  readonly client: Client;
  readonly metrics: MetricsRegistry;
  /** Undefined without turns: the lease of the whole fleet counts. */
  readonly leader: TermSource | undefined;
}

/** A cluster that was added. */
interface Member {
  readonly client: Client;
  /** Set while the fleet runs. */
  running: Running | undefined;
  /** Set while the cluster's manager runs. */
  manager: FleetManager | undefined;
  /** False while another replica has the cluster. */
  isHere: boolean;
}

/**
 * A cluster is known by its name, which stands before the keys of its objects: `west:default/web`.
 *
 * Invariants:
 * 1. `#members` has the clusters that were added and not removed; one that is being removed is in it until its work has
 *    stopped.
 * 2. A member runs only while the fleet does, and its turn lasts; at most one run of a name exists at a time.
 * 3. Changes of one name are made one after the other, in the order of the calls.
 */
export class Fleet implements Runnable, FleetClusters {
  readonly name = "fleet";
  readonly withoutLease: boolean;
  readonly #options: FleetOptions;
  readonly #members = new Map<string, Member>();
  /** The last change of each name that is under way. */
  readonly #changes = new Map<string, Promise<void>>();
  /** Set while the fleet runs. */
  #signal: AbortSignal | undefined;

  constructor(options: FleetOptions) {
    this.#options = options;
    this.withoutLease = options.turns !== undefined;
    const ready = options.metrics.gauge({
      name: "coxswain_fleet_cluster_ready",
      help: "1 if a cluster of the fleet works, 0 if it has problems",
      labels: ["cluster"],
    });
    options.metrics.beforeExpose(() => {
      for (const { values } of ready.series()) ready.remove({ cluster: values[0] ?? "" });
      // a replica that does not work on a cluster knows nothing of it, and must set off no alert
      if (this.#signal === undefined) return;
      for (const [name, member] of this.#members)
        if (member.isHere) ready.with({ cluster: name }).set(problemsOf(member).length === 0 ? 1 : 0);
    });
  }

  /** The clusters and their problems; a cluster that another replica has is idle here. */
  get clusters(): readonly { readonly name: string; readonly problems: readonly string[] }[] {
    return Array.from(this.#members, ([name, member]) => ({ name, problems: problemsOf(member) }));
  }

  /** The caches of the running clusters. */
  get caches(): readonly { readonly name: string; readonly cache: ClusterCache }[] {
    return [...this.#members].flatMap(([name, { manager }]) =>
      manager === undefined ? [] : [{ name, cache: manager.reader }],
    );
  }

  async add(name: string, client: Client): Promise<void> {
    checkName(name);
    await this.#inTurn(name, async () => {
      if (this.#members.get(name)?.client === client) return;
      await this.#stop(name);
      const member: Member = { client, running: undefined, manager: undefined, isHere: !this.withoutLease };
      this.#members.set(name, member);
      if (this.#signal !== undefined) this.#start(name, member, this.#signal);
    });
  }

  async remove(name: string): Promise<void> {
    await this.#inTurn(name, () => this.#stop(name));
  }

  /** Runs the clusters until the signal aborts and their work has stopped. */
  async run({ signal }: { readonly signal: AbortSignal }): Promise<void> {
    this.#signal = signal;
    for (const [name, member] of this.#members) this.#start(name, member, signal);
    const { provider } = this.#options;
    const providing =
      provider && this.#again(`the provider ${provider.name}`, signal, () => provider.run(this, { signal }));
    await new Promise<void>((resolve) => {
      if (signal.aborted) resolve();
      else signal.addEventListener("abort", () => resolve(), { once: true });
    });
    this.#signal = undefined;
    await Promise.all([providing, ...Array.from(this.#members.values(), ({ running }) => running?.done)]);
    for (const member of this.#members.values()) member.running = undefined;
  }

  #start(name: string, member: Member, signal: AbortSignal): void {
    const { log, turns } = this.#options;
    log.info("a cluster joins the fleet", { cluster: name });
    const live = (stop: AbortSignal): Promise<void> =>
      turns === undefined
        ? this.#engaged(name, member, { signal: stop })
        : this.#inTurns(name, member, { turns, stop });
    member.running = startRunning((stop) => this.#again(`cluster ${name}`, stop, () => live(stop)), signal);
    // a run ends with its signal alone
    member.running.done.catch(() => {});
  }

  /** A life of the cluster's manager in each turn. */
  async #inTurns(
    name: string,
    member: Member,
    { turns, stop }: { readonly turns: ClusterTurns; readonly stop: AbortSignal },
  ): Promise<void> {
    while (!stop.aborted) {
      using turn = turns.enter(name);
      member.isHere = turn !== undefined;
      if (turn === undefined) {
        await acquired(turns, stop);
        continue;
      }
      using until = linkedAbort(stop, turn.leaving);
      await this.#engaged(name, member, { signal: until.signal, abort: turn.lost, leader: turn.leader });
    }
  }

  /** One life of a cluster's manager. */
  async #engaged(
    name: string,
    member: Member,
    { leader, ...until }: { readonly signal: AbortSignal; readonly abort?: AbortSignal; readonly leader?: TermSource },
  ): Promise<void> {
    const { engage, journal, metrics } = this.#options;
    const own = new MetricsRegistry();
    const manager = engage(name, { client: member.client, metrics: own, leader });
    using _shown = metrics.include(own, { cluster: name });
    using _told = manager.journal.watch((entry) => journal.add({ ...entry, key: `${name}:${entry.key}` }));
    member.manager = manager;
    try {
      await manager.run(until);
    } finally {
      member.manager = undefined;
    }
  }

  /** Stops a cluster's work, waits for its end, and forgets the cluster. */
  async #stop(name: string): Promise<void> {
    const member = this.#members.get(name);
    if (member === undefined) return;
    try {
      await member.running?.close();
    } finally {
      this.#members.delete(name);
    }
    this.#options.log.info("a cluster has left the fleet", { cluster: name });
  }

  /** Runs, and after a failure again, with growing delays, until it returns or the signal aborts. */
  async #again(what: string, signal: AbortSignal, run: () => Promise<void>): Promise<void> {
    const { clock, log } = this.#options;
    const backoff = exponentialBackoff({ baseMs: 1_000, capMs: 60_000 });
    while (!signal.aborted) {
      try {
        await run();
        return;
      } catch (error) {
        if (isAbortOf(signal, error)) return;
        // the caller of the stop must know that the work goes on
        if (signal.aborted) throw error;
        log.error(`${what} failed and is started again`, { error });
        await clock.sleep(backoff.next(), signal).catch(() => {});
      }
    }
  }

  /** Invariant 3. */
  async #inTurn(name: string, change: () => Promise<void>): Promise<void> {
    const before = this.#changes.get(name) ?? Promise.resolve();
    const changed = before.catch(() => {}).then(change);
    this.#changes.set(name, changed);
    try {
      await changed;
    } finally {
      if (this.#changes.get(name) === changed) this.#changes.delete(name);
    }
  }
}

function problemsOf({ manager, isHere }: Member): readonly string[] {
  return manager?.problems() ?? [isHere ? "the cluster is not running" : "the cluster is not running on this replica"];
}

/** Resolves when clusters may have become ours, or the signal aborts. */
async function acquired(turns: ClusterTurns, signal: AbortSignal): Promise<void> {
  let tell = (): void => {};
  const told = new Promise<void>((resolve) => void (tell = resolve));
  using _acquired = turns.onAcquired(tell);
  using _aborted = onAbort(signal, tell);
  await told;
}

/** A name stands before keys and in labels of metrics. */
function checkName(name: unknown): void {
  if (typeof name !== "string" || !/^[A-Za-z0-9]([\w.-]*[A-Za-z0-9])?$/.test(name))
    throw new TypeError(`a cluster's name is made of letters, digits, "-", "_" and ".", not ${shown(name)}`);
}
