/** Carries out a plan: counts the operator's writes, reads and events, and strikes when a fault's moment has come. */
import { isNotFound, type KubeObject, unless } from "../../../api/index.js";
import type { ApiServer } from "../../../apiserver/index.js";
import { type FakeClock, messageOf, type Random, type Timer } from "../../../base/index.js";
import { Client } from "../../../client/index.js";
import { foreignMark } from "../end-state.js";
import { type Controls, type FaultKind, type Place, placeNamed, type Somebody, type Strike } from "../fault.js";
import { describeFault, type Moment, type Plan, type PlannedFault, type Profile } from "../plan.js";
import { Belongings } from "./belongings.js";
import { Children } from "./children.js";
import type { Replica } from "./process.js";
import { isBookkeeping, isWrite, type HistoryRecord, type Target } from "../record.js";
import { recorded } from "./recorded.js";
import { Views } from "./views.js";
import type { WireHost } from "./wire.js";
import { defined } from "../../../base/defined.js";

export interface DirectorOptions {
  readonly plan: Plan;
  readonly clock: FakeClock;
  readonly record: HistoryRecord;
  readonly server: ApiServer;
  readonly kinds: readonly FaultKind[];
  /** The names of the built-in controllers of the world. */
  readonly running: ReadonlySet<string>;
  readonly isSame?: WireHost["isSame"];
  readonly settled: Somebody["settled"];
}

interface Past {
  readonly revision: number;
  readonly untilMs: number;
}

/**
 * Invariants:
 * 1. Every fault of the plan strikes at most once; `struck` has the ones that did, in order.
 * 2. Nothing strikes before `begin` and after `end`; counts go on from 0 at `begin`.
 */
export class Director {
  /** The objects that the scenario created. */
  readonly asked: Place[] = [];
  readonly struck: PlannedFault[] = [];
  readonly contradictions: string[] = [];
  readonly belongings: Belongings = new Belongings();
  readonly #options: DirectorOptions;
  readonly #kinds: ReadonlyMap<string, FaultKind>;
  readonly #views: Views;
  readonly #children: Children = new Children(this.asked);
  readonly #counts = { write: 0, read: 0, event: 0 };
  readonly #timers: Timer[] = [];
  readonly #acts = new Set<Promise<void>>();
  /**
   * The last act that waited for the end of the scenario. Such acts change the scenario's objects and change them back;
   * each begins when the one before is over, because it would otherwise go back to a state in between.
   */
  #asking: Promise<void> = Promise.resolve();
  readonly #pasts = new Map<number, Past>();
  /** No past is older than this revision: a process was started to see it. */
  #oldestPast = 0;
  /** The times at which the revision changed, for travel into the past. */
  readonly #revisions: { readonly atMs: number; readonly revision: number }[] = [];
  #replicas: readonly Replica[] = [];
  #pending: PlannedFault[] = [];
  #isOn = false;
  readonly #refusals: { readonly resource: string | undefined; readonly untilMs: number }[] = [];
  /** For each replica, the end of the time in which it cannot reach the server. */
  readonly #partitions = new Map<number, number>();
  #lastMs = 0;
  #setBackMs = 0;
  #scenarioIsOver = false;
  #onScenarioEnd: (() => void)[] = [];

  constructor(options: DirectorOptions) {
    this.#options = options;
    this.#views = new Views(options.clock);
    this.#kinds = new Map(options.kinds.map((kind) => [kind.name, kind]));
  }

  bind(replicas: readonly Replica[]): void {
    this.#replicas = replicas;
  }

  get created(): readonly Place[] {
    return this.#children.all;
  }

