/** Pods that wait for a node: ready ones by priority, failed ones until a cluster event may help. */
import { type Clock, Heap, type Timer } from "../base/index.js";
import type { Pod } from "../api/index.js";
import type { ClusterEvent, Filter } from "./filters/filter.js";
import type { ClusterView } from "./state/cluster-state.js";
import type { PodInfo } from "./state/pod-info.js";

export interface QueuedPod {
  readonly info: PodInfo;
  /** The time since which it waits for its first or next attempt; decides between equal priorities. */
  readonly since: number;
  /** The number of attempts in which no node fitted. */
  readonly failures: number;
  /** The number of attempts in a row that failed by an error. */
  readonly errors: number;
}

interface Failed {
  readonly queued: QueuedPod;
  readonly failedAt: number;
  /** The filters that refused it; if empty, every event is worth another attempt. */
  readonly filters: ReadonlySet<string>;
}

export interface SchedulingQueueOptions {
  readonly clock: Clock;
  /** The filters by which a pod is placed. */
  filters(pod: Pod): readonly Filter[];
  readonly namespaceLabels?: ClusterView["namespaceLabels"];
  /** Whether a pod is not even tried: it has gates, or lacks objects; none is held by default. */
  isHeld?(pod: Pod): boolean;
  /** Called whenever a pod has become ready. */
  onReady(): void;
  /** 1 s to 10 s by default. */
  readonly backoff?: Backoff;
}

/** The wait after the first failed attempt, which doubles with each further one, and the longest. */
interface Backoff {
  readonly firstMs: number;
  readonly longestMs: number;
}

const usualBackoff: Backoff = { firstMs: 1_000, longestMs: 10_000 };

/** 1 s, 2 s, 4 s … 10 s, by default, after the n-th failed attempt. */
export const backoffMs = (attempts: number, { firstMs, longestMs }: Backoff = usualBackoff): number =>
  Math.min(firstMs * 2 ** (attempts - 1), longestMs);

/** After this time a pod is tried again without an event. */
const longestWaitMs = 300_000;
const flushEveryMs = 30_000;

/**
 * If more pods than this are backing off, they wait until the end of the back-off: trying all of them after every event
 * would waste the process's time.
 */
const crowd = 64;

/** Pods whose back-off ends within the same second are taken by priority. */
const windowMs = 1_000;

interface BackingOff {
  readonly queued: QueuedPod;
  readonly readyAt: number;
}

const byPriority = (a: QueuedPod, b: QueuedPod): number => b.info.priority - a.info.priority || a.since - b.since;

/**
 * A pod, by uid, is in exactly one of `#ready`, `#backingOff`, `#afterError`, `#failed` and `#gated`; or the loop holds
 * it, or it is unknown. Times are monotonic. When no pod is ready, one that is backing off is taken, because no other
 * pod has to wait for it. After an error the back-off is always waited for, because it spares the server.
 */
