/** Watches Jobs and their pods, and syncs one Job at a time: count, decide, act, track. */
import { runTogether } from "../../base/index.js";
import { deepEqual, formatTime, Job, type JobStatus, metaNamespaceKey, Pod, type Selector } from "../../api/index.js";
import { ConsistencyStore } from "../../controller/consistency.js";
import { Expectations } from "../../controller/expectations.js";
import { type Deleted, deletedObject, type FactoryInformer } from "../../informer/index.js";
import { itemExponentialFailure } from "../../workqueue/index.js";
import type { BuiltInController, ControllerContext, InspectableQueue, Recorder } from "../kit/context.js";
import { claimable, indexByController } from "../kit/controller-index.js";
import { claimSelector } from "../kit/selector.js";
import { KeyLoop, type SyncOutcome } from "../kit/key-loop.js";
import { ownedHandler } from "../kit/owned-handler.js";
import { adoptAndRelease } from "../ownership/adopt.js";
import { claim } from "../ownership/claim.js";
import { podControl } from "../pods/pod-control.js";
import { type JobActor, jobActor } from "./act.js";
import { countPods, type JobCounts, type ObservedJob } from "./count.js";
import { type JobMetrics, jobMetrics, type SyncAction } from "./metrics.js";
import { deadlineLeftMs, type EndState, endStateOf, type JobPlan, planJob, reachedCompletions } from "./plan.js";
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

/** Pod events come in swarms: one sync for all of them. */
const batchMs = 1_000;

export class JobController implements BuiltInController {
  readonly #context: ControllerContext;
  readonly #jobs: FactoryInformer<Job>;
  readonly #pods: FactoryInformer<Pod>;
  readonly #expectations: Expectations;
  readonly #consistency: ConsistencyStore;
  readonly #recorder: Recorder;
  readonly #act: JobActor;
  readonly #backoff = new PodFailureBackoff();
  readonly #metrics: JobMetrics;
  /** By Job: the status that was written last, so that each pod is counted once as a metric too. */
  readonly #counted = new Map<string, JobStatus>();
  /** By Job: uids whose finalizer we took away, until the cache shows it. */
  readonly #released = new Map<string, Set<string>>();
  readonly #loop: KeyLoop;
  readonly #orphans: OrphanPods;

