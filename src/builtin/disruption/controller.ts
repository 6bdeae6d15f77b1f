/** The disruption controller: keeps the status of PodDisruptionBudgets, which decides on evictions and drains. */
import {
  deepEqual,
  isConflict,
  isNotFound,
  metaNamespaceKey,
  Pod,
  PodDisruptionBudget,
  type PodDisruptionBudgetStatus,
} from "../../api/index.js";
import { messageOf } from "../../base/index.js";
import type { WorkClient } from "../../client/index.js";
import type { KeyLoop, KeyRun, SyncResult, Wake } from "../../controller/index.js";
import type { FactoryInformer } from "../../informer/index.js";
import type { BuiltInController, ControllerContext, Recorder } from "../kit/context.js";
import { objectLoop } from "../kit/loops.js";
import { validSelector } from "../kit/selector.js";
import { staleTargets } from "./stale-targets.js";
import { countsWanted, failSafe, planBudget, unmanagedMessage } from "./plan.js";
import { Scales } from "./scales.js";

export class DisruptionController implements BuiltInController {
  readonly #context: ControllerContext;
  readonly #budgets: FactoryInformer<PodDisruptionBudget>;
  readonly #pods: FactoryInformer<Pod>;
  readonly #scales: Scales;
  readonly #recorder: Recorder;
  readonly loops: readonly KeyLoop[];

  constructor(context: ControllerContext) {
    const { informers } = context;
    this.#context = context;
    this.#budgets = informers.informer(PodDisruptionBudget);
    this.#pods = informers.informer(Pod);
    this.#scales = new Scales(context);
    this.#recorder = context.recorderFor("controllermanager");
    const sync = (budget: PodDisruptionBudget, run: KeyRun) => this.#sync(budget, run);
    const loop = objectLoop(context, this.#budgets, { name: "disruption", workers: 1, sync });
    loop.follow(this.#budgets);
    loop.watch(this.#pods, (change, wake) => {
      if (change.type === "resync") return;
      this.#wake(change.object, wake);
      if (change.type !== "updated") return;
      if (!deepEqual(change.previous.metadata.labels, change.object.metadata.labels)) this.#wake(change.previous, wake);
    });
    this.loops = [loop, staleTargets(context)];
  }

  /** Enqueues all budgets of the pod. Records an event if there are several, for then the pod cannot be evicted. */
  #wake(pod: Pod, wake: Wake): void {
    const { namespace = "", name, labels } = pod.metadata;
    const matching = this.#budgets.lister
      .namespace(namespace)
      .list()
      .filter(({ spec }) => validSelector(spec?.selector)?.matches(labels));
    for (const budget of matching) wake(metaNamespaceKey(budget));
    if (matching.length <= 1) return;
    const [first] = matching.map(({ metadata }) => metadata.name).toSorted();
    const message = `Pod "${namespace}"/"${name}" matches multiple PodDisruptionBudgets.  Chose "${first}" arbitrarily.`;
    this.#recorder.warning(pod, "MultiplePodDisruptionBudgets", message);
  }

  async #sync(budget: PodDisruptionBudget, { key, client, signal }: KeyRun): Promise<SyncResult | void> {
    const now = this.#context.clock.now();
    const selector = validSelector(budget.spec?.selector);
    const there = this.#pods.lister.namespace(budget.metadata.namespace ?? "");
    const pods = selector === undefined ? [] : there.list(selector);
    if (pods.length === 0) this.#recorder.normal(budget, "NoPods", "No matching pods found");
    let wanted: number | undefined;
    try {
      if (countsWanted(budget)) {
        const found = await this.#scales.wantedBy(pods, signal);
        if (found.unmanaged) this.#recorder.warning(budget, "UnmanagedPods", unmanagedMessage(budget));
        wanted = found.wanted;
      }
    } catch (error) {
      if (signal.aborted) throw error;
      const message = messageOf(error);
      const why = `Failed to calculate the number of expected pods: ${message}`;
      this.#recorder.warning(budget, "CalculateExpectedPodCountFailed", why);
      // not retried until a pod or the budget changes: a scale that cannot be read now cannot be read in a moment
      // either
      return this.#write(budget, failSafe(budget, message, now), client);
    }
    const { status, notDeleted, recheckAfterMs } = planBudget({ budget, pods, wanted }, now);
    for (const pod of notDeleted) {
      const message = `Pod was expected by PDB ${key} to be deleted but it wasn't`;
      this.#recorder.warning(pod, "NotDeleted", message);
    }
    const again = status && (await this.#write(budget, status, client));
    return recheckAfterMs === undefined ? again : { requeueAfterMs: recheckAfterMs, ...again };
  }

  async #write(
    budget: PodDisruptionBudget,
    status: PodDisruptionBudgetStatus,
    client: WorkClient,
  ): Promise<SyncResult | undefined> {
    try {
      await client.resource(PodDisruptionBudget).status.update({ ...budget, status });
    } catch (error) {
      // an eviction was counted meanwhile: decide again with the status that it wrote
      if (isConflict(error)) return { requeueAfterMs: 0 };
      if (!isNotFound(error)) throw error;
    }
    return undefined;
  }
}
