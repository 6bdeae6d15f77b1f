/** The TTL-after-finished controller: deletes a finished Job when its time to live is over. */
import { findCondition, isConflict, isNotFound, Job, metaNamespaceKey, parseTime } from "../../api/index.js";
import { defined } from "../../base/defined.js";
import type { KeyRun, SyncResult } from "../../controller/index.js";
import type { BuiltInController, ControllerContext } from "../kit/context.js";
import { endOf } from "../job/pods.js";
import { objectLoop } from "../kit/loops.js";

/** When the Job's time to live ends; undefined for a Job that is not finished, has no limit, or is already being deleted. */
export function expiresAt(job: Job): number | undefined {
  const { metadata, spec, status } = job;
  const ttlSeconds = spec?.ttlSecondsAfterFinished;
  if (ttlSeconds === undefined || metadata.deletionTimestamp !== undefined) return undefined;
  const { lastTransitionTime } = findCondition(status?.conditions, endOf(job) ?? "") ?? {};
  return lastTransitionTime === undefined ? undefined : parseTime(lastTransitionTime) + ttlSeconds * 1000;
}

export function ttlAfterFinishedController(context: ControllerContext): BuiltInController {
  const { informers, clock } = context;
  const jobs = informers.informer(Job);
  const loop = objectLoop(context, jobs, { name: "ttl_jobs_to_delete", workers: 5, sync });
  const lateness = context.metrics.histogram({
    name: "ttl_after_finished_controller_job_deletion_duration_seconds",
    help: "How long after its time a Job was deleted",
    buckets: Array.from({ length: 14 }, (_, i) => 0.1 * 2 ** i),
  });
  loop.watch(jobs, ({ type, object }, wake) => {
    if (type !== "deleted" && expiresAt(object) !== undefined) wake(metaNamespaceKey(object));
  });

  async function sync(cached: Job, { client }: KeyRun): Promise<SyncResult | void> {
    const waitMs = waitFor(cached);
    if (waitMs === undefined || waitMs > 0) return { requeueAfterMs: waitMs };
    try {
      // the cache may be behind a change of the TTL: the live Job decides
      const live = await client.resource(Job).get(cached.metadata);
      const liveWaitMs = waitFor(live);
      if (liveWaitMs === undefined || liveWaitMs > 0) return { requeueAfterMs: liveWaitMs };
      const { uid, resourceVersion } = live.metadata;
      const preconditions = defined({ uid, resourceVersion });
      await client.resource(Job).delete(live.metadata, { propagationPolicy: "Foreground", preconditions });
      lateness.observe(-liveWaitMs / 1000);
    } catch (error) {
      if (isConflict(error)) return { requeueAfterMs: 0 };
      if (!isNotFound(error)) throw error;
    }
  }

  function waitFor(job: Job): number | undefined {
    const at = expiresAt(job);
    return at === undefined ? undefined : at - clock.now();
  }

  return { loops: [loop] };
}
