/** Pods with the tracking finalizer and no Job that will count them: takes pods as they change, removes the finalizer. */
import { controllerOf, type Job, metaNamespaceKey, type Pod } from "../../api/index.js";
import type { ReadonlyStore } from "../../informer/index.js";
import { itemExponentialFailure } from "../../workqueue/index.js";
import type { KeyLoop, Wake } from "../../controller/index.js";
import type { ControllerContext } from "../kit/context.js";
import { keyLoop } from "../kit/loops.js";
import { ownerIn } from "../ownership/owned.js";
import { release } from "./act.js";
import { isFinished, isOthers, isTracked } from "./pods.js";

export interface OrphanPodsOptions {
  readonly jobs: ReadonlyStore<Job>;
  readonly pods: ReadonlyStore<Pod>;
}

export class OrphanPods {
  readonly loop: KeyLoop;
  readonly #options: OrphanPodsOptions;

  constructor(context: ControllerContext, options: OrphanPodsOptions) {
    this.#options = options;
    this.loop = keyLoop(context, {
      name: "job_orphan_pod",
      kind: "Pod",
      workers: 5,
      limiter: itemExponentialFailure({ baseMs: 1_000, maxMs: 60_000 }),
      sync: async ({ key, client }) => {
        const pod = options.pods.get(key);
        if (pod !== undefined && this.#isOrphan(pod)) await release(pod, client);
      },
    });
  }

  consider(pod: Pod, wake: Wake = (key) => this.loop.add(key)): void {
    if (this.#isOrphan(pod)) wake(metaNamespaceKey(pod));
  }

  /**
   * True if the pod still has the finalizer and no Job will remove it. A pod of another kind of controller is never an
   * orphan.
   */
  #isOrphan(pod: Pod): boolean {
    const reference = controllerOf(pod);
    if (reference !== undefined && (reference.kind !== "Job" || reference.apiVersion !== "batch/v1")) return false;
    return isTracked(pod) && this.#counterOf(pod) === undefined;
  }

  /** The Job that will count this pod: one that is not over, or that another controller manages. */
  #counterOf(pod: Pod): Job | undefined {
    const job = ownerIn(this.#options.jobs, pod, "Job");
    return job !== undefined && isFinished(job) && !isOthers(job) ? undefined : job;
  }
}
