/** Reads the state of the process for the stream: one line for each informer and controller, and one for the process. */
import { monitorEventLoopDelay } from "node:perf_hooks";
import { resourceKey } from "../../api/index.js";
import { defined } from "../../base/defined.js";
import { type Clock, messageOf } from "../../base/index.js";
import type { JournalEntry } from "../../controller/index.js";
import { noActivity } from "../../informer/reflector/view.js";
import type { PageSources, ShownInformer } from "../sources.js";
import { tenths } from "../replay/run-line.js";
import type { ControllerLine, Lane, ProcessLine } from "../wire.js";

/** The size of a cache is an estimate from a sample, and looking for the sample passes over all objects. */
const bytesEveryMs = 10_000;
const processEveryMs = 1_000;
/** A line whose absent fields are undefined, so that every line of a kind has the same fields. */
export type Sampled<Line> = { readonly [Name in keyof Line]-?: Line[Name] | Absent<Line, Name> };
type Absent<Line, Name extends keyof Line> = object extends Pick<Line, Name> ? undefined : never;

/** The event loop's delay is measured by a timer of this period, whose waits include it. */
const lagResolutionMs = 20;

type LaneNames = Pick<Lane, "id" | "cluster" | "kind" | "resource" | "scope">;

/**
 * The reader of one open page's worth of state; it is made when somebody looks and disposed when nobody does.
 *
 * Invariants:
 * 1. `#bytes` has an estimate for each cache that was sampled, and its time.
 * 2. `#names` has the fields of a lane that an informer keeps for its life.
 * 3. `#errors` has the last failure of each controller since the construction, or the last one that the journal remembered then.
 */
export class Sampler implements Disposable {
  readonly #sources: PageSources;
  readonly #clock: Clock;
  readonly #startedAt: number;
  readonly #lag = monitorEventLoopDelay({ resolution: lagResolutionMs });
  readonly #bytes = new Map<string, { readonly bytes: number; readonly size: number; readonly at: number }>();
  readonly #names = new WeakMap<ShownInformer["informer"], LaneNames>();
  readonly #errors = new Map<string, NonNullable<ControllerLine["lastError"]>>();
  #process: { readonly line: ProcessLine; readonly at: number } | undefined;
  #cpu = process.cpuUsage();

  constructor(sources: PageSources, clock: Clock) {
    this.#sources = sources;
    this.#clock = clock;
    this.#startedAt = Math.round(clock.now() - process.uptime() * 1000);
    this.#lag.enable();
    for (const entry of sources.journal()?.entries() ?? []) this.ran(entry);
  }

  [Symbol.dispose](): void {
    this.#lag.disable();
  }

  lanes(): ReadonlyMap<string, Sampled<Lane>> {
    const lanes = new Map<string, Sampled<Lane>>();
    for (const shown of this.#sources.informers()) {
      const lane = this.#laneOf(shown);
      lanes.set(lane.id, lane);
    }
    return lanes;
  }

  controllers(): ReadonlyMap<string, Sampled<ControllerLine>> {
    const lines = new Map<string, Sampled<ControllerLine>>();
    for (const loop of this.#sources.loops())
      lines.set(loop.name, { ...loop.figures(), lastError: this.#errors.get(loop.name) });
    return lines;
  }

  /** The same line for a second: its numbers change all the time. */
  process(): ProcessLine {
    const now = this.#clock.monotonic();
    if (this.#process !== undefined && now - this.#process.at < processEveryMs) return this.#process.line;
    const elapsedMs = now - (this.#process?.at ?? now);
    const { rss, heapUsed } = process.memoryUsage();
    const used = process.cpuUsage(this.#cpu);
    this.#cpu = process.cpuUsage();
    const line: ProcessLine = {
      title: this.#sources.title,
      version: process.version,
      startedAt: this.#startedAt,
      rssBytes: rss,
      heapBytes: heapUsed,
      lagMs: tenths(Math.max(0, this.#lag.max / 1e6 - lagResolutionMs)),
      cpuPercent: elapsedMs === 0 ? 0 : Math.round((used.user + used.system) / elapsedMs / 10),
      problems: this.#sources.problems(),
      hasObjects: this.#sources.client() !== undefined,
      ...defined({ leadership: this.#sources.leadership?.() }),
    };
    this.#lag.reset();
    this.#process = { line, at: now };
    return line;
  }

  /** Remembers the last failure of a controller. */
  ran({ controller, key, result, startedAt }: JournalEntry): void {
    if (result.type === "failed" || result.type === "dead")
      this.#errors.set(controller, { key, message: result.error, at: startedAt });
  }

  #laneOf(shown: ShownInformer): Sampled<Lane> {
    const { indexer, reflector, queued, hasSynced, handlers } = shown.informer;
    const { activity = noActivity, lastError } = reflector ?? {};
    const { id, cluster, kind, resource, scope } = this.#namesOf(shown);
    return {
      id,
      cluster,
      kind,
      resource,
      scope,
      phase: reflector?.phase ?? "idle",
      problem: lastError === undefined ? undefined : messageOf(lastError),
      hasSynced,
      revision: reflector?.lastSyncResourceVersion ?? "",
      storeRevision: indexer.lastStoreSyncResourceVersion,
      lists: activity.lists,
      watches: activity.watches,
      events: activity.events,
      failures: activity.failures,
      bytesRead: activity.bytes,
      lastEventAt: activity.lastEventAt,
      lastBookmarkAt: activity.lastBookmarkAt,
      queued,
      objects: indexer.size,
      bytes: this.#bytesOf(id, shown.informer),
      indices: Object.keys(indexer.indexers),
      listeners: handlers,
    };
  }

  #namesOf({ cluster, informer }: ShownInformer): LaneNames {
    const known = this.#names.get(informer);
    if (known !== undefined) return known;
    const { name, type } = informer;
    const id = cluster === "" ? name : `${cluster}:${name}`;
    const names = { id, cluster, kind: type.kind, resource: resourceKey(type), scope: name.split("?")[1] ?? "" };
    this.#names.set(informer, names);
    return names;
  }

  #bytesOf(id: string, informer: ShownInformer["informer"]): number {
    const known = this.#bytes.get(id);
    const { size } = informer.indexer;
    const now = this.#clock.monotonic();
    if (known !== undefined && (known.size === size || now - known.at < bytesEveryMs)) return known.bytes;
    const bytes = informer.estimatedBytes;
    this.#bytes.set(id, { bytes, size, at: now });
    return bytes;
  }
}
