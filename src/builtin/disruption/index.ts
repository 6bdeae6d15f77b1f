/** The disruption controller: keeps the status of PodDisruptionBudgets, by which evictions and drains go. */
import {
  deepEqual,
  isConflict,
  isNotFound,
  Pod,
  PodDisruptionBudget,
  type PodDisruptionBudgetStatus,
  sameRevision,
} from "../../api/index.js";
import { messageOf, runTogether } from "../../base/index.js";
import { deletedObject, type FactoryInformer } from "../../informer/index.js";
import type {
  BuiltInController,
  ControllerContext,
  ControllerDescriptor,
  InspectableQueue,
  Recorder,
} from "../kit/context.js";
import { validSelector } from "../kit/selector.js";
import { KeyLoop, type SyncOutcome } from "../kit/key-loop.js";
import { staleTargets } from "./stale-targets.js";
import { countsWanted, failSafe, planBudget, unmanagedMessage } from "./plan.js";
import { Scales } from "./scales.js";

export const disruptionController: ControllerDescriptor = {
  name: "disruption-controller",
  aliases: ["disruption"],
  create: (context) => new DisruptionController(context),
};

class DisruptionController implements BuiltInController {
  readonly #context: ControllerContext;
  readonly #budgets: FactoryInformer<PodDisruptionBudget>;
  readonly #pods: FactoryInformer<Pod>;
  readonly #scales: Scales;
  readonly #recorder: Recorder;
  readonly #loop: KeyLoop;
  readonly #staleTargets: KeyLoop;

  constructor(context: ControllerContext) {
    const { informers } = context;
    this.#context = context;
    this.#budgets = informers.informer(PodDisruptionBudget);
    this.#pods = informers.informer(Pod);
    this.#scales = new Scales(context);
    this.#recorder = context.recorderFor("controllermanager");
    const sync = (key: string, { signal }: { readonly signal: AbortSignal }) => this.#sync(key, signal);
    this.#loop = new KeyLoop({ context, name: "disruption", workers: 1, sync });
    this.#staleTargets = staleTargets(context);
    this.#loop.follow(this.#budgets);
    this.#pods.addEventHandler({
      onAdd: (pod) => this.#wake(pod),
      onUpdate: (previous, pod) => {
        if (sameRevision(previous, pod)) return;
        this.#wake(pod);
        if (!deepEqual(previous.metadata.labels, pod.metadata.labels)) this.#wake(previous);
      },
      onDelete: (gone) => {
        const pod = deletedObject(gone);
        if (pod !== undefined) this.#wake(pod);
      },
    });
  }

  /** All budgets of the pod. That there are several is told, for then nobody can evict it. */
  #wake(pod: Pod): void {
    const { namespace = "", name, labels } = pod.metadata;
    const matching = this.#budgets.indexer
      .byIndex("namespace", namespace)
      .filter(({ spec }) => validSelector(spec?.selector)?.matches(labels));
    for (const budget of matching) this.#loop.enqueue(budget);
    if (matching.length <= 1) return;
    const [first] = matching.map(({ metadata }) => metadata.name).toSorted();
    const message = `Pod "${namespace}"/"${name}" matches multiple PodDisruptionBudgets.  Chose "${first}" arbitrarily.`;
    this.#recorder.warning(pod, "MultiplePodDisruptionBudgets", message);
  }

  get queues(): readonly InspectableQueue[] {
    return [...this.#loop.queues, ...this.#staleTargets.queues];
  }

  async run(signal: AbortSignal): Promise<void> {
    await runTogether([(ending) => this.#loop.run(ending), (ending) => this.#staleTargets.run(ending)], signal);
  }

  async #sync(key: string, signal: AbortSignal): Promise<SyncOutcome | void> {
    const budget = this.#budgets.indexer.get(key);
    if (budget === undefined) return;
    const now = this.#context.clock.now();
    const selector = validSelector(budget.spec?.selector);
    const pods = this.#pods.indexer
      .byIndex("namespace", budget.metadata.namespace ?? "")
      .filter(({ metadata }) => selector?.matches(metadata.labels) === true);
    if (pods.length === 0) this.#recorder.normal(budget, "NoPods", "No matching pods found");
    let wanted: number | undefined;
    try {
      if (countsWanted(budget)) wanted = await this.#wantedBy(budget, pods, signal);
    } catch (error) {
      if (signal.aborted) throw error;
      const message = messageOf(error);
      this.#recorder.warning(
        budget,
        "CalculateExpectedPodCountFailed",
        `Failed to calculate the number of expected pods: ${message}`,
      );
      // not tried again until a pod or the budget changes: whoever cannot be asked now cannot be asked in a moment
      return this.#write(budget, failSafe(budget, message, now), signal);
    }
    const { status, notDeleted, recheckAfterMs } = planBudget({ budget, pods, wanted }, now);
    for (const pod of notDeleted) {
      const message = `Pod was expected by PDB ${key} to be deleted but it wasn't`;
      this.#recorder.warning(pod, "NotDeleted", message);
    }
    if (status !== undefined) await this.#write(budget, status, signal);
    return recheckAfterMs === undefined ? undefined : { requeueAfterMs: recheckAfterMs };
  }

  /** Pods without a controller want nothing, which is told. */
  async #wantedBy(budget: PodDisruptionBudget, pods: readonly Pod[], signal: AbortSignal): Promise<number> {
    const { wanted, unmanaged } = await this.#scales.wantedBy(pods, signal);
    if (unmanaged) this.#recorder.warning(budget, "UnmanagedPods", unmanagedMessage(budget));
    return wanted;
  }

  async #write(budget: PodDisruptionBudget, status: PodDisruptionBudgetStatus, signal: AbortSignal): Promise<void> {
    try {
      await this.#context.client.resource(PodDisruptionBudget).status.update({ ...budget, status }, { signal });
    } catch (error) {
      if (isNotFound(error)) return;
      // an eviction was counted meanwhile: judge anew on what it wrote
      if (isConflict(error)) this.#loop.addRateLimited(`${budget.metadata.namespace}/${budget.metadata.name}`);
      else throw error;
    }
  }
}
