/** Makes and deletes a Job's pods, and takes the tracking finalizer off them. From plan; to the API server. */
import { isNotFound, type Job, metaNamespaceKey, Pod } from "../../api/index.js";
import type { Client } from "../../client/index.js";
import type { Expectations } from "../../controller/expectations.js";
import { unlessNotFound } from "../kit/missing.js";
import { isNamespaceTerminating, type PodControl } from "../pods/pod-control.js";
import { slowStart } from "../pods/slow-start.js";
import { isReady } from "../pods/state.js";
import { failureAnnotations, limitsEachIndex } from "./failures/per-index.js";
import type { JobPlan } from "./plan.js";
import { isTracked, jobPod, trackingFinalizer } from "./pods.js";

export interface JobActorOptions {
  readonly client: Client;
  readonly pods: PodControl;
  readonly expectations: Expectations;
  /** Told of each pod that was made. */
  onWrite(key: string, job: Job, pod: Pod): void;
}

interface Acted {
  /** How many pods were made, or told to go. */
  readonly done: number;
  /** How many of those that were told to go were ready. */
  readonly readyGone?: number;
  /** How many could not be made. */
  readonly failed?: number;
  readonly error?: unknown;
}

interface Doing {
  readonly plan: JobPlan;
  readonly held: ReadonlyMap<number, Pod>;
}

export interface JobActor {
  /** `held` are the failed pods that new ones replace, by index. */
  carryOut(key: string, job: Job, doing: Doing, signal: AbortSignal): Promise<Acted>;
  /** Tells pods to go that are still to be counted, because the Job is over. */
  end(key: string, job: Job, pods: readonly Pod[], signal: AbortSignal): Promise<Acted>;
  /** Takes the finalizer off; undefined if the pod is gone. */
  release(pod: Pod, signal: AbortSignal): Promise<Pod | undefined>;
}

export function jobActor({ client, pods, expectations, onWrite }: JobActorOptions): JobActor {
  async function create(
    key: string,
    job: Job,
    { indexes, held }: { readonly indexes: readonly (number | undefined)[]; readonly held: Doing["held"] },
    signal: AbortSignal,
  ): Promise<Acted> {
    const draft = (index: number | undefined) =>
      index !== undefined && limitsEachIndex(job)
        ? jobPod(job, index, failureAnnotations(job, held.get(index)))
        : jobPod(job, index);
    expectations.expectCreations(key, indexes.length);
    let failed = 0;
    const { succeeded, skipped, error } = await slowStart(indexes.length, async (i) => {
      try {
        onWrite(key, job, await pods.create(job, draft(indexes[i]), signal));
      } catch (failure) {
        expectations.creationObserved(key);
        if (isNamespaceTerminating(failure)) return;
        failed += 1;
        throw failure;
      }
    });
    expectations.creationObserved(key, skipped);
    return { done: succeeded, failed, error };
  }

  async function remove(
    key: string,
    job: Job,
    { victims, counted }: { readonly victims: readonly Pod[]; readonly counted: boolean },
    signal: AbortSignal,
  ): Promise<Acted> {
    if (victims.length === 0) return { done: 0 };
    // a Job that ends makes no more pods, so nothing is decided on what its cache does not show yet
    if (!counted) expectations.expectDeletions(key, victims.map(metaNamespaceKey));
    let readyGone = 0;
    const failures = await Promise.all(
      victims.map(async (pod) => {
        try {
          if (!counted && isTracked(pod)) await release(pod, signal);
          readyGone += isReady(pod) ? 1 : 0;
          await pods.delete(job, pod, signal);
          return undefined;
        } catch (error) {
          expectations.deletionObserved(key, metaNamespaceKey(pod));
          return isNotFound(error) ? undefined : error;
        }
      }),
    );
    const failed = failures.filter((failure) => failure !== undefined);
    return { done: victims.length - failed.length, readyGone, error: failed[0] };
  }

  function release(pod: Pod, signal: AbortSignal): Promise<Pod | undefined> {
    const metadata = { uid: pod.metadata.uid, "$deleteFromPrimitiveList/finalizers": [trackingFinalizer] };
    return client.resource(Pod).patch(pod.metadata, { strategic: { metadata } }, { signal }).catch(unlessNotFound);
  }

  return {
    async carryOut(key, job, { plan, held }, signal) {
      if (plan.type === "create") return create(key, job, { indexes: plan.indexes, held }, signal);
      // pods that the Job no longer wants are nobody's failures: they are let go without being counted
      return plan.type === "delete" ? remove(key, job, { victims: plan.pods, counted: false }, signal) : { done: 0 };
    },
    end: (key, job, victims, signal) => remove(key, job, { victims, counted: true }, signal),
    release,
  };
}