  constructor(context: ControllerContext) {
    const { informers, clock } = context;
    this.#context = context;
    this.#jobs = informers.informer(Job);
    this.#pods = informers.informer(Pod);
    indexByController(this.#pods);
    this.#expectations = new Expectations({ clock });
    this.#consistency = new ConsistencyStore({ pods: this.#pods.indexer, jobs: this.#jobs.indexer });
    this.#recorder = context.recorderFor("job-controller");
    this.#metrics = jobMetrics(context.metrics);
    this.#act = jobActor({
      client: context.client,
      pods: podControl(context.client, this.#recorder),
      expectations: this.#expectations,
      onWrite: (key, job, pod) => this.#wrotePod(key, job)(pod),
    });
    this.#loop = new KeyLoop({
      context,
      name: "job",
      workers: 5,
      limiter: itemExponentialFailure({ baseMs: 1_000, maxMs: 60_000 }),
      staleSyncs: { subsystem: "job_controller", resources: { pods: Pod, jobs: Job } },
      sync: (key, { signal }) => this.#sync(key, signal),
    });
    const stores = { jobs: this.#jobs.indexer, pods: this.#pods.indexer };
    this.#orphans = new OrphanPods(context, { ...stores, release: (pod, signal) => this.#act.release(pod, signal) });
    this.#watchJobs();
    this.#watchPods();
  }

  get queues(): readonly InspectableQueue[] {
    return [...this.#loop.queues, ...this.#orphans.loop.queues];
  }

  async run(signal: AbortSignal): Promise<void> {
    await runTogether([(ending) => this.#loop.run(ending), (ending) => this.#orphans.loop.run(ending)], signal);
  }

  #watchJobs(): void {
    this.#jobs.addEventHandler(
      {
        onAdd: (job) => {
          if (isOthers(job)) this.#metrics.byOthers(job.spec?.managedBy ?? "");
          this.#loop.enqueue(job);
        },
        onUpdate: (previous, job) => {
          if (previous.metadata.generation === job.metadata.generation)
            this.#loop.addAfter(metaNamespaceKey(job), batchMs);
          else this.#loop.enqueue(job);
          if (isFinished(job)) for (const pod of claimable(this.#pods.indexer, job)) this.#orphans.consider(pod);
        },
        onDelete: (gone) => {
          const job = deletedObject(gone);
          if (job === undefined) return;
          for (const pod of claimable(this.#pods.indexer, job)) this.#orphans.consider(pod);
          this.#loop.enqueue(job);
        },
      },
      { name: "job" },
    );
  }

  #watchPods(): void {
    const handler = ownedHandler<Pod, Job>({
      owners: this.#jobs.indexer,
      ownerKind: "Job",
      selectorOf: claimSelector,
      enqueue: (job, change, pod) => {
        const key = metaNamespaceKey(job);
        if (change === "added") this.#expectations.creationObserved(key);
        if (change === "deleted") this.#expectations.deletionObserved(key, metaNamespaceKey(pod));
        if (change === "deleted" || !isTracked(pod)) this.#released.get(key)?.delete(pod.metadata.uid ?? "");
        this.#loop.addAfter(key, batchMs);
      },
    });
    this.#pods.addEventHandler(handler, { name: "job" });
    const consider = (previous: Pod | undefined, pod: Pod): void => {
      this.#metrics.held(previous, pod);
      this.#orphans.consider(pod);
    };
    const onDelete = (gone: Deleted<Pod>): void => this.#metrics.held(deletedObject(gone), undefined);
    this.#pods.addEventHandler(
      { onAdd: (pod) => consider(undefined, pod), onUpdate: consider, onDelete },
      { name: "job-orphan" },
    );
  }

  #forget(key: string): void {
    this.#expectations.forget(key);
    this.#consistency.forget(key);
    this.#backoff.forget(key);
    this.#released.delete(key);
    this.#counted.delete(key);
  }

  async #sync(key: string, signal: AbortSignal): Promise<SyncOutcome | void> {
    this.#consistency.ensureReady(key);
    const cached = this.#jobs.indexer.get(key);
    if (cached === undefined || isFinished(cached)) return this.#forget(key);
    if (isOthers(cached)) return;
    if (!["NonIndexed", "Indexed"].includes(cached.spec?.completionMode ?? "NonIndexed")) {
      const why = "Skipped Job sync because completion mode is unknown";
      return this.#recorder.warning(cached, "UnknownCompletionMode", why);
    }
    const selector = claimSelector(cached);
    if (selector === undefined) return;
    const start = this.#context.clock.monotonic();
    const sync: { action: SyncAction } = { action: "reconciling" };
    const over = (failed: boolean): void => {
      const seconds = (this.#context.clock.monotonic() - start) / 1000;
      this.#metrics.synced(cached, { action: sync.action, failed, seconds });
    };
    try {
      const outcome = await this.#reconcile(key, { cached, selector, sync }, signal);
      over(false);
      return outcome;
    } catch (error) {
      over(true);
      throw error;
    }
  }

  async #reconcile(
    key: string,
    { cached, selector, sync }: Reconciled,
    signal: AbortSignal,
  ): Promise<SyncOutcome | void> {
    const now = this.#context.clock.now();
    const satisfied = this.#expectations.satisfied(key);
    // as it was when the pods were listed: what is seen later is not in this list
    const released = new Set(this.#released.get(key));
    const job = started(cached, now);
    const pods = await this.#claimPods(key, job, selector, signal);
    const observed: ObservedJob = { job, pods, released };
    const count = countPods(observed);
    const failures = this.#backoff.with(key, count.newlySucceeded, count.newlyFailed);
    const waitMs = failureDelayMs(failures, now);
    const decision = await this.#decide(key, { observed, count, satisfied, waitMs, now, sync }, signal);
    const { wait, error } = decision;
    await this.#track(key, { ...decision, observed, count, failures, now }, signal);
    if (error !== undefined) throw error as Error;
    const deadlineMs = decision.ends ? undefined : deadlineLeftMs(job, now);
    const waits = [wait, deadlineMs].filter((ms) => ms !== undefined && ms > 0) as number[];
    return waits.length === 0 ? undefined : { requeueAfterMs: Math.max(Math.min(...waits), 1) };
  }

  #claimPods(key: string, job: Job, selector: Selector, signal: AbortSignal): Promise<readonly Pod[]> {
    return adoptAndRelease({
      client: this.#context.client,
      owner: job,
      ownerType: Job,
      type: Pod,
      claim: claim({ owner: job, selector, candidates: claimable(this.#pods.indexer, job) }),
      finalizer: trackingFinalizer,
      onWrite: this.#wrotePod(key, job),
      signal,
    });
  }

  #wrotePod(key: string, job: Job): (pod: Pod) => void {
    return ({ metadata: { resourceVersion } }) =>
      this.#consistency.wrote(key, job.metadata.uid ?? "", { resource: "pods", resourceVersion });
  }

  async #decide(key: string, deciding: Deciding, signal: AbortSignal): Promise<Decision> {
    const { observed, count, satisfied, waitMs, now, sync } = deciding;
    const { job } = observed;
    const end = endStateOf(observed, count, now);
    if (end !== undefined) {
      const { done, readyGone = 0, error } = await this.#act.end(key, job, count.active, signal);
      const active = count.active.length - done;
      // while pods may be there that were not seen, the end is not declared
      const declared = active === 0 && satisfied ? end : undefined;
      return { end: declared, ends: true, managed: false, active, leaving: done, readyGone, error };
    }
    const managed = satisfied && job.metadata.deletionTimestamp === undefined;
    let active = count.active.length;
    let leaving = 0;
    let readyGone = 0;
    let wait: number | undefined;
    let error: unknown;
    if (managed) {
      const plan = planJob(job, count, { waitMs, now });
      const acted = await this.#act.carryOut(key, job, { plan, held: count.held }, signal);
      sync.action = actionOf[plan.type];
      if (plan.type === "create") this.#metrics.created(job, count, { done: acted.done, failed: acted.failed ?? 0 });
      active += plan.type === "create" ? acted.done : -acted.done;
      leaving = plan.type === "delete" ? acted.done : 0;
      readyGone = acted.readyGone ?? 0;
      wait = plan.type === "wait" ? Math.max(plan.ms, batchMs) : undefined;
      error = acted.error;
    }
    const reached = reachedCompletions(job, count.succeeded, active);
    return { end: reached, ends: false, managed, active, leaving, readyGone, wait, error };
  }

  /** Notes, releases, counts and concludes; each write only if it changes something. */
  async #track(key: string, tracking: Tracking, signal: AbortSignal): Promise<void> {
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
    if (!deepEqual(status, stored)) current = await this.#write(key, current, signal);
    this.#backoff.keep(key, failures);
    this.#reportSuspension(job, stored, status);
    this.#metrics.judged(job, noted.release);
    const { freed, error } = await this.#releaseAll(key, job, noted.release, signal);
    const tracked = new Set([...trackedUids(observed)].filter((uid) => !freed.has(uid)));
    let final = countReleased(status, tracked);
    const isLast = end !== undefined && !noted.full && error === undefined;
    const concluded = isLast ? conclude(final, end, now) : undefined;
    final = concluded ?? final;
    if (!deepEqual(final, status)) await this.#write(key, { ...current, status: final }, signal);
    if (concluded !== undefined && end !== undefined) this.#reportEnd({ ...job, status: concluded }, end);
    if (error !== undefined) throw error as Error;
  }

  /** Tries all of them, and gives those that have no finalizer any more. */
  async #releaseAll(key: string, job: Job, pods: readonly Pod[], signal: AbortSignal): Promise<Released> {
    const released = this.#released.get(key) ?? new Set<string>();
    this.#released.set(key, released);
    const freed = new Set<string>();
    let failure: unknown;
    await Promise.all(
      pods.map(async (pod) => {
        const uid = pod.metadata.uid ?? "";
        released.add(uid);
        try {
          const left = await this.#act.release(pod, signal);
          if (left === undefined) released.delete(uid);
          else this.#wrotePod(key, job)(left);
          freed.add(uid);
        } catch (error) {
          released.delete(uid);
          failure ??= error;
        }
      }),
    );
    return { freed, error: failure };
  }

  async #write(key: string, job: Job, signal: AbortSignal): Promise<Job> {
    const before = this.#counted.get(key) ?? this.#jobs.indexer.get(key)?.status;
    const written = await this.#context.client.resource(Job).status.update(job, { signal });
    this.#metrics.counted(job, before ?? {}, job.status ?? {});
    this.#counted.set(key, job.status ?? {});
    const { resourceVersion } = written.metadata;
    this.#consistency.wrote(key, job.metadata.uid ?? "", { resource: "jobs", resourceVersion });
    return written;
  }

  #reportSuspension(job: Job, before: JobStatus | undefined, after: JobStatus): void {
    const said = (status: JobStatus | undefined) =>
      status?.conditions?.find(({ type }) => type === "Suspended")?.status;
    if (said(before) === said(after)) return;
    if (said(after) === "True") this.#recorder.normal(job, "Suspended", "Job suspended");
    else if (said(after) === "False") this.#recorder.normal(job, "Resumed", "Job resumed");
  }

  #reportEnd(job: Job, { terminal, reason, message }: EndState): void {
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
  readonly satisfied: boolean;
  readonly waitMs: number;
  readonly now: number;
  /** What it does is noted here. */
  readonly sync: { action: SyncAction };
}

interface Reconciled extends Pick<Deciding, "sync"> {
  readonly cached: Job;
  readonly selector: Selector;
}

const actionOf: Readonly<Record<JobPlan["type"], SyncAction>> = {
  none: "tracking",
  create: "pods_created",
  wait: "pods_created",
  delete: "pods_deleted",
};

interface Decision {
  /** What is to be declared now. */
  readonly end: EndState | undefined;
  /** It ends whatever its pods do, though it may be too early to declare it. */
  readonly ends: boolean;
  /** Whether pods were made or told to go as the spec wants it: only then is a suspension known to have happened. */
  readonly managed: boolean;
  readonly active: number;
  /** Pods that this sync told to go, and how many of them were ready. */
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

/** The Job's time begins with its first sync, unless it is suspended. */
function started(job: Job, now: number): Job {
  if (job.status?.startTime !== undefined || isSuspended(job)) return job;
  return { ...job, status: { ...job.status, startTime: formatTime(now) } };
}
