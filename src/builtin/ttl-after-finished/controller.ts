/** The TTL-after-finished controller: deletes a finished Job when its time to live is over. */
import {
  findCondition,
  isConditionTrue,
  isConflict,
  isNotFound,
  Job,
  metaNamespaceKey,
  parseTime,
} from "../../api/index.js";
import type { KeyRun, SyncResult } from "../../controller/index.js";
import type { BuiltInController, ControllerContext } from "../kit/context.js";
import { keyLoop } from "../kit/loops.js";

/** When the Job's time to live ends; undefined for a Job that is not finished, has no limit, or is already being deleted. */
export function expiresAt({ metadata, spec, status }: Job): number | undefined {
  const ttlSeconds = spec?.ttlSecondsAfterFinished;
  if (ttlSeconds === undefined || metadata.deletionTimestamp !== undefined) return undefined;
  const type = isConditionTrue(status?.conditions, "Complete") ? "Complete" : "Failed";
  const finished = findCondition(status?.conditions, type);
  if (finished?.status !== "True" || finished.lastTransitionTime === undefined) return undefined;
  return parseTime(finished.lastTransitionTime) + ttlSeconds * 1000;
}

export function ttlAfterFinishedController(context: ControllerContext): BuiltInController {
  const { informers, clock } = context;
  const jobs = informers.informer(Job);
  const loop = keyLoop(context, { name: "ttl_jobs_to_delete", kind: "Job", workers: 5, sync });
  const lateness = context.metrics.histogram({
    name: "ttl_after_finished_controller_job_deletion_duration_seconds",
    help: "How long after its time a Job was deleted",
    buckets: Array.from({ length: 14 }, (_, i) => 0.1 * 2 ** i),
  });
  loop.watch(jobs, ({ type, object }, wake) => {
    if (type !== "deleted" && expiresAt(object) !== undefined) wake(metaNamespaceKey(object));
  });

  async function sync({ key, client }: KeyRun): Promise<SyncResult | void> {
    const cached = jobs.indexer.get(key);
    if (cached === undefined) return;
    const waitMs = waitFor(cached);
    if (waitMs === undefined || waitMs > 0) return waitMs === undefined ? undefined : { requeueAfterMs: waitMs };
    try {
      // the cache may be behind a change of the TTL: the live Job decides
      const live = await client.resource(Job).get(cached.metadata);
      const liveWaitMs = waitFor(live);
      if (liveWaitMs === undefined) return;
      if (liveWaitMs > 0) return { requeueAfterMs: liveWaitMs };
      const { uid, resourceVersion } = live.metadata;
      const preconditions = {
        ...(uid === undefined ? {} : { uid }),
        ...(resourceVersion === undefined ? {} : { resourceVersion }),
      };
      await client.resource(Job).delete(live.metadata, { propagationPolicy: "Foreground", preconditions });
      lateness.observe(-liveWaitMs / 1000);
    } catch (error) {
      if (!isNotFound(error) && !isConflict(error)) throw error;
      if (isConflict(error)) return { requeueAfterMs: 0 };
    }
  }

  function waitFor(job: Job): number | undefined {
    const at = expiresAt(job);
    return at === undefined ? undefined : at - clock.now();
  }

  return { loops: [loop] };
}
