/** Watches DaemonSets, nodes and pods, and syncs one set at a time: history, placement, rolling update, status. */
import {
  ControllerRevision,
  DaemonSet,
  deepEqual,
  isNotFound,
  metaNamespaceKey,
  Node,
  Pod,
  type Selector,
} from "../../api/index.js";
import { ConsistencyStore } from "../../controller/consistency.js";
import { Expectations } from "../../controller/expectations.js";
import type { FactoryInformer } from "../../informer/index.js";
import type { BuiltInController, ControllerContext, InspectableQueue, Recorder } from "../kit/context.js";
import { claimable, controlledBy, indexByController } from "../kit/controller-index.js";
import { claimSelector } from "../kit/selector.js";
import { writeStatus } from "../kit/status.js";
import { KeyLoop, type SyncOutcome } from "../kit/key-loop.js";
import { ownedHandler } from "../kit/owned-handler.js";
import { primaryHandler } from "../kit/primary-handler.js";
import { adoptAndRelease } from "../ownership/adopt.js";
import { claim } from "../ownership/claim.js";
import { isNamespaceTerminating, type PodControl, podControl } from "../pods/pod-control.js";
import { slowStart } from "../pods/slow-start.js";
import { cleanUpHistory, constructHistory, hashOf, type HistoryOptions } from "./history.js";
import { FailedPodBackoff } from "./failed-pod-backoff.js";
import { daemonPod, fitOf } from "./placement.js";
import { groupByNode, isRollingUpdate, type ObservedDaemonSet, planPlacement, planRollingUpdate } from "./plan.js";
import { planStatus } from "./status.js";
import { isReady } from "../pods/state.js";

const burst = 250;

export class DaemonSetController implements BuiltInController {
  readonly #context: ControllerContext;
  readonly #sets: FactoryInformer<DaemonSet>;
  readonly #pods: FactoryInformer<Pod>;
  readonly #nodes: FactoryInformer<Node>;
  readonly #revisions: FactoryInformer<ControllerRevision>;
  readonly #expectations: Expectations;
  readonly #consistency: ConsistencyStore;
  readonly #recorder: Recorder;
  readonly #control: PodControl;
  readonly #failures: FailedPodBackoff;
  readonly #loop: KeyLoop;

  constructor(context: ControllerContext) {
    const { informers, clock } = context;
    this.#context = context;
    this.#sets = informers.informer(DaemonSet);
    this.#pods = informers.informer(Pod);
    this.#nodes = informers.informer(Node);
    this.#revisions = informers.informer(ControllerRevision);
    indexByController(this.#pods);
    indexByController(this.#revisions);
    this.#expectations = new Expectations({ clock });
    this.#consistency = new ConsistencyStore({ pods: this.#pods.indexer, sets: this.#sets.indexer });
    this.#recorder = context.recorderFor("daemonset-controller");
    this.#control = podControl(context.client, this.#recorder);
    this.#failures = new FailedPodBackoff(clock);
    const sync = (key: string, { signal }: { readonly signal: AbortSignal }) => this.#sync(key, signal);
    const staleSyncs = { subsystem: "daemonset_controller", resources: { pods: Pod, sets: DaemonSet } };
    this.#loop = new KeyLoop({ context, name: "daemonset", workers: 2, staleSyncs, sync });
    this.#watch();
  }

  get queues(): readonly InspectableQueue[] {
    return this.#loop.queues;
  }

  run(signal: AbortSignal): Promise<void> {
    return this.#loop.run(signal);
  }

  #watch(): void {
    const name = "daemonset";
    const forget = (set: DaemonSet): void => this.#forget(metaNamespaceKey(set), set.metadata.uid);
    this.#sets.addEventHandler(primaryHandler<DaemonSet>({ enqueue: this.#loop.enqueue, forget }), { name });
    const owners = { owners: this.#sets.indexer, ownerKind: "DaemonSet", selectorOf: claimSelector };
    this.#pods.addEventHandler(
      ownedHandler<Pod, DaemonSet>({
        ...owners,
        enqueue: (set, change, pod, previous) => {
          const key = metaNamespaceKey(set);
          if (change === "added") this.#expectations.creationObserved(key);
          if (change === "deleted") this.#expectations.deletionObserved(key, metaNamespaceKey(pod));
          this.#loop.add(key);
          const { minReadySeconds = 0 } = set.spec ?? {};
          // a pod that surges beside an old one becomes available by time alone, and no count shows that it waits
          if (minReadySeconds > 0 && previous !== undefined && !isReady(previous) && isReady(pod)) {
            this.#loop.addAfter(key, minReadySeconds * 1000 + 1000);
          }
        },
      }),
      { name },
    );
    this.#revisions.addEventHandler(
      ownedHandler<ControllerRevision, DaemonSet>({
        ...owners,
        enqueue: (set, change) => {
          if (change !== "added") this.#loop.enqueue(set);
        },
      }),
      { name },
    );
    this.#nodes.addEventHandler(
      {
        onAdd: (node) => this.#wakeFor(node),
        onUpdate: (previous, node) => {
          const same =
            deepEqual(previous.metadata.labels, node.metadata.labels) &&
            deepEqual(previous.spec?.taints, node.spec?.taints);
          if (!same) this.#wakeFor(node);
        },
        onDelete: () => {
          for (const set of this.#sets.indexer.list()) this.#loop.enqueue(set);
        },
      },
      { name },
    );
  }

