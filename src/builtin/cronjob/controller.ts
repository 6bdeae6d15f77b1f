/**
 * Watches CronJobs and their Jobs, and syncs one CronJob at a time: deletes old Jobs, updates the status, starts the
 * run that is due.
 */
import {
  CronJob,
  type CronJobStatus,
  deepEqual,
  formatTime,
  isAlreadyExists,
  isControlledBy,
  isNotFound,
  Job,
  metaNamespaceKey,
  newControllerRef,
  type ObjectReference,
  parseTime,
} from "../../api/index.js";
import { defined } from "../../base/defined.js";
import type { MetricsRegistry } from "../../base/index.js";
import { type KeyLoop, type KeyRun, referenceTo, type SyncResult, type Wake } from "../../controller/index.js";
import type { ResourceClient, WorkClient } from "../../client/index.js";
import type { FactoryInformer } from "../../informer/index.js";
import type { BuiltInController, ControllerContext, Recorder } from "../kit/context.js";
import { endOf } from "../job/pods.js";
import { objectLoop } from "../kit/loops.js";
import { OwnedObjects } from "../ownership/owned.js";
import { isNamespaceTerminating, serverWords } from "../pods/pod-control.js";
import { jobNameOf, jobsToForget, nextLookMs, planCronJob, scheduleOf } from "./plan.js";

const scheduledAtAnnotation = "batch.kubernetes.io/cronjob-scheduled-timestamp";

export class CronJobController implements BuiltInController {
  readonly #context: ControllerContext;
  readonly #cronJobs: FactoryInformer<CronJob>;
  readonly #jobs: OwnedObjects<Job, CronJob>;
  readonly #recorder: Recorder;
  readonly loops: readonly KeyLoop[];

  constructor(context: ControllerContext) {
    this.#context = context;
    this.#cronJobs = context.informers.informer(CronJob);
    this.#jobs = new OwnedObjects({ owners: this.#cronJobs, objects: context.informers.informer(Job) });
    this.#recorder = context.recorderFor("cronjob-controller");
    const sync = (cronJob: CronJob, run: KeyRun) => this.#sync(cronJob, run);
    const loop = objectLoop(context, this.#cronJobs, { name: "cronjob", workers: 5, sync });
    this.loops = [loop];
    loop.watch(this.#cronJobs, (change, wake) => {
      if (change.type === "updated") this.#changed(change.previous, change.object, wake);
      else wake(metaNamespaceKey(change.object));
    });
    this.#jobs.wakeOwners(loop);
  }

  /** A new schedule counts from now on: runs that only the old schedule would have started must not start. */
  #changed(previous: CronJob, cronJob: CronJob, wake: Wake): void {
    const { schedule, timeZone } = cronJob.spec ?? {};
    const same = previous.spec?.schedule === schedule && previous.spec?.timeZone === timeZone;
    if (same) return wake(metaNamespaceKey(cronJob));
    try {
      const waitMs = nextLookMs(cronJob, scheduleOf(cronJob), this.#context.clock.now());
      if (waitMs !== undefined) wake(metaNamespaceKey(cronJob), waitMs);
    } catch {
      const message = `unparseable schedule for cronjob: ${schedule}`;
      this.#recorder.warning(cronJob, "UnParseableCronJobSchedule", message);
    }
  }

  async #sync(cronJob: CronJob, { client }: KeyRun): Promise<SyncResult> {
    const jobs = this.#jobs.controlledBy(cronJob);
    const work = new CronJobSync(this.#context, this.#recorder, cronJob, client);
    // before scheduling: an old Job that is deleted here may be what fills a quota
    await work.forgetOldJobs(jobs);
    let requeueAfterMs: number | undefined;
    try {
      await work.takeStock(jobs);
      requeueAfterMs = await work.startWhatIsDue();
    } finally {
      // the observed state is true whether or not a Job could be started
      await work.writeStatus();
    }
    return { requeueAfterMs };
  }
}

/** One sync. `#status` is the status to write at its end, if it differs from the stored one. */
class CronJobSync {
  readonly #context: ControllerContext;
  readonly #recorder: Recorder;
  #cronJob: CronJob;
  readonly #client: WorkClient;
  readonly #jobs: ResourceClient<Job>;
  #status: CronJobStatus;

