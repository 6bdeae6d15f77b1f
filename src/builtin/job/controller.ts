/** Watches Jobs and their pods, and syncs one Job at a time: counts pods, decides, acts, updates the status. */
import {
  deepEqual,
  findCondition,
  formatTime,
  isDeleting,
  Job,
  type JobStatus,
  metaNamespaceKey,
  Pod,
} from "../../api/index.js";
import type { KeyLoop, KeyRun, SyncResult } from "../../controller/index.js";
import type { FactoryInformer } from "../../informer/index.js";
import { itemExponentialFailure } from "../../workqueue/index.js";
import type { BuiltInController, ControllerContext, Recorder } from "../kit/context.js";
import { keyLoop } from "../kit/loops.js";
import { claimSelector } from "../kit/selector.js";
import { OwnedObjects } from "../ownership/owned.js";
import { PodControl } from "../pods/pod-control.js";
import type { SlowStartResult } from "../pods/slow-start.js";
import { createPods, type DeletedPods, deletePods, release } from "./act.js";
import { countPods, type JobCounts, type ObservedJob } from "./count.js";
import { type JobMetrics, jobMetrics, type SyncAction } from "./metrics.js";
import { deadlineLeftMs, type JobEnd, jobEndOf, type JobPlan, planJob, reachedCompletions } from "./plan.js";
import { printIndexes } from "./indexes.js";
import { type Failures, failureDelayMs, PodFailureBackoff } from "./failures/backoff.js";
import { OrphanPods } from "./orphans.js";
import { isFinished, isOthers, isSuspended, isTracked, trackingFinalizer } from "./pods.js";
import {
  conclude,
  countReleased,
  noteFinished,
  trackedUids,
  withCounts,
  withInterim,
  withSuspension,
} from "./track.js";

/** Pod events come in bursts: this delay gathers them into one sync. */
const batchMs = 1_000;

export class JobController implements BuiltInController {
  readonly #context: ControllerContext;
  readonly #jobs: FactoryInformer<Job>;
  readonly #pods: OwnedObjects<Pod, Job>;
  readonly #recorder: Recorder;
  readonly #backoff = new PodFailureBackoff();
  readonly #metrics: JobMetrics;
  /** By Job: the status that was written last, so that metrics count each pod once. */
  readonly #counted = new Map<string, JobStatus>();
  /** By Job: uids of the pods whose finalizer was removed, until the cache shows the removal. */
  readonly #released = new Map<string, Set<string>>();
  readonly #loop: KeyLoop;
  readonly #orphans: OrphanPods;

