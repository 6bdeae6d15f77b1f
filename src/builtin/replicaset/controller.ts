/** Watches sets and their pods, and syncs one set at a time: observe, plan, act, status. */
import { controllerOf, type KubeObject, metaNamespaceKey, Pod, type Selector } from "../../api/index.js";
import { ConsistencyStore } from "../../controller/consistency.js";
import { Expectations } from "../../controller/expectations.js";
import type { FactoryInformer } from "../../informer/index.js";
import type { BuiltInController, ControllerContext, InspectableQueue } from "../kit/context.js";
import { claimable, controlledBy, indexByController } from "../kit/controller-index.js";
import { writeStatus } from "../kit/status.js";
import { KeyLoop, type SyncOutcome } from "../kit/key-loop.js";
import { ownedHandler } from "../kit/owned-handler.js";
import { primaryHandler } from "../kit/primary-handler.js";
import { adoptAndRelease } from "../ownership/adopt.js";
import { claim } from "../ownership/claim.js";
import { type PodControl, podControl } from "../pods/pod-control.js";
import { isActive, isReady, isTerminating, nextAvailabilityMs } from "../pods/state.js";
import { type ActResult, actOnReplicas } from "./act.js";
import type { ReplicaKind } from "./kinds.js";
import { ageRatios, planReplicas, planStatus } from "./plan.js";

export class ReplicaController<T extends KubeObject> implements BuiltInController {
  readonly #context: ControllerContext;
  readonly #kind: ReplicaKind<T>;
  readonly #sets: FactoryInformer<T>;
  readonly #pods: FactoryInformer<Pod>;
  readonly #expectations: Expectations;
  readonly #consistency: ConsistencyStore;
  readonly #control: PodControl;
  readonly #loop: KeyLoop;
  readonly #ageRatios: { observe(value: number): void };

