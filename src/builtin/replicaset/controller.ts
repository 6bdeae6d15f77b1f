/** Watches sets and their pods, and syncs one set at a time: observe, plan, act, write the status. */
import { controllerOf, isDeleting, type KubeObject, Pod, type Selector } from "../../api/index.js";
import type { KeyLoop, KeyRun, SyncResult } from "../../controller/index.js";
import type { FactoryInformer } from "../../informer/index.js";
import type { BuiltInController, ControllerContext, Recorder } from "../kit/context.js";
import { objectLoop } from "../kit/loops.js";
import { writeStatus } from "../kit/status.js";
import { controlledBy, indexByController, OwnedObjects } from "../ownership/owned.js";
import { PodControl } from "../pods/pod-control.js";
import { isActive, isTerminating, nextAvailabilityMs } from "../pods/state.js";
import { wakeWhenAvailable } from "../pods/wake-when-available.js";
import { type ActResult, actOnReplicas } from "./act.js";
import type { ReplicaKind } from "./kinds.js";
import { ageRatios, planReplicas, planStatus } from "./plan.js";

export class ReplicaController<T extends KubeObject> implements BuiltInController {
  readonly #context: ControllerContext;
  readonly #kind: ReplicaKind<T>;
  readonly #sets: FactoryInformer<T>;
  readonly #pods: OwnedObjects<Pod, T>;
  readonly #recorder: Recorder;
  readonly loops: readonly KeyLoop[];
  readonly #ageRatios: { observe(value: number): void };

  constructor(context: ControllerContext, kind: ReplicaKind<T>) {
    this.#context = context;
    this.#kind = kind;
    const pods = context.informers.informer(Pod);
    this.#sets = context.informers.informer(kind.type);
    this.#pods = new OwnedObjects({ owners: this.#sets, objects: pods, selectorOf: kind.selectorOf });
    indexByController(this.#sets);
    this.#recorder = context.recorderFor(kind.component);
    const subsystem = "replicaset_controller";
    const loop = objectLoop(context, this.#sets, {
      name: kind.queueName,
      workers: 5,
      awaits: [pods, this.#sets],
      // upstream counts these for ReplicaSets only
      ...(kind.reportsTerminating ? { subsystem } : {}),
      sync: (set, run) => this.#sync(set, run),
    });
    this.loops = [loop];
    this.#ageRatios = context.metrics.histogram({
      name: `${subsystem}_sorting_deletion_age_ratio`,
      help: "How old ready pods were that were deleted as too many, as multiples of the youngest one's age",
      buckets: [0.25, 0.5, 1, 2, 4, 8],
    });
    loop.follow(this.#sets);
    this.#pods.wakeOwners(
      loop,
      wakeWhenAvailable((set) => kind.replicatedOf(set).minReadySeconds),
    );
  }

  async #sync(set: T, run: KeyRun): Promise<SyncResult | void> {
    const selector = this.#kind.selectorOf(set);
    if (selector === undefined) return;
    const active = await this.#pods.claim(set, run, { candidates: this.#pods.claimable(set).filter(isActive) });
    const mayAct = !isDeleting(set);
    const acted = mayAct ? await this.#manage(set, active, run) : { failure: undefined };
    // the events of the created pods will sync the set again, and these counts would be outdated by then
    if (acted.expectsPods === true) return undefined;
    const requeueAfterMs = await this.#report(set, { active, acted, selector }, run);
    if (acted.error !== undefined) throw acted.error;
    return { requeueAfterMs };
  }

  #manage(set: T, active: readonly Pod[], { client }: KeyRun): Promise<ActResult> {
    const now = this.#context.clock.now();
    const plan = planReplicas(this.#kind.replicatedOf(set), active, this.#relatedPods(set), now);
    if (plan.type === "delete") for (const ratio of ageRatios(plan.pods, active, now)) this.#ageRatios.observe(ratio);
    return actOnReplicas(plan, {
      owner: set,
      template: this.#kind.templateOf(set),
      pods: new PodControl(client, this.#recorder, set),
    });
  }

  /** All active pods of the same application: those of every set that has the same controller. */
  #relatedPods(set: T): readonly Pod[] {
    const controller = controllerOf(set)?.uid;
    const siblings = controller === undefined ? [set] : controlledBy(this.#sets, controller);
    return siblings.flatMap((one) => this.#pods.controlledBy(one)).filter(isActive);
  }

  /** Writes the status if it changed; gives the milliseconds until it changes by time alone. */
  async #report(
    set: T,
    { active, acted, selector }: { active: readonly Pod[]; acted: ActResult; selector: Selector },
    { client }: KeyRun,
  ): Promise<number | undefined> {
    const now = this.#context.clock.now();
    const replicated = this.#kind.replicatedOf(set);
    const going = this.#pods
      .controlledBy(set)
      .filter((pod) => isTerminating(pod) && selector.matches(pod.metadata.labels));
    const terminating = this.#kind.reportsTerminating ? going.length : undefined;
    const status = planStatus(replicated, { active, terminating, failure: acted.failure }, now);
    if (status !== undefined) {
      const withStatus = (one: T): T => this.#kind.withStatus(one, status);
      await writeStatus({ client, type: this.#kind.type, object: set, withStatus });
    }
    const { readyReplicas = 0, availableReplicas = 0 } = status ?? replicated.status ?? { replicas: 0 };
    if (replicated.minReadySeconds === 0 || readyReplicas === availableReplicas) return undefined;
    return nextAvailabilityMs(active, replicated.minReadySeconds, now) ?? replicated.minReadySeconds * 1000;
  }
}
