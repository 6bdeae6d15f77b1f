/** Watches DaemonSets, nodes and pods, and syncs one set at a time: history, placement, rolling update, status. */
import { ControllerRevision, DaemonSet, deepEqual, isDeleting, metaNamespaceKey, Node, Pod } from "../../api/index.js";
import type { KeyLoop, KeyRun, SyncResult } from "../../controller/index.js";
import type { FactoryInformer } from "../../informer/index.js";
import type { BuiltInController, ControllerContext, Recorder } from "../kit/context.js";
import { objectLoop } from "../kit/loops.js";
import { claimSelector } from "../kit/selector.js";
import { writeStatus } from "../kit/status.js";
import { OwnedObjects } from "../ownership/owned.js";
import { PodControl } from "../pods/pod-control.js";
import { wakeWhenAvailable } from "../pods/wake-when-available.js";
import { FailedPodBackoff } from "./failed-pod-backoff.js";
import { cleanUpHistory, constructHistory, type HistoryOptions } from "./history.js";
import { daemonPod, fitOf } from "./placement.js";
import { groupByNode, isRollingUpdate, type ObservedDaemonSet, planPlacement, planRollingUpdate } from "./plan.js";
import { planStatus } from "./status.js";
import { revisionHashOf } from "../history/revisions.js";

const burst = 250;

export class DaemonSetController implements BuiltInController {
  readonly #context: ControllerContext;
  readonly #pods: OwnedObjects<Pod, DaemonSet>;
  readonly #nodes: FactoryInformer<Node>;
  readonly #revisions: OwnedObjects<ControllerRevision, DaemonSet>;
  readonly #recorder: Recorder;
  readonly #failures: FailedPodBackoff;
  readonly loops: readonly KeyLoop[];