  /** Only sets for which the node makes a difference. */
  #wakeFor(node: Node): void {
    for (const set of this.#sets.indexer.list()) {
      const { shouldRun, shouldContinue } = fitOf(set)(node);
      const present = groupByNode(claimable(this.#pods.indexer, set)).has(node.metadata.name);
      const misplaced = present && (!shouldContinue || (set.status?.numberMisscheduled ?? 0) > 0);
      if ((shouldRun && !present) || misplaced) this.#loop.enqueue(set);
    }
  }

  #forget(key: string, uid?: string): void {
    this.#expectations.forget(key);
    this.#consistency.forget(key, uid);
  }

  async #sync(key: string, signal: AbortSignal): Promise<SyncOutcome | void> {
    this.#consistency.ensureReady(key);
    const set = this.#sets.indexer.get(key);
    if (set === undefined) return this.#forget(key);
    const selector = claimSelector(set);
    if (selector === undefined) {
      const message = "This daemon set is selecting all pods. A non-empty selector is required.";
      return this.#recorder.warning(set, "SelectingAll", message);
    }
    if (set.metadata.deletionTimestamp !== undefined) return;
    const satisfied = this.#expectations.satisfied(key);
    const pods = await this.#claimPods(key, set, selector, signal);
    const historyOptions: HistoryOptions = {
      client: this.#context.client,
      set,
      revisions: await this.#claimRevisions(set, selector, signal),
      pods,
      signal,
    };
    const history = await constructHistory(historyOptions);
    const nodes = this.#nodes.indexer.list();
    const observed = { set, nodes, podsByNode: groupByNode(pods), hash: hashOf(history.current) };
    if (!satisfied) return this.#report(key, observed, false, signal);
    let failure: unknown;
    try {
      const retryAfterMs = await this.#place(key, observed, signal);
      if (this.#expectations.satisfied(key) && isRollingUpdate(set)) {
        // read anew: what was placed or removed a moment ago is in the cache by now
        const mine = controlledBy(this.#pods.indexer, set.metadata.uid);
        const podsByNode = groupByNode(mine.filter(({ metadata }) => selector.matches(metadata.labels)));
        const plan = planRollingUpdate({ ...observed, podsByNode }, this.#context.clock.now());
        await this.#syncPods(key, observed, plan, signal);
      }
      await cleanUpHistory(historyOptions, history);
      if (retryAfterMs !== undefined) this.#loop.addAfter(key, retryAfterMs);
    } catch (error) {
      failure = error;
    }
    const outcome = await this.#report(key, observed, true, signal);
    if (failure !== undefined) throw failure as Error;
    return outcome;
  }

  #wrotePod(key: string, set: DaemonSet): (pod: Pod) => void {
    return ({ metadata: { resourceVersion } }) =>
      this.#consistency.wrote(key, set.metadata.uid ?? "", { resource: "pods", resourceVersion });
  }