export class SchedulingQueue {
  readonly #clock: Clock;
  readonly #onReady: () => void;
  readonly #isHeld: (pod: Pod) => boolean;
  readonly #filters: (pod: Pod) => readonly Filter[];
  readonly #backoff: Backoff;
  readonly #view: Pick<ClusterView, "namespaceLabels">;
  readonly #ready = new Heap<QueuedPod, string>({ compare: byPriority, key: ({ info }) => info.uid });
  readonly #backingOff = new Heap<BackingOff, string>({
    compare: (a, b) =>
      Math.floor(a.readyAt / windowMs) - Math.floor(b.readyAt / windowMs) || byPriority(a.queued, b.queued),
    key: ({ queued }) => queued.info.uid,
  });
  readonly #afterError = new Heap<BackingOff, string>({
    compare: (a, b) => a.readyAt - b.readyAt,
    key: ({ queued }) => queued.info.uid,
  });
  readonly #failed = new Map<string, Failed>();
  readonly #gated = new Map<string, PodInfo>();
  #sequence = 0;
  #timer: Timer | undefined;
  #timerAt = Number.POSITIVE_INFINITY;

  constructor(options: SchedulingQueueOptions) {
    const { clock, filters, namespaceLabels = () => undefined, isHeld = () => false, onReady } = options;
    this.#clock = clock;
    this.#isHeld = isHeld;
    this.#onReady = onReady;
    this.#filters = filters;
    this.#backoff = options.backoff ?? usualBackoff;
    this.#view = { namespaceLabels };
  }

  /** The number of waiting pods, by state. */
  get counts(): {
    readonly active: number;
    readonly backoff: number;
    readonly unschedulable: number;
    readonly gated: number;
  } {
    return {
      active: this.#ready.size,
      backoff: this.#backingOff.size + this.#afterError.size,
      unschedulable: this.#failed.size,
      gated: this.#gated.size,
    };
  }

  /** Adds or updates a pod. `matters` is true if the change may let it fit. */
  set(info: PodInfo, { matters }: { readonly matters: boolean }): void {
    if (this.#isHeld(info.pod)) {
      this.remove(info.uid);
      this.#gated.set(info.uid, info);
      return;
    }
    this.#gated.delete(info.uid);
    const ready = this.#ready.get(info.uid);
    if (ready !== undefined) return this.#ready.push({ ...ready, info });
    for (const waiting of [this.#backingOff, this.#afterError]) {
      const known = waiting.get(info.uid);
      if (known !== undefined) return waiting.push({ ...known, queued: { ...known.queued, info } });
    }
    const failed = this.#failed.get(info.uid);
    if (failed === undefined) return this.#makeReady({ info, since: this.#now(), failures: 0, errors: 0 });
    const changed = { ...failed, queued: { ...failed.queued, info } };
    this.#failed.set(info.uid, changed);
    if (matters) this.#wake(changed);
  }

  /** Looks again at a pod that is held: the objects that it lacked may be there. */
  reconsider(uid: string): void {
    const held = this.#gated.get(uid);
    if (held !== undefined) this.set(held, { matters: true });
  }

  remove(uid: string): void {
    this.#ready.remove(uid);
    this.#backingOff.remove(uid);
    this.#afterError.remove(uid);
    this.#failed.delete(uid);
    this.#gated.delete(uid);
  }

  has(uid: string): boolean {
    return [this.#ready, this.#backingOff, this.#afterError, this.#failed, this.#gated].some((pods) => pods.has(uid));
  }

  /** Takes the next pod. The caller must then place it, or report that it failed. */
  pop(): QueuedPod | undefined {
    this.#promote();
    const ready = this.#ready.pop();
    return ready ?? (this.#backingOff.size <= crowd ? this.#backingOff.pop()?.queued : undefined);
  }

  /** Records that no node fitted: the pod waits until an event matters to the filters that refused it. */
  failed(taken: QueuedPod, filters: ReadonlySet<string>): void {
    const queued = { ...taken, failures: taken.failures + 1, errors: 0 };
    this.#failed.set(queued.info.uid, { queued, failedAt: this.#clock.monotonic(), filters });
    this.#arm(this.#clock.monotonic() + flushEveryMs);
  }

  /** Records an error that has nothing to do with nodes: the pod is tried again after its back-off. */
  retry(taken: QueuedPod): void {
    const queued = { ...taken, errors: taken.errors + 1 };
    const readyAt = this.#clock.monotonic() + backoffMs(queued.errors, this.#backoff);
    this.#afterError.push({ queued, readyAt });
    this.#arm(readyAt);
  }

  /** Makes a failed pod ready, because its place is believed to be free now. */
  activate(uid: string): void {
    const failed = this.#failed.get(uid);
    if (failed !== undefined) this.#wake(failed);
  }

  /** Wakes the failed pods to which the event may matter. */
  onEvent(event: ClusterEvent): void {
    for (const failed of this.#failed.values()) if (this.#helps(event, failed)) this.#wake(failed);
  }

  stop(): void {
    this.#timer?.[Symbol.dispose]();
    this.#timer = undefined;
  }

  #helps(event: ClusterEvent, { filters, queued }: Failed): boolean {
    if (filters.size === 0) return true;
    const known = new Map(this.#filters(queued.info.pod).map((filter) => [filter.name, filter]));
    for (const name of filters) {
      const filter = known.get(name);
      // an extender cannot say what would help
      if (filter === undefined || filter.mayFitAfter(event, queued.info, this.#view)) return true;
    }
    return false;
  }

  #wake({ queued, failedAt }: Failed): void {
    this.#failed.delete(queued.info.uid);
    const readyAt = failedAt + backoffMs(queued.failures, this.#backoff);
    if (readyAt <= this.#clock.monotonic()) return this.#makeReady(queued);
    this.#backingOff.push({ queued, readyAt });
    this.#arm(readyAt);
    this.#onReady();
  }

  #makeReady(queued: QueuedPod): void {
    this.#ready.push({ ...queued, since: this.#now() });
    this.#onReady();
  }

  /** Strictly increasing, also within a millisecond. */
  #now(): number {
    return this.#clock.monotonic() + ++this.#sequence * 1e-7;
  }

  #promote(): void {
    const now = this.#clock.monotonic();
    for (const waiting of [this.#backingOff, this.#afterError]) {
      for (let next = waiting.peek(); next !== undefined && next.readyAt <= now; next = waiting.peek()) {
        waiting.pop();
        this.#makeReady(next.queued);
      }
    }
  }

  #flush(): void {
    const now = this.#clock.monotonic();
    for (const failed of this.#failed.values()) if (now - failed.failedAt >= longestWaitMs) this.#wake(failed);
  }

  #arm(at: number): void {
    if (at >= this.#timerAt) return;
    this.#timer?.[Symbol.dispose]();
    this.#timerAt = at;
    this.#timer = this.#clock.timer(Math.max(0, at - this.#clock.monotonic()), () => {
      this.#timer = undefined;
      this.#timerAt = Number.POSITIVE_INFINITY;
      this.#promote();
      this.#flush();
      const never = Number.POSITIVE_INFINITY;
      const flush = this.#failed.size > 0 ? this.#clock.monotonic() + flushEveryMs : never;
      const next = Math.min(this.#backingOff.peek()?.readyAt ?? never, this.#afterError.peek()?.readyAt ?? never);
      this.#arm(Math.min(next, flush));
    });
  }
}