  constructor(context: ControllerContext, kind: ReplicaKind<T>) {
    this.#context = context;
    this.#kind = kind;
    this.#sets = context.informers.informer(kind.type);
    this.#pods = context.informers.informer(Pod);
    indexByController(this.#sets);
    indexByController(this.#pods);
    this.#expectations = new Expectations({ clock: context.clock });
    this.#consistency = new ConsistencyStore({ pods: this.#pods.indexer, sets: this.#sets.indexer });
    this.#control = podControl(context.client, context.recorderFor(kind.component));
    const sync = (key: string, { signal }: { readonly signal: AbortSignal }) => this.#sync(key, signal);
    const subsystem = "replicaset_controller";
    this.#loop = new KeyLoop({
      context,
      name: kind.queueName,
      workers: 5,
      // as upstream has it, of ReplicaSets alone
      ...(kind.reportsTerminating ? { staleSyncs: { subsystem, resources: { pods: Pod, sets: kind.type } } } : {}),
      sync,
    });
    this.#ageRatios = context.metrics.histogram({
      name: `${subsystem}_sorting_deletion_age_ratio`,
      help: "How old ready pods were that were deleted as too many, as multiples of the youngest one's age",
      buckets: [0.25, 0.5, 1, 2, 4, 8],
    });
    this.#watchSets();
    this.#watchPods();
  }

  get queues(): readonly InspectableQueue[] {
    return this.#loop.queues;
  }

  run(signal: AbortSignal): Promise<void> {
    return this.#loop.run(signal);
  }

  #watchSets(): void {
    const forget = (set: T): void => this.#forget(metaNamespaceKey(set), set.metadata.uid);
    this.#sets.addEventHandler(primaryHandler<T>({ enqueue: this.#loop.enqueue, forget }), {
      name: this.#kind.queueName,
    });
  }

  #watchPods(): void {
    const handler = ownedHandler<Pod, T>({
      owners: this.#sets.indexer,
      ownerKind: this.#kind.type.kind,
      selectorOf: this.#kind.selectorOf,
      enqueue: (owner, change, pod, previous) => {
        const key = metaNamespaceKey(owner);
        if (change === "added") this.#expectations.creationObserved(key);
        if (change === "deleted") this.#expectations.deletionObserved(key, metaNamespaceKey(pod));
        this.#loop.add(key);
        if (previous === undefined) return;
        const { minReadySeconds } = this.#kind.replicatedOf(owner);
        // the pod becomes available by time alone, and no event will tell
        if (minReadySeconds > 0 && !isReady(previous) && isReady(pod)) {
          this.#loop.addAfter(key, minReadySeconds * 1000 + 1000);
        }
      },
    });
    this.#pods.addEventHandler(handler, { name: this.#kind.queueName });
  }

  #forget(key: string, uid?: string): void {
    this.#expectations.forget(key);
    this.#consistency.forget(key, uid);
  }

  async #sync(key: string, signal: AbortSignal): Promise<SyncOutcome | void> {
    this.#consistency.ensureReady(key);
    const set = this.#sets.indexer.get(key);
    if (set === undefined) return this.#forget(key);
    // before the pods are read: an event between the two must not be missed
    const satisfied = this.#expectations.satisfied(key);
    const selector = this.#kind.selectorOf(set);
    if (selector === undefined) return;
    const active = await this.#claimPods(key, set, selector, signal);
    const mayAct = satisfied && set.metadata.deletionTimestamp === undefined;
    const acted = mayAct ? await this.#manage(key, set, active, signal) : { failure: undefined };
    // what is counted now is old when the pods are seen, and that brings the set here again
    if (acted.expectsPods === true) return undefined;
    const requeueAfterMs = await this.#report(key, set, { active, acted, selector }, signal);
    if (acted.error !== undefined) throw acted.error;
    return requeueAfterMs === undefined ? undefined : { requeueAfterMs };
  }

  #wrotePod(key: string, set: T): (pod: Pod) => void {
    return ({ metadata: { resourceVersion } }) =>
      this.#consistency.wrote(key, set.metadata.uid ?? "", { resource: "pods", resourceVersion });
  }

  #claimPods(key: string, set: T, selector: Selector, signal: AbortSignal): Promise<readonly Pod[]> {
    const candidates = claimable(this.#pods.indexer, set).filter(isActive);
    return adoptAndRelease({
      client: this.#context.client,
      owner: set,
      ownerType: this.#kind.type,
      type: Pod,
      claim: claim({ owner: set, selector, candidates }),
      onWrite: this.#wrotePod(key, set),
      signal,
    });
  }

  #manage(key: string, set: T, active: readonly Pod[], signal: AbortSignal): Promise<ActResult> {
    const now = this.#context.clock.now();
    const plan = planReplicas(this.#kind.replicatedOf(set), active, this.#relatedPods(set), now);
    if (plan.type === "delete") for (const ratio of ageRatios(plan.pods, active, now)) this.#ageRatios.observe(ratio);
    return actOnReplicas(plan, {
      key,
      owner: set,
      template: this.#kind.templateOf(set),
      pods: this.#control,
      expectations: this.#expectations,
      onCreated: this.#wrotePod(key, set),
      signal,
    });
  }

  /** All active pods of the same application: those of every set that has the same controller. */
  #relatedPods(set: T): readonly Pod[] {
    const controller = controllerOf(set)?.uid;
    const siblings = controller === undefined ? [set] : controlledBy(this.#sets.indexer, controller);
    return siblings.flatMap(({ metadata }) => controlledBy(this.#pods.indexer, metadata.uid)).filter(isActive);
  }

  /** Writes the status if it changed; gives the time until it changes by itself. */
  async #report(
    key: string,
    set: T,
    { active, acted, selector }: { active: readonly Pod[]; acted: ActResult; selector: Selector },
    signal: AbortSignal,
  ): Promise<number | undefined> {
    const now = this.#context.clock.now();
    const replicated = this.#kind.replicatedOf(set);
    const going = controlledBy(this.#pods.indexer, set.metadata.uid).filter(
      (pod) => isTerminating(pod) && selector.matches(pod.metadata.labels),
    );
    const terminating = this.#kind.reportsTerminating ? going.length : undefined;
    const status = planStatus(replicated, { active, terminating, failure: acted.failure }, now);
    if (status !== undefined) {
      const { resourceVersion } = (
        await writeStatus({
          client: this.#context.client,
          type: this.#kind.type,
          object: set,
          withStatus: (one) => this.#kind.withStatus(one, status),
          signal,
        })
      ).metadata;
      this.#consistency.wrote(key, set.metadata.uid ?? "", { resource: "sets", resourceVersion });
    }
    const { readyReplicas = 0, availableReplicas = 0 } = status ?? replicated.status ?? { replicas: 0 };
    if (replicated.minReadySeconds === 0 || readyReplicas === availableReplicas) return undefined;
    return nextAvailabilityMs(active, replicated.minReadySeconds, now) ?? replicated.minReadySeconds * 1000;
  }
}
