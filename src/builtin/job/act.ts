/** Creates and deletes a Job's pods on the API server, and removes their tracking finalizers. */
import { isNotFound, type Job, Pod, unless } from "../../api/index.js";
import type { WorkClient } from "../../client/index.js";
import type { CreatedPods, PodControl } from "../pods/pod-control.js";
import { isReady } from "../pods/state.js";
import type { JobCounts } from "./count.js";
import { failureAnnotations, limitsEachIndex } from "./failures/per-index.js";
import { jobPod, trackingFinalizer } from "./pods.js";

/** One pod for each entry: of this index, or without one. */
export function createPods(
  job: Job,
  indexes: readonly (number | undefined)[],
  { held }: JobCounts,
  control: PodControl,
): Promise<CreatedPods> {
  return control.create(indexes.length, (i) => {
    const index = indexes[i];
    const counts = index !== undefined && limitsEachIndex(job) ? failureAnnotations(job, held.get(index)) : {};
    return jobPod(job, index, counts);
  });
}

export interface DeletedPods {
  readonly deleted: number;
  /** The number of ready pods among them. */
  readonly readyGone: number;
  readonly error?: unknown;
}

/** `prepare` is called for each pod before it is deleted. */
export async function deletePods(
  control: PodControl,
  pods: readonly Pod[],
  prepare?: (pod: Pod) => Promise<unknown>,
): Promise<DeletedPods> {
  let readyGone = 0;
  const errors = await control.delete(pods, async (pod) => {
    await prepare?.(pod);
    readyGone += isReady(pod) ? 1 : 0;
  });
  return { deleted: pods.length - errors.length, readyGone, error: errors[0] };
}

/** Removes the finalizer; undefined if the pod is gone. */
export function release(pod: Pod, client: WorkClient): Promise<Pod | undefined> {
  const metadata = { uid: pod.metadata.uid, "$deleteFromPrimitiveList/finalizers": [trackingFinalizer] };
  return client.resource(Pod).patch(pod.metadata, { strategic: { metadata } }).catch(unless(isNotFound));
}