  get profile(): Omit<Profile, "lastMs" | "changes"> {
    return { writes: this.#counts.write, reads: this.#counts.read, events: this.#counts.event };
  }

  /** The time at which the last fault so far is over, on the record's clock. */
  get lastMs(): number {
    return this.#lastMs;
  }

  /** The longest time until every fault that has struck, or waits for its time, is over. */
  get leftMs(): number {
    const times = this.#pending.flatMap(({ at, forMs = 0 }) => (at.on === "time" ? [at.number + forMs] : []));
    return Math.max(0, Math.max(this.#lastMs, ...times) - this.#options.record.nowMs);
  }

  /** The time by which clocks were set back: the acts of an operator at an hour of the wall come as much later. */
  get setBackMs(): number {
    return this.#setBackMs;
  }

  /** True while another user acts. */
  get isActing(): boolean {
    return this.#acts.size > 0;
  }

  /** True if a fault lasts, or waits for its time. */
  get isBusy(): boolean {
    return this.#acts.size > 0 || this.leftMs > 0 || this.#pending.some(({ at }) => at.on === "time");
  }

  begin(): void {
    const { plan, clock } = this.#options;
    this.#isOn = true;
    this.#counts.write = 0;
    this.#counts.read = 0;
    this.#counts.event = 0;
    this.#pending = [...plan.faults];
    for (const fault of plan.faults)
      if (fault.at.on === "time") this.#timers.push(clock.timer(fault.at.number, () => this.#strike(fault, {})));
  }

  scenarioEnded(): void {
    this.#scenarioIsOver = true;
    for (const go of this.#onScenarioEnd) go();
    this.#onScenarioEnd = [];
  }

  end(): void {
    this.#isOn = false;
    this.#pending = [];
    for (const timer of this.#timers) timer[Symbol.dispose]();
  }

  async close(): Promise<void> {
    this.end();
    this.scenarioEnded();
    await Promise.all(this.#acts);
  }

  /** The side of the wire that knows the plan. */
  wireHost({ replica, kill, random }: { replica: number; kill: (downMs: number) => void; random: Random }): WireHost {
    const { clock, record } = this.#options;
    return {
      clock,
      record,
      views: this.#views,
      random,
      kill,
      revision: () => this.#options.server.store.revision,
      strike: (target) => this.#request(replica, target),
      event: (resource) => this.#event(replica, resource),
      past: () => this.#past(replica),
      accepted: (write) => this.#children.accepted(write),
      isSame: this.#options.isSame,
    };
  }

  #request(replica: number, target: Target): { readonly strike?: Strike; readonly write?: number } {
    this.#noteRevision();
    if (this.#nowMs < (this.#partitions.get(replica) ?? 0)) return { strike: { type: "refuse" } };
    if (isBookkeeping(target) || target.verb === "other") return {};
    if (!isWrite(target)) {
      const strike = this.#at("read", { replica, target });
      return strike === undefined ? {} : { strike };
    }
    const write = this.#counts.write;
    const strike = this.#at("write", { replica, target });
    const verdict = strike ?? (this.#refuses(target) ? ({ type: "answer", code: 403 } as const) : undefined);
    return { write, ...defined({ strike: verdict }) };
  }

  #refuses({ resource }: Target): boolean {
    return this.#refusals.some(
      (one) => this.#nowMs < one.untilMs && (one.resource === undefined || one.resource === resource),
    );
  }

  get #nowMs(): number {
    return this.#options.clock.monotonic();
  }

  #event(replica: number, resource: string): number {
    this.#noteRevision();
    const number = this.#counts.event;
    this.#at("event", { replica, resource });
    return number;
  }

  /** Counts one exchange or event, and strikes with every fault of this moment; gives the last verdict on the exchange. */
  #at(on: "write" | "read" | "event", hit: Hit): Strike | undefined {
    const number = this.#counts[on]++;
    let verdict: Strike | undefined;
    const due = this.#pending.filter(({ at }) => isAt(at, on, number));
    for (const fault of due) verdict = this.#strike(fault, hit) ?? verdict;
    return verdict;
  }

  #strike(fault: PlannedFault, hit: Hit): Strike | undefined {
    const kind = this.#kinds.get(fault.fault);
    if (!this.#isOn || kind === undefined || !this.#pending.includes(fault)) return undefined;
    const { record } = this.#options;
    this.#pending = this.#pending.filter((one) => one !== fault);
    this.struck.push(fault);
    this.#lastMs = Math.max(this.#lastMs, record.nowMs + (fault.forMs ?? 0));
    record.fault(describeFault(fault));
    // a time does not say whose it is
    const replica =
      hit.replica ?? Math.min(this.#replicas.length - 1, Math.floor((fault.choice ?? 0) * this.#replicas.length));
    return kind.strike(fault, this.#controls({ ...hit, replica }));
  }

  #controls({ replica, target, resource }: Hit & { readonly replica: number }): Controls {
    const struck = this.#replicas[replica];
    return {
      target,
      resource,
      created: this.#children.all,
      running: this.#options.running,
      asked: this.asked,
      kill: (downMs) => struck?.kill(downMs),
      startAnew: () => {
        // each replica looks at its own objects: a part of them would leave the others as they are
        this.#pasts.clear();
        this.#oldestPast = this.#options.server.store.revision;
        for (const one of this.#replicas) one.kill(0);
      },
      pause: (ms) => struck?.current?.clock.pause(ms),
      jumpClock: (ms) => {
        struck?.current?.clock.jump(ms);
        this.#setBackMs += Math.max(0, -ms);
      },
      driftClock: (rate) => struck?.current?.clock.drift(rate),
      partition: (forMs) => {
        this.#partitions.set(replica, this.#nowMs + forMs);
        struck?.current?.wire.cutWatches("reset");
      },
      hold: (options) => this.#views.hold(options),
      withholdBookmarks: (forMs) => this.#views.withholdBookmarks(forMs),
      cutWatches: (how) => {
        for (const one of this.#replicas) one.current?.wire.cutWatches(how);
      },
      refuseWrites: ({ forMs, resource: only }) =>
        void this.#refusals.push({ resource: only, untilMs: this.#nowMs + forMs }),
      listOld: (options) => this.#listOld(replica, options),
      travelBack: (options) => {
        this.#listOld(replica, options);
        this.#views.hold({ forMs: options.forMs, end: "deliver" });
      },
      somebody: (does, act, options = {}) => this.#letAct(does, act, options.afterScenario === true),
    };
  }

  #listOld(replica: number, { byMs, forMs }: { readonly byMs: number; readonly forMs: number }): void {
    const revision = Math.max(this.#oldestPast, this.#revisionAt(this.#options.record.nowMs - byMs));
    this.#pasts.set(replica, { revision, untilMs: this.#nowMs + forMs });
  }

  #letAct(does: string, act: (user: Somebody) => Promise<void>, afterScenario: boolean): void {
    const { record } = this.#options;
    const before = this.#asking;
    const run = async (): Promise<void> => {
      if (afterScenario && !this.#scenarioIsOver) await new Promise<void>((go) => this.#onScenarioEnd.push(go));
      if (afterScenario) await before;
      record.fault(`somebody ${does}`);
      try {
        await act(this.#somebody());
      } catch (error) {
        record.fault(`somebody could not: ${messageOf(error)}`);
      }
      this.#lastMs = Math.max(this.#lastMs, record.nowMs);
    };
    const running = run().finally(() => this.#acts.delete(running));
    this.#acts.add(running);
    if (afterScenario) this.#asking = running;
  }

  #somebody(): Somebody {
    const { server, clock, record } = this.#options;
    const transport = recorded(server.transport(), { actor: "somebody", record });
    const client = new Client({ transport, clock, fieldManager: "somebody" });
    return {
      read: async ({ apiVersion, kind, namespace, name }) =>
        client.dynamic({ apiVersion, kind }, { namespace }).then((resource) => resource.getOrUndefined(name)),
      list: async (kind) => (await client.dynamic(kind)).list().then(({ items }) => items),
      remove: async ({ apiVersion, kind, namespace, name }) => {
        const resource = await client.dynamic({ apiVersion, kind }, { namespace });
        await resource.delete(name, { propagationPolicy: "Background" }).catch(unless(isNotFound));
      },
      patch: async ({ apiVersion, kind, namespace, name }, merge, subresource) => {
        const resource = await client.dynamic({ apiVersion, kind }, { namespace });
        const target = subresource === undefined ? resource : resource.status;
        return (await target.patch(name, { merge }).catch(unless(isNotFound))) !== undefined;
      },
      create: async (object: KubeObject) => {
        const { apiVersion, kind, metadata } = object;
        const resource = await client.dynamic({ apiVersion, kind }, { namespace: metadata.namespace ?? "" });
        await resource.create(object as never);
      },
      sleep: (ms) => clock.sleep(ms, new AbortController().signal),
      mark: async (place, member) => {
        const { apiVersion, kind, namespace, name } = place;
        const resource = await client.dynamic({ apiVersion, kind }, { namespace });
        const merge = { metadata: { [member]: { [foreignMark]: "stays" } } };
        const object = await resource.patch(name, { merge }).catch(unless(isNotFound));
        if (object !== undefined) this.belongings.marked(place, object, member);
      },
      add: async (object) => {
        const { apiVersion, kind, metadata } = object;
        const resource = await client.dynamic({ apiVersion, kind }, { namespace: metadata.namespace ?? "" });
        this.belongings.added(placeNamed(object), await resource.create(object as never));
      },
      settled: this.#options.settled,
      contradicts: (text) => {
        // another fault may have left something that a new object does not bring back
        if (this.#options.plan.faults.length === 1) this.contradictions.push(text);
      },
      complains: (harm) => this.belongings.complains(harm),
      says: (text) => record.fault(`somebody ${text}`),
    };
  }

  #noteRevision(): void {
    const { server, record } = this.#options;
    const { revision } = server.store;
    if (this.#revisions.at(-1)?.revision !== revision) this.#revisions.push({ atMs: record.nowMs, revision });
  }

  #revisionAt(atMs: number): number {
    return this.#revisions.findLast((one) => one.atMs <= atMs)?.revision ?? this.#revisions[0]?.revision ?? 0;
  }

  #past(replica: number): number | undefined {
    const past = this.#pasts.get(replica);
    return past !== undefined && this.#nowMs < past.untilMs ? past.revision : undefined;
  }
}

interface Hit {
  readonly replica?: number;
  readonly target?: Target;
  readonly resource?: string;
}

const isAt = (at: Moment, on: Moment["on"], number: number): boolean => at.on === on && at.number === number;
