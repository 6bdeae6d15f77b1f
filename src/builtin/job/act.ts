/** Creates and deletes a Job's pods on the API server, and removes their tracking finalizers. */
import { isNotFound, type Job, Pod } from "../../api/index.js";
import type { WorkClient } from "../../client/index.js";
import { unlessNotFound } from "../kit/missing.js";
import { isNamespaceTerminating, type PodControl } from "../pods/pod-control.js";
import { slowStart } from "../pods/slow-start.js";
import { isReady } from "../pods/state.js";
import { failureAnnotations, limitsEachIndex } from "./failures/per-index.js";
import type { JobPlan } from "./plan.js";
import { isTracked, jobPod, trackingFinalizer } from "./pods.js";

export interface JobActorOptions {
  readonly client: WorkClient;
  readonly pods: PodControl;
}

interface Acted {
  /** The number of pods that were created or deleted. */
  readonly done: number;
  /** The number of deleted pods that were ready. */
  readonly readyGone?: number;
  /** The number of pods that could not be created. */
  readonly failed?: number;
  readonly error?: unknown;
}

interface Doing {
  readonly plan: JobPlan;
  readonly held: ReadonlyMap<number, Pod>;
}

export interface JobActor {
  /** `held` are the failed pods that new ones replace, by index. */
  carryOut(job: Job, doing: Doing): Promise<Acted>;
  /** Deletes pods that are still to be counted, because the Job is over. */
  end(job: Job, pods: readonly Pod[]): Promise<Acted>;
}

export function jobActor({ client, pods }: JobActorOptions): JobActor {
  async function create(
    job: Job,
    { indexes, held }: { readonly indexes: readonly (number | undefined)[]; readonly held: Doing["held"] },
  ): Promise<Acted> {
    const draft = (index: number | undefined) =>
      index !== undefined && limitsEachIndex(job)
        ? jobPod(job, index, failureAnnotations(job, held.get(index)))
        : jobPod(job, index);
    let failed = 0;
    const { succeeded, error } = await slowStart(indexes.length, async (i) => {
      try {
        await pods.create(job, draft(indexes[i]));
      } catch (failure) {
        if (isNamespaceTerminating(failure)) return;
        failed += 1;
        throw failure;
      }
    });
    return { done: succeeded, failed, error };
  }

  async function remove(
    job: Job,
    { victims, counted }: { readonly victims: readonly Pod[]; readonly counted: boolean },
  ): Promise<Acted> {
    if (victims.length === 0) return { done: 0 };
    let readyGone = 0;
    const failures = await Promise.all(
      victims.map(async (pod) => {
        try {
          if (!counted && isTracked(pod)) await release(pod, client);
          readyGone += isReady(pod) ? 1 : 0;
          await pods.delete(job, pod);
          return undefined;
        } catch (error) {
          return isNotFound(error) ? undefined : error;
        }
      }),
    );
    const failed = failures.filter((failure) => failure !== undefined);
    return { done: victims.length - failed.length, readyGone, error: failed[0] };
  }

  return {
    async carryOut(job, { plan, held }) {
      if (plan.type === "create") return create(job, { indexes: plan.indexes, held });
      // surplus pods are not failures: they are released without being counted
      return plan.type === "delete" ? remove(job, { victims: plan.pods, counted: false }) : { done: 0 };
    },
    end: (job, victims) => remove(job, { victims, counted: true }),
  };
}

/** Removes the finalizer; undefined if the pod is gone. */
export function release(pod: Pod, client: WorkClient): Promise<Pod | undefined> {
  const metadata = { uid: pod.metadata.uid, "$deleteFromPrimitiveList/finalizers": [trackingFinalizer] };
  return client.resource(Pod).patch(pod.metadata, { strategic: { metadata } }).catch(unlessNotFound);
}