  constructor(context: ControllerContext) {
    const { informers } = context;
    this.#context = context;
    this.#jobs = informers.informer(Job);
    const pods = informers.informer(Pod);
    this.#pods = new OwnedObjects({ owners: this.#jobs, objects: pods, selectorOf: claimSelector });
    this.#recorder = context.recorderFor("job-controller");
    this.#metrics = jobMetrics(context.metrics);
    this.#loop = keyLoop(context, {
      name: "job",
      kind: "Job",
      workers: 5,
      limiter: itemExponentialFailure({ baseMs: 1_000, maxMs: 60_000 }),
      awaits: [pods, this.#jobs],
      subsystem: "job_controller",
      sync: (run) => this.#sync(run),
    });
    this.#orphans = new OrphanPods(context, { jobs: this.#jobs.indexer, pods: pods.indexer });
    this.#watch(pods);
  }

  get loops(): readonly KeyLoop[] {
    return [this.#loop, this.#orphans.loop];
  }

  #watch(pods: FactoryInformer<Pod>): void {
    this.#loop.watch(this.#jobs, (change, wake) => {
      const { type, object: job } = change;
      if (type === "added" && isOthers(job)) this.#metrics.byOthers(job.spec?.managedBy ?? "");
      const isSameSpec = change.type === "updated" && change.previous.metadata.generation === job.metadata.generation;
      wake(metaNamespaceKey(job), isSameSpec || type === "resync" ? batchMs : 0);
      if (type === "deleted" || (type !== "added" && isFinished(job))) {
        for (const pod of this.#pods.claimable(job)) this.#orphans.consider(pod);
      }
    });
    this.#pods.wakeOwners(this.#loop, (job, { type, object: pod }, wake) => {
      const key = metaNamespaceKey(job);
      if (type === "deleted" || !isTracked(pod)) this.#released.get(key)?.delete(pod.metadata.uid ?? "");
      wake(key, batchMs);
    });
    this.#orphans.loop.watch(pods, (change, wake) => {
      const { type, object: pod } = change;
      if (type === "deleted") return this.#metrics.held(pod, undefined);
      const previous = change.type === "updated" ? change.previous : type === "resync" ? pod : undefined;
      this.#metrics.held(previous, pod);
      this.#orphans.consider(pod, wake);
    });
  }

  #forget(key: string): void {
    this.#backoff.forget(key);
    this.#released.delete(key);
    this.#counted.delete(key);
  }

  async #sync(run: KeyRun): Promise<SyncResult | void> {
    const { key } = run;
    const cached = this.#jobs.indexer.get(key);
    if (cached === undefined || isFinished(cached)) return this.#forget(key);
    if (isOthers(cached)) return;
    if (!["NonIndexed", "Indexed"].includes(cached.spec?.completionMode ?? "NonIndexed")) {
      const why = "Skipped Job sync because completion mode is unknown";
      return this.#recorder.warning(cached, "UnknownCompletionMode", why);
    }
    if (claimSelector(cached) === undefined) return;
    const start = this.#context.clock.monotonic();
    const sync: { action: SyncAction } = { action: "reconciling" };
    const over = (failed: boolean): void => {
      const seconds = (this.#context.clock.monotonic() - start) / 1000;
      this.#metrics.synced(cached, { action: sync.action, failed, seconds });
    };
    try {
      const outcome = await this.#reconcile(cached, sync, run);
      over(false);
      return outcome;
    } catch (error) {
      over(true);
      throw error;
    }
  }

  async #reconcile(cached: Job, sync: Deciding["sync"], run: KeyRun): Promise<SyncResult | void> {
    const { key } = run;
    const now = this.#context.clock.now();
    // copied when the pods are listed: removals that are seen later are not in this list
    const released = new Set(this.#released.get(key));
    const job = started(cached, now);
    const pods = await this.#pods.claim(job, run, { finalizer: trackingFinalizer });
    const observed: ObservedJob = { job, pods, released };
    const count = countPods(observed);
    const failures = this.#backoff.with(key, count.newlySucceeded, count.newlyFailed);
    const waitMs = failureDelayMs(failures, now);
    const decision = await this.#decide({ observed, count, waitMs, now, sync }, run);
    const { wait, error } = decision;
    await this.#track({ ...decision, observed, count, failures, now }, run);
    if (error !== undefined) throw error as Error;
    const deadlineMs = decision.ends ? undefined : deadlineLeftMs(job, now);
    const waits = [wait, deadlineMs].filter((ms) => ms !== undefined && ms > 0) as number[];
    return waits.length === 0 ? {} : { requeueAfterMs: Math.max(Math.min(...waits), 1) };
  }

  async #decide({ observed, count, waitMs, now, sync }: Deciding, { client }: KeyRun): Promise<Decision> {
    const { job } = observed;
    const control = new PodControl(client, this.#recorder, job);
    const end = jobEndOf(observed, count, now);
    if (end !== undefined) {
      // the pods are still to be counted: they keep their finalizer
      const { deleted, readyGone, error } = await deletePods(control, count.active);
      const active = count.active.length - deleted;
      const declared = active === 0 ? end : undefined;
      return { end: declared, ends: true, managed: false, active, leaving: deleted, readyGone, error };
    }
    const managed = !isDeleting(job);
    const plan: JobPlan = managed ? planJob(job, count, { waitMs, now }) : { type: "none" };
    if (managed) sync.action = actionOf[plan.type];
    let made = { succeeded: 0, failed: 0 } as SlowStartResult;
    let gone: DeletedPods = { deleted: 0, readyGone: 0 };
    if (plan.type === "create") {
      made = await createPods(job, plan.indexes, count, control);
      this.#metrics.created(job, count, made);
    } else if (plan.type === "delete") {
      // surplus pods are not failures: they are released without being counted
      gone = await deletePods(control, plan.pods, async (pod) => isTracked(pod) && release(pod, client));
    }
    const active = count.active.length + made.succeeded - gone.deleted;
    return {
      end: reachedCompletions(job, count.succeeded, active),
      ends: false,
      managed,
      active,
      leaving: gone.deleted,
      readyGone: gone.readyGone,
      wait: plan.type === "wait" ? Math.max(plan.ms, batchMs) : undefined,
      error: made.error ?? gone.error,
    };
  }

  /** Notes finished pods, releases them, counts them and concludes; each step writes only if it changes something. */
  async #track(tracking: Tracking, run: KeyRun): Promise<void> {
    const { key } = run;
    const { observed, count, end, managed, active, leaving, readyGone, failures, now } = tracking;
    const { job } = observed;
    const stored = this.#jobs.indexer.get(key)?.status;
    const noted = noteFinished(observed, count, end);
    const { failedIndexes } = count;
    let status: JobStatus = withCounts(
      {
        ...noted.status,
        ...(failedIndexes === undefined ? {} : { failedIndexes: printIndexes(failedIndexes) }),
        ready: count.ready - readyGone,
        terminating: count.terminating + leaving,
      },
      { active },
    );
    if (managed && end === undefined) status = withSuspension(job, status, now);
    if (end !== undefined) status = withInterim(status, end, now);
    let current: Job = { ...job, status };
    if (!deepEqual(status, stored)) current = await this.#write(current, run);
    this.#backoff.keep(key, failures);
    this.#reportSuspension(job, stored, status);
    this.#metrics.judged(job, noted.release);
    const { freed, error } = await this.#releaseAll(noted.release, run);
    const tracked = new Set([...trackedUids(observed)].filter((uid) => !freed.has(uid)));
    let final = countReleased(status, tracked);
    const isLast = end !== undefined && !noted.full && error === undefined;
    const concluded = isLast ? conclude(final, end, now) : undefined;
    final = concluded ?? final;
    if (!deepEqual(final, status)) await this.#write({ ...current, status: final }, run);
    if (concluded !== undefined && end !== undefined) this.#reportEnd({ ...job, status: concluded }, end);
    if (error !== undefined) throw error as Error;
  }

  /** Tries to release all pods, and gives the pods that have no finalizer any more. */
  async #releaseAll(pods: readonly Pod[], { key, client }: KeyRun): Promise<Released> {
    const released = this.#released.get(key) ?? new Set<string>();
    this.#released.set(key, released);
    const freed = new Set<string>();
    let failure: unknown;
    await Promise.all(
      pods.map(async (pod) => {
        const uid = pod.metadata.uid ?? "";
        released.add(uid);
        try {
          const left = await release(pod, client);
          if (left === undefined) released.delete(uid);
          freed.add(uid);
        } catch (error) {
          released.delete(uid);
          failure ??= error;
        }
      }),
    );
    return { freed, error: failure };
  }

  async #write(job: Job, { key, client }: KeyRun): Promise<Job> {
    const before = this.#counted.get(key) ?? this.#jobs.indexer.get(key)?.status;
    const written = await client.resource(Job).status.update(job);
    this.#metrics.counted(job, before ?? {}, job.status ?? {});
    this.#counted.set(key, job.status ?? {});
    return written;
  }

  #reportSuspension(job: Job, before: JobStatus | undefined, after: JobStatus): void {
    const said = (status: JobStatus | undefined) => findCondition(status?.conditions, "Suspended")?.status;
    if (said(before) === said(after)) return;
    if (said(after) === "True") this.#recorder.normal(job, "Suspended", "Job suspended");
    else if (said(after) === "False") this.#recorder.normal(job, "Resumed", "Job resumed");
  }

  #reportEnd(job: Job, { terminal, reason, message }: JobEnd): void {
    this.#metrics.finished(job, terminal === "Complete", reason);
    if (terminal === "Failed") return this.#recorder.warning(job, reason, message);
    if ((job.status?.succeeded ?? 0) > (job.spec?.completions ?? Number.POSITIVE_INFINITY)) {
      const surplus = "Too many succeeded pods running after completion count reached";
      this.#recorder.warning(job, "TooManySucceededPods", surplus);
    }
    this.#recorder.normal(job, "Completed", "Job completed");
  }
}