  #claimPods(key: string, set: DaemonSet, selector: Selector, signal: AbortSignal): Promise<readonly Pod[]> {
    return adoptAndRelease({
      client: this.#context.client,
      owner: set,
      ownerType: DaemonSet,
      type: Pod,
      claim: claim({ owner: set, selector, candidates: claimable(this.#pods.indexer, set) }),
      onWrite: this.#wrotePod(key, set),
      signal,
    });
  }

  #claimRevisions(set: DaemonSet, selector: Selector, signal: AbortSignal): Promise<readonly ControllerRevision[]> {
    return adoptAndRelease({
      client: this.#context.client,
      owner: set,
      ownerType: DaemonSet,
      type: ControllerRevision,
      claim: claim({ owner: set, selector, candidates: claimable(this.#revisions.indexer, set) }),
      signal,
    });
  }

  /** Gives the time after which a failed pod, spared for now, may be replaced. */
  async #place(key: string, observed: ObservedDaemonSet, signal: AbortSignal): Promise<number | undefined> {
    const { set } = observed;
    const plan = planPlacement(observed, this.#context.clock.now());
    const { due, retryAfterMs } = this.#failures.judge(set, plan.failed);
    for (const pod of due) this.#reportEnded(set, pod, "failed");
    for (const pod of plan.succeeded) this.#reportEnded(set, pod, "succeeded");
    await this.#syncPods(key, observed, { ...plan, delete: [...plan.delete, ...due, ...plan.succeeded] }, signal);
    return retryAfterMs;
  }

  #reportEnded(set: DaemonSet, { metadata, spec }: Pod, how: "failed" | "succeeded"): void {
    const pod = `Found ${how} daemon pod ${metadata.namespace}/${metadata.name} on node ${spec?.nodeName}`;
    if (how === "failed") this.#recorder.warning(set, "FailedDaemonPod", `${pod}, will try to kill it`);
    else this.#recorder.normal(set, "SucceededDaemonPod", `${pod}, will try to delete it`);
  }

  async #syncPods(
    key: string,
    { set, hash }: ObservedDaemonSet,
    plan: { readonly create: readonly string[]; readonly delete: readonly Pod[] },
    signal: AbortSignal,
  ): Promise<void> {
    const create = plan.create.slice(0, burst);
    const victims = plan.delete.slice(0, burst);
    if (create.length === 0 && victims.length === 0) return;
    this.#expectations.expect(key, create.length, victims.map(metaNamespaceKey));
    const creating = slowStart(create.length, async (i) => {
      try {
        this.#wrotePod(key, set)(await this.#control.create(set, daemonPod(set, create[i] as string, hash), signal));
      } catch (error) {
        this.#expectations.creationObserved(key);
        if (!isNamespaceTerminating(error)) throw error;
      }
    });
    const deleting = Promise.all(
      victims.map(async (pod) => {
        try {
          await this.#control.delete(set, pod, signal);
          return undefined;
        } catch (error) {
          this.#expectations.deletionObserved(key, metaNamespaceKey(pod));
          return isNotFound(error) ? undefined : error;
        }
      }),
    );
    const [{ skipped, error }, failures] = await Promise.all([creating, deleting]);
    this.#expectations.creationObserved(key, skipped);
    const all = [error, ...failures].filter((failure) => failure !== undefined);
    if (all.length > 0) throw new AggregateError(all, `${all.length} pods could not be made or deleted`);
  }

  async #report(
    key: string,
    observed: ObservedDaemonSet,
    observeGeneration: boolean,
    signal: AbortSignal,
  ): Promise<SyncOutcome | void> {
    const { set } = observed;
    const status = planStatus(observed, observeGeneration, this.#context.clock.now());
    if (status !== undefined) {
      const { resourceVersion } = (
        await writeStatus({
          client: this.#context.client,
          type: DaemonSet,
          object: set,
          withStatus: (one) => ({ ...one, status }),
          signal,
        })
      ).metadata;
      this.#consistency.wrote(key, set.metadata.uid ?? "", { resource: "sets", resourceVersion });
    }
    const { minReadySeconds = 0 } = set.spec ?? {};
    const { numberReady = 0, numberAvailable = 0 } = status ?? set.status ?? {};
    return minReadySeconds > 0 && numberReady !== numberAvailable
      ? { requeueAfterMs: minReadySeconds * 1000 }
      : undefined;
  }
}
