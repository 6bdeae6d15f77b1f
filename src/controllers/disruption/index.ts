/** The disruption controller: keeps the status of PodDisruptionBudgets, by which evictions and drains go. */
import {
  controllerOf,
  Deployment,
  deepEqual,
  isConflict,
  isNotFound,
  type KubeObject,
  type OwnerReference,
  Pod,
  PodDisruptionBudget,
  type PodDisruptionBudgetStatus,
  ReplicaSet,
  ReplicationController,
  sameRevision,
  StatefulSet,
} from "../../api/index.js";
import { runTogether } from "../../base/index.js";
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

export const disruptionController: ControllerDescriptor = {
  name: "disruption-controller",
  aliases: ["disruption"],
  create: (context) => new DisruptionController(context),
};

class DisruptionController implements BuiltInController {
  readonly #context: ControllerContext;
  readonly #budgets: FactoryInformer<PodDisruptionBudget>;
  readonly #pods: FactoryInformer<Pod>;
  /** Kinds that want a number of pods, by the name that references use. */
  readonly #scalable: Readonly<Record<string, FactoryInformer<Scalable>>>;
  readonly #deployments: FactoryInformer<Deployment>;
  readonly #recorder: Recorder;
  readonly #loop: KeyLoop;
  readonly #staleTargets: KeyLoop;

  constructor(context: ControllerContext) {
    const { informers } = context;
    this.#context = context;
    this.#budgets = informers.informer(PodDisruptionBudget);
    this.#pods = informers.informer(Pod);
    this.#deployments = informers.informer(Deployment);
    this.#scalable = {
      ReplicaSet: informers.informer(ReplicaSet) as unknown as FactoryInformer<Scalable>,
      ReplicationController: informers.informer(ReplicationController) as unknown as FactoryInformer<Scalable>,
      StatefulSet: informers.informer(StatefulSet) as unknown as FactoryInformer<Scalable>,
    };
    this.#recorder = context.recorderFor("controllermanager");
    const sync = (key: string, { signal }: { readonly signal: AbortSignal }) => this.#sync(key, signal);
    this.#loop = new KeyLoop({ context, name: "disruption", workers: 1, sync });
    this.#staleTargets = staleTargets(context);
    this.#loop.follow(this.#budgets);
    const wake = (pod: Pod): void => {
      for (const budget of this.#budgets.indexer.byIndex("namespace", pod.metadata.namespace ?? "")) {
        if (validSelector(budget.spec?.selector)?.matches(pod.metadata.labels)) this.#loop.enqueue(budget);
      }
    };
    this.#pods.addEventHandler({
      onAdd: wake,
      onUpdate: (previous, pod) => {
        if (sameRevision(previous, pod)) return;
        wake(pod);
        if (!deepEqual(previous.metadata.labels, pod.metadata.labels)) wake(previous);
      },
      onDelete: (gone) => {
        const pod = deletedObject(gone);
        if (pod !== undefined) wake(pod);
      },
    });
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
      .filter(({ metadata, status }) => {
        const ended = status?.phase === "Succeeded" || status?.phase === "Failed";
        return !ended && selector?.matches(metadata.labels) === true;
      });
    if (pods.length === 0) this.#recorder.normal(budget, "NoPods", "No matching pods found");
    let wanted: number | undefined;
    try {
      if (countsWanted(budget)) wanted = this.#wantedBy(budget, pods);
    } catch (error) {
      const message = error instanceof Error ? error.message : String(error);
      this.#recorder.warning(
        budget,
        "CalculateExpectedPodCountFailed",
        `Failed to calculate the number of expected pods: ${message}`,
      );
      await this.#write(budget, failSafe(budget, message, now), signal);
      throw error;
    }
    const { status, notDeleted, recheckAfterMs } = planBudget({ budget, pods, wanted }, now);
    for (const pod of notDeleted) {
      const message = `Pod was expected by PDB ${key} to be deleted but it wasn't`;
      this.#recorder.warning(pod, "NotDeleted", message);
    }
    if (status !== undefined) await this.#write(budget, status, signal);
    return recheckAfterMs === undefined ? undefined : { requeueAfterMs: recheckAfterMs };
  }

  /** The sum of what the distinct controllers of these pods want. Pods without a controller want nothing, which is told. */
  #wantedBy(budget: PodDisruptionBudget, pods: readonly Pod[]): number {
    const scales = new Map<string, number>();
    let unmanaged = false;
    for (const pod of pods) {
      const reference = controllerOf(pod);
      if (reference === undefined) {
        unmanaged = true;
        continue;
      }
      const { uid, replicas } = this.#scaleOf(pod, reference);
      scales.set(uid, replicas);
    }
    if (unmanaged) this.#recorder.warning(budget, "UnmanagedPods", unmanagedMessage(budget));
    return [...scales.values()].reduce((sum, replicas) => sum + replicas, 0);
  }

  #scaleOf(pod: Pod, reference: OwnerReference): { uid: string; replicas: number } {
    const { namespace, name } = pod.metadata;
    const owner = this.#scalable[reference.kind]?.indexer.get(`${namespace}/${reference.name}`);
    if (owner === undefined || owner.metadata.uid !== reference.uid) {
      throw new Error(`found no controllers for pod "${name}"`);
    }
    // the Deployment above a ReplicaSet knows better how many there are to be
    const above = controllerOf(owner);
    const deployment =
      above?.kind === "Deployment" ? this.#deployments.indexer.get(`${namespace}/${above.name}`) : undefined;
    const scaled: Scalable = deployment !== undefined && deployment.metadata.uid === above?.uid ? deployment : owner;
    return { uid: scaled.metadata.uid ?? "", replicas: scaled.spec?.replicas ?? 1 };
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

interface Scalable extends KubeObject {
  readonly spec?: { readonly replicas?: number };
}