interface Deciding {
  readonly observed: ObservedJob;
  readonly count: JobCounts;
  readonly waitMs: number;
  readonly now: number;
  /** The sync notes its action here. */
  readonly sync: { action: SyncAction };
}

const actionOf: Readonly<Record<JobPlan["type"], SyncAction>> = {
  none: "tracking",
  create: "pods_created",
  wait: "pods_created",
  delete: "pods_deleted",
};

interface Decision {
  /** The end state to declare now. */
  readonly end: JobEnd | undefined;
  /** True if the Job ends whatever its pods do, though it may be too early to declare it. */
  readonly ends: boolean;
  /** True if pods were created or deleted as the spec asks: only then is a suspension known to have happened. */
  readonly managed: boolean;
  readonly active: number;
  /** The number of pods that this sync deleted, and the number of ready ones among them. */
  readonly leaving: number;
  readonly readyGone: number;
  readonly wait?: number | undefined;
  readonly error?: unknown;
}

interface Tracking extends Decision {
  readonly observed: ObservedJob;
  readonly count: JobCounts;
  readonly failures: Failures;
  readonly now: number;
}

interface Released {
  readonly freed: ReadonlySet<string>;
  readonly error: unknown;
}

/** The start time is that of the Job's first sync, unless it is suspended. */
function started(job: Job, now: number): Job {
  if (job.status?.startTime !== undefined || isSuspended(job)) return job;
  return { ...job, status: { ...job.status, startTime: formatTime(now) } };
}
