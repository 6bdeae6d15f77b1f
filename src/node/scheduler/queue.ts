/** Pods that wait for a node: ready ones by priority, failed ones until something happens that may help. From events; to the scheduler's loop. */
import { type Clock, Heap, type Timer } from "../../base/index.js";
import type { ClusterEvent, Filter } from "./filters/filter.js";
import type { PodInfo } from "./state/pod-info.js";

export interface QueuedPod {
  readonly info: PodInfo;
  /** Since when it waits for its first or next attempt: decides among equal priorities. */
  readonly since: number;
  readonly attempts: number;
}

interface Failed {
  readonly queued: QueuedPod;
  readonly failedAt: number;
  /** The filters that refused it; none: whatever happens is worth a try. */
  readonly filters: ReadonlySet<string>;
}

export interface SchedulingQueueOptions {
  readonly clock: Clock;
  readonly filters: readonly Filter[];
  /** Called whenever a pod has become ready. */
  onReady(): void;
}

const firstBackoffMs = 1_000;
const longestBackoffMs = 10_000;
/** After this time a pod is tried again although nothing happened. */
const longestWaitMs = 300_000;
const flushEveryMs = 30_000;

/** 1 s, 2 s, 4 s … 10 s after the n-th failed attempt. */
export const backoffMs = (attempts: number): number => Math.min(firstBackoffMs * 2 ** (attempts - 1), longestBackoffMs);

/**
 * A pod, by uid, is in exactly one of: `#ready`, `#backingOff`, `#failed`, `#gated`; or it is held by the loop, or unknown. Times are monotonic.
 */
export class SchedulingQueue {
  readonly #clock: Clock;
  readonly #onReady: () => void;
  readonly #wakesOn: ReadonlyMap<string, ReadonlySet<ClusterEvent>>;
  readonly #ready = new Heap<QueuedPod, string>({
    compare: (a, b) => b.info.priority - a.info.priority || a.since - b.since,
    key: ({ info }) => info.uid,
  });
  readonly #backingOff = new Heap<{ readonly queued: QueuedPod; readonly readyAt: number }, string>({
    compare: (a, b) => a.readyAt - b.readyAt,
    key: ({ queued }) => queued.info.uid,
  });
  readonly #failed = new Map<string, Failed>();
  readonly #gated = new Map<string, PodInfo>();
  #sequence = 0;
  #timer: Timer | undefined;
  #timerAt = Number.POSITIVE_INFINITY;

  constructor({ clock, filters, onReady }: SchedulingQueueOptions) {
    this.#clock = clock;
    this.#onReady = onReady;
    this.#wakesOn = new Map(filters.map(({ name, wakesOn }) => [name, wakesOn]));
  }

  /** How many pods wait, and for what. */
  get counts(): {
    readonly active: number;
    readonly backoff: number;
    readonly unschedulable: number;
    readonly gated: number;
  } {
    return {
      active: this.#ready.size,
      backoff: this.#backingOff.size,
      unschedulable: this.#failed.size,
      gated: this.#gated.size,
    };
  }

  /** A pod that was not known, or that changed. `matters`: in a way that may let it fit. */
  set(info: PodInfo, { matters }: { readonly matters: boolean }): void {
    if ((info.pod.spec?.schedulingGates?.length ?? 0) > 0) {
      this.remove(info.uid);
      this.#gated.set(info.uid, info);
      return;
    }
    this.#gated.delete(info.uid);
    const ready = this.#ready.get(info.uid);
    if (ready !== undefined) return this.#ready.push({ ...ready, info });
    const backingOff = this.#backingOff.get(info.uid);
    if (backingOff !== undefined) {
      return this.#backingOff.push({ ...backingOff, queued: { ...backingOff.queued, info } });
    }
    const failed = this.#failed.get(info.uid);
    if (failed === undefined) return this.#makeReady({ info, since: this.#now(), attempts: 0 });
    const changed = { ...failed, queued: { ...failed.queued, info } };
    this.#failed.set(info.uid, changed);
    if (matters) this.#wake(changed);
  }

  remove(uid: string): void {
    this.#ready.remove(uid);
    this.#backingOff.remove(uid);
    this.#failed.delete(uid);
    this.#gated.delete(uid);
  }

  has(uid: string): boolean {
    return this.#ready.has(uid) || this.#backingOff.has(uid) || this.#failed.has(uid) || this.#gated.has(uid);
  }

  /** The next pod to place. Whoever takes it places it, or says that it failed. */
  pop(): QueuedPod | undefined {
    this.#promote();
    const next = this.#ready.pop();
    return next && { ...next, attempts: next.attempts + 1 };
  }

  /** No node would do: it waits until something happens to what the filters looked at. */
  failed(queued: QueuedPod, filters: ReadonlySet<string>): void {
    this.#failed.set(queued.info.uid, { queued, failedAt: this.#clock.monotonic(), filters });
    this.#arm(this.#clock.monotonic() + flushEveryMs);
  }

  /** Something went wrong that has to do with no node: it is tried again after its back-off. */
  retry(queued: QueuedPod): void {
    this.#backOff(queued, this.#clock.monotonic() + backoffMs(queued.attempts));
  }

  /** Something happened in the cluster. */
  onEvent(event: ClusterEvent): void {
    for (const failed of this.#failed.values()) if (this.#helps(event, failed)) this.#wake(failed);
  }

  stop(): void {
    this.#timer?.[Symbol.dispose]();
    this.#timer = undefined;
  }

  #helps(event: ClusterEvent, { filters }: Failed): boolean {
    if (event === "node-added" || filters.size === 0) return true;
    for (const name of filters) if (this.#wakesOn.get(name)?.has(event)) return true;
    return false;
  }

  #wake({ queued, failedAt }: Failed): void {
    this.#failed.delete(queued.info.uid);
    const readyAt = failedAt + backoffMs(queued.attempts);
    if (readyAt <= this.#clock.monotonic()) this.#makeReady(queued);
    else this.#backOff(queued, readyAt);
  }

  #backOff(queued: QueuedPod, readyAt: number): void {
    this.#backingOff.push({ queued, readyAt });
    this.#arm(readyAt);
  }

  #makeReady(queued: QueuedPod): void {
    this.#ready.push({ ...queued, since: this.#now() });
    this.#onReady();
  }

  /** Later calls give greater numbers, also within a millisecond. */
  #now(): number {
    return this.#clock.monotonic() + ++this.#sequence * 1e-7;
  }

  #promote(): void {
    const now = this.#clock.monotonic();
    for (
      let next = this.#backingOff.peek();
      next !== undefined && next.readyAt <= now;
      next = this.#backingOff.peek()
    ) {
      this.#backingOff.pop();
      this.#makeReady(next.queued);
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
      const next = this.#backingOff.peek()?.readyAt ?? Number.POSITIVE_INFINITY;
      const flush = this.#failed.size > 0 ? this.#clock.monotonic() + flushEveryMs : Number.POSITIVE_INFINITY;
      this.#arm(Math.min(next, flush));
    });
  }
}