  constructor(context: ControllerContext, recorder: Recorder, cronJob: CronJob, client: WorkClient) {
    this.#context = context;
    this.#recorder = recorder;
    this.#cronJob = cronJob;
    this.#client = client;
    this.#jobs = client.resource(Job, { namespace: cronJob.metadata.namespace ?? "" });
    this.#status = cronJob.status ?? {};
  }

  async forgetOldJobs(jobs: readonly Job[]): Promise<void> {
    for (const job of jobsToForget(this.#cronJob, jobs)) {
      try {
        await this.#deleteJob(job);
      } catch {
        // the failure was reported as an event; the next sync tries again, and this one goes on
      }
    }
  }

  /** Brings `status.active` in line with the Jobs that exist. */
  async takeStock(jobs: readonly Job[]): Promise<void> {
    for (const job of jobs) {
      const ended = endOf(job);
      const listed = this.#isActive(job);
      if (ended === undefined && !listed) await this.#reportUnexpected(job);
      if (ended !== undefined && listed) {
        this.#drop(job.metadata.uid);
        this.#normal("SawCompletedJob", `Saw completed job: ${job.metadata.name}, condition: ${ended}`);
      }
      if (ended === "Complete") this.#noteSuccess(job);
    }
    const known = new Set(jobs.map(({ metadata }) => metadata.uid));
    for (const { name = "", uid } of this.#status.active ?? []) {
      if (known.has(uid) || (await this.#jobs.getOrUndefined(name)) !== undefined) continue;
      this.#normal("MissingJob", `Active job went missing: ${name}`);
      this.#drop(uid);
    }
  }

  /** Starts the run that is due, if any. Gives the milliseconds until the next sync; undefined if none is needed. */
  async startWhatIsDue(): Promise<number | undefined> {
    const plan = planCronJob(this.#cronJob, this.#context.clock.now());
    for (const { reason, message } of plan.complaints) this.#recorder.warning(this.#cronJob, reason, message);
    if (plan.type === "wait") return plan.untilMs;
    const { at, nextMs } = plan;
    const { lastScheduleTime } = this.#cronJob.status ?? {};
    const name = jobNameOf(this.#cronJob, at);
    const alreadyDone = lastScheduleTime !== undefined && parseTime(lastScheduleTime) === at;
    if (alreadyDone || (this.#status.active ?? []).some((active) => active.name === name)) return nextMs;
    const policy = this.#cronJob.spec?.concurrencyPolicy ?? "Allow";
    const active = this.#status.active ?? [];
    if (policy === "Forbid" && active.length > 0) {
      this.#normal(
        "JobAlreadyActive",
        "Not starting job because prior execution is running and concurrency policy is Forbid",
      );
      return nextMs;
    }
    if (policy === "Replace") {
      for (const { name: running = "" } of active) await this.#deleteJob(await this.#toReplace(running));
    }
    await this.#start(name, at);
    // an `@every` schedule has no fixed times: its next run counts from this one
    const next = { ...this.#cronJob, status: this.#status };
    return nextLookMs(next, scheduleOf(next), this.#context.clock.now());
  }

  async #toReplace(name: string): Promise<Job> {
    try {
      return await this.#jobs.get(name);
    } catch (error) {
      this.#recorder.warning(this.#cronJob, "FailedGet", `Get job: ${serverWords(error)}`);
      throw error;
    }
  }

  async writeStatus(): Promise<void> {
    const status: CronJobStatus = { ...this.#status };
    if (deepEqual(status, this.#cronJob.status ?? {})) return;
    await this.#client.resource(CronJob).status.update({ ...this.#cronJob, status });
  }

  async #start(name: string, at: number): Promise<void> {
    const { spec } = this.#cronJob;
    const { metadata, spec: jobSpec } = spec?.jobTemplate ?? {};
    const annotations = { ...metadata?.annotations, [scheduledAtAnnotation]: scheduledText(at, spec?.timeZone) };
    let job: Job;
    try {
      job = await this.#jobs.create({
        metadata: {
          name,
          labels: metadata?.labels ?? {},
          annotations,
          ownerReferences: [newControllerRef(this.#cronJob, CronJob)],
        },
        ...defined({ spec: jobSpec }),
      });
      const madeAt = job.metadata.creationTimestamp;
      if (madeAt !== undefined) skewOf(this.#context.metrics).observe((parseTime(madeAt) - at) / 1000);
      this.#normal("SuccessfulCreate", `Created job ${job.metadata.name}`);
    } catch (error) {
      if (!isAlreadyExists(error)) {
        const message = `Error creating job: ${serverWords(error)}`;
        if (!isNamespaceTerminating(error)) this.#recorder.warning(this.#cronJob, "FailedCreate", message);
        throw error;
      }
      const existing = await this.#jobs.getOrUndefined(name);
      if (existing === undefined || !isControlledBy(existing, this.#cronJob)) return;
      job = existing; // made by an earlier sync that failed before it wrote the status
    }
    this.#status = {
      ...this.#status,
      active: [
        ...(this.#status.active ?? []),
        referenceTo({ ...job, apiVersion: "batch/v1", kind: "Job" }) as ObjectReference,
      ],
      lastScheduleTime: formatTime(at),
    };
  }

  async #deleteJob(job: Job): Promise<void> {
    try {
      await this.#jobs.delete(job.metadata, { propagationPolicy: "Background" });
    } catch (error) {
      if (!isNotFound(error)) {
        this.#recorder.warning(this.#cronJob, "FailedDelete", `Deleted job: ${serverWords(error)}`);
        throw error;
      }
    }
    this.#drop(job.metadata.uid);
    this.#normal("SuccessfulDelete", `Deleted job ${job.metadata.name}`);
  }

  /** Reports a Job that the status does not list. The cached CronJob may be behind, so the live one is read first. */
  async #reportUnexpected(job: Job): Promise<void> {
    const live = await this.#client.resource(CronJob).get(this.#cronJob.metadata);
    if (live.status?.active?.some(({ uid }) => uid === job.metadata.uid)) {
      this.#cronJob = live;
      this.#status = live.status;
      return;
    }
    const message = `Saw a job that the controller did not create or forgot: ${job.metadata.name}`;
    this.#recorder.warning(this.#cronJob, "UnexpectedJob", message);
  }

  #noteSuccess({ status }: Job): void {
    const { completionTime } = status ?? {};
    const { lastSuccessfulTime } = this.#status;
    if (completionTime === undefined) return;
    if (lastSuccessfulTime !== undefined && parseTime(lastSuccessfulTime) >= parseTime(completionTime)) return;
    this.#status = { ...this.#status, lastSuccessfulTime: completionTime };
  }

  #isActive(job: Job): boolean {
    return (this.#status.active ?? []).some(({ uid }) => uid === job.metadata.uid);
  }

  #drop(uid: string | undefined): void {
    const active = (this.#status.active ?? []).filter((reference) => reference.uid !== uid);
    const { active: _before, ...rest } = this.#status;
    this.#status = active.length === 0 ? rest : { ...rest, active };
  }

  #normal(reason: string, message: string): void {
    this.#recorder.normal(this.#cronJob, reason, message);
  }
}

const skewOf = (metrics: MetricsRegistry): { observe(seconds: number): void } =>
  metrics.histogram({
    name: "cronjob_controller_job_creation_skew_duration_seconds",
    help: "How long after its time a Job was made",
    buckets: Array.from({ length: 10 }, (_, i) => 2 ** i),
  });

/** RFC 3339, with the UTC offset that the time zone has at that moment. */
function scheduledText(at: number, timeZone: string | undefined): string {
  if (timeZone === undefined || timeZone === "UTC" || timeZone === "Etc/UTC") return formatTime(at);
  const format = new Intl.DateTimeFormat("en-US", { timeZone, timeZoneName: "longOffset" });
  const offset =
    format
      .formatToParts(at)
      .find(({ type }) => type === "timeZoneName")
      ?.value.replace("GMT", "") ?? "";
  if (offset === "") return formatTime(at);
  const [hours = 0, minutes = 0] = offset.split(":").map(Number);
  const shiftMs = (hours * 60 + Math.sign(hours || 1) * minutes) * 60_000;
  return formatTime(at + shiftMs).replace("Z", offset);
}