  constructor(context: ControllerContext) {
    const { informers, clock } = context;
    const pods = informers.informer(Pod);
    const owners = informers.informer(DaemonSet);
    this.#context = context;
    this.#nodes = informers.informer(Node);
    this.#pods = new OwnedObjects({ owners, objects: pods, selectorOf: claimSelector });
    const revisions = informers.informer(ControllerRevision);
    this.#revisions = new OwnedObjects({ owners, objects: revisions, selectorOf: claimSelector });
    this.#recorder = context.recorderFor("daemonset-controller");
    this.#failures = new FailedPodBackoff(clock);
    const loop = objectLoop(context, owners, {
      name: "daemonset",
      workers: 2,
      awaits: [pods, owners],
      subsystem: "daemonset_controller",
      sync: (set, run) => this.#sync(set, run),
    });
    this.loops = [loop];
    loop.follow(owners);
    // of a pod that surges beside an old one no count shows that it waits to become available
    this.#pods.wakeOwners(
      loop,
      wakeWhenAvailable(({ spec }) => spec?.minReadySeconds),
    );
    this.#revisions.wakeOwners(loop, (set, { type }, wake) => {
      if (type !== "added") wake(metaNamespaceKey(set));
    });
    loop.watch(this.#nodes, (change, wake) => {
      const { object: node } = change;
      if (change.type === "resync" || (change.type === "updated" && hostsAlike(change.previous, node))) return;
      for (const set of owners.indexer.list()) {
        if (change.type === "deleted" || this.#matters(node, set)) wake(metaNamespaceKey(set));
      }
    });
  }

  /** Whether the node makes a difference to the set. */
  #matters(node: Node, set: DaemonSet): boolean {
    const { shouldRun, shouldContinue } = fitOf(set)(node);
    const present = groupByNode(this.#pods.claimable(set)).has(node.metadata.name);
    const misplaced = present && (!shouldContinue || (set.status?.numberMisscheduled ?? 0) > 0);
    return (shouldRun && !present) || misplaced;
  }

  async #sync(set: DaemonSet, run: KeyRun): Promise<SyncResult | void> {
    const { client } = run;
    const selector = claimSelector(set);
    if (selector === undefined) {
      const message = "This daemon set is selecting all pods. A non-empty selector is required.";
      return this.#recorder.warning(set, "SelectingAll", message);
    }
    if (isDeleting(set)) return;
    const pods = await this.#pods.claim(set, run);
    const revisions = await this.#revisions.claim(set, run);
    const historyOptions: HistoryOptions = { client, set, revisions, pods };
    const history = await constructHistory(historyOptions);
    const nodes = this.#nodes.indexer.list();
    const observed = { set, nodes, podsByNode: groupByNode(pods), hash: revisionHashOf(history.current) };
    let failure: unknown;
    let retryAfterMs: number | undefined;
    try {
      retryAfterMs = await this.#place(observed, run);
      if (run.caughtUp && isRollingUpdate(set)) {
        // read again: pods created or deleted a moment ago are in the cache by now
        const mine = this.#pods.controlledBy(set);
        const podsByNode = groupByNode(mine.filter(({ metadata }) => selector.matches(metadata.labels)));
        const plan = planRollingUpdate({ ...observed, podsByNode }, this.#context.clock.now());
        await this.#syncPods(observed, plan, run);
      }
      await cleanUpHistory(historyOptions, history);
    } catch (error) {
      failure = error;
    }
    const availableAfterMs = await this.#report(observed, run);
    if (failure !== undefined) throw failure as Error;
    const waits = [retryAfterMs, availableAfterMs].filter((ms) => ms !== undefined);
    return waits.length === 0 ? {} : { requeueAfterMs: Math.max(1, Math.min(...waits)) };
  }

  /** Creates and deletes pods. Gives the milliseconds after which a failed pod that is in back-off may be replaced. */
  async #place(observed: ObservedDaemonSet, run: KeyRun): Promise<number | undefined> {
    const { set } = observed;
    const plan = planPlacement(observed, this.#context.clock.now());
    const { due, retryAfterMs } = this.#failures.judge(set, plan.failed);
    for (const pod of due) this.#reportEnded(set, pod, "failed");
    for (const pod of plan.succeeded) this.#reportEnded(set, pod, "succeeded");
    await this.#syncPods(observed, { ...plan, delete: [...plan.delete, ...due, ...plan.succeeded] }, run);
    return retryAfterMs;
  }

  #reportEnded(set: DaemonSet, { metadata, spec }: Pod, how: "failed" | "succeeded"): void {
    const pod = `Found ${how} daemon pod ${metadata.namespace}/${metadata.name} on node ${spec?.nodeName}`;
    if (how === "failed") this.#recorder.warning(set, "FailedDaemonPod", `${pod}, will try to kill it`);
    else this.#recorder.normal(set, "SucceededDaemonPod", `${pod}, will try to delete it`);
  }

  async #syncPods(
    { set, hash }: ObservedDaemonSet,
    plan: { readonly create: readonly string[]; readonly delete: readonly Pod[] },
    { client }: KeyRun,
  ): Promise<void> {
    const control = new PodControl(client, this.#recorder, set);
    const create = plan.create.slice(0, burst);
    const creating = control.create(create.length, (i) => daemonPod(set, create[i] as string, hash));
    const [{ error }, failures] = await Promise.all([creating, control.delete(plan.delete.slice(0, burst))]);
    const all = error === undefined ? failures : [error, ...failures];
    if (all.length > 0) throw new AggregateError(all, `${all.length} pods could not be made or deleted`);
  }

  /** Writes the status if it changed; gives the time until it changes by itself. */
  async #report(observed: ObservedDaemonSet, { client }: KeyRun): Promise<number | undefined> {
    const { set } = observed;
    const status = planStatus(observed, this.#context.clock.now());
    if (status !== undefined) {
      await writeStatus({ client, type: DaemonSet, object: set, withStatus: (one) => ({ ...one, status }) });
    }
    const { minReadySeconds = 0 } = set.spec ?? {};
    const { numberReady = 0, numberAvailable = 0 } = status ?? set.status ?? {};
    return minReadySeconds > 0 && numberReady !== numberAvailable ? minReadySeconds * 1000 : undefined;
  }
}

/** No set would treat the two states of a node differently. */
const hostsAlike = (previous: Node, node: Node): boolean =>
  deepEqual(previous.metadata.labels, node.metadata.labels) && deepEqual(previous.spec?.taints, node.spec?.taints);
