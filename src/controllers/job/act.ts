/** Makes and deletes a Job's pods, and takes the tracking finalizer off them. From plan; to the API server. */
import { isNotFound, type Job, metaNamespaceKey, Pod } from "../../api/index.js";
import type { Client } from "../../client/index.js";
import type { Expectations } from "../../controller/expectations.js";
import { isNamespaceTerminating, type PodControl } from "../pods/pod-control.js";
import { slowStart } from "../pods/slow-start.js";
import type { JobPlan } from "./plan.js";
import { isSuspended, jobPod, trackingFinalizer } from "./pods.js";

export interface JobActorOptions {
  readonly client: Client;
  readonly pods: PodControl;
  readonly expectations: Expectations;
  /** Told of each pod that was made. */
  onWrite(key: string, job: Job, pod: Pod): void;
}

export interface Acted {
  /** How many pods were made, or told to go. */
  readonly done: number;
  readonly error?: unknown;
}

export interface JobActor {
  carryOut(key: string, job: Job, plan: JobPlan, signal: AbortSignal): Promise<Acted>;
  /** Takes the finalizer off; undefined if the pod is gone. */
  release(pod: Pod, signal: AbortSignal): Promise<Pod | undefined>;
}

export function jobActor({ client, pods, expectations, onWrite }: JobActorOptions): JobActor {
  async function create(
    key: string,
    job: Job,
    indexes: readonly (number | undefined)[],
    signal: AbortSignal,
  ): Promise<Acted> {
    expectations.expectCreations(key, indexes.length);
    const { succeeded, skipped, error } = await slowStart(indexes.length, async (i) => {
      try {
        onWrite(key, job, await pods.create(job, jobPod(job, indexes[i]), signal));
      } catch (failure) {
        expectations.creationObserved(key);
        if (!isNamespaceTerminating(failure)) throw failure;
      }
    });
    expectations.creationObserved(key, skipped);
    return { done: succeeded, error };
  }

  /** Pods of a suspended Job are nobody's failures: they are let go without being counted. */
  async function remove(key: string, job: Job, victims: readonly Pod[], signal: AbortSignal): Promise<Acted> {
    if (victims.length === 0) return { done: 0 };
    expectations.expectDeletions(key, victims.map(metaNamespaceKey));
    const failures = await Promise.all(
      victims.map(async (pod) => {
        try {
          if (isSuspended(job)) await release(pod, signal);
          await pods.delete(job, pod, signal);
          return undefined;
        } catch (error) {
          expectations.deletionObserved(key, metaNamespaceKey(pod));
          return isNotFound(error) ? undefined : error;
        }
      }),
    );
    const failed = failures.filter((failure) => failure !== undefined);
    return { done: victims.length - failed.length, error: failed[0] };
  }

  async function release(pod: Pod, signal: AbortSignal): Promise<Pod | undefined> {
    const metadata = { uid: pod.metadata.uid, "$deleteFromPrimitiveList/finalizers": [trackingFinalizer] };
    try {
      return await client.resource(Pod).patch(pod.metadata, { strategic: { metadata } }, { signal });
    } catch (error) {
      if (isNotFound(error)) return undefined;
      throw error;
    }
  }

  return {
    async carryOut(key, job, plan, signal) {
      if (plan.type === "create") return create(key, job, plan.indexes, signal);
      return plan.type === "delete" ? remove(key, job, plan.pods, signal) : { done: 0 };
    },
    release,
  };
}
