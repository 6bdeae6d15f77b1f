/** The taint eviction controller: deletes pods from nodes whose NoExecute taints they do not, or no longer, tolerate. */
import { deepEqual, formatTime, metaNamespaceKey, Node, Pod, type Taint } from "../../api/index.js";
import type { WorkClient } from "../../client/index.js";
import type { KeyLoop, KeyRun, SyncResult, Wake } from "../../controller/index.js";
import type { FactoryInformer } from "../../informer/index.js";
import type { BuiltInController, ControllerContext, Recorder } from "../kit/context.js";
import { objectLoop } from "../kit/loops.js";
import { indexByNode, podsOnNode } from "../../placement/pods-by-node.js";
import { noExecuteTaints, toleranceOf } from "./tolerance.js";
import { evict } from "../pods/evict.js";
import { observedGenerationOf } from "../pods/state.js";

interface Pending {
  readonly uid: string | undefined;
  readonly dueAt: number;
  /** True once the pod was deleted: it is deleted only once. */
  readonly done?: boolean;
}

export class TaintEviction implements BuiltInController {
  readonly #context: ControllerContext;
  readonly #pods: FactoryInformer<Pod>;
  readonly #nodes: FactoryInformer<Node>;
  readonly #recorder: Recorder;
  readonly loops: readonly KeyLoop[];
  readonly #deletions: { inc(): void };
  readonly #lateness: { observe(seconds: number): void };
  /**
   * By pod: when it must go. Set when its node is first seen with the taint, not moved by a later look, and kept until
   * the pod is gone.
   */
  readonly #pending = new Map<string, Pending>();

  constructor(context: ControllerContext) {
    this.#context = context;
    this.#pods = context.informers.informer(Pod);
    this.#nodes = context.informers.informer(Node);
    indexByNode(this.#pods);
    this.#recorder = context.recorderFor("taint-eviction-controller");
    this.#deletions = context.metrics.counter({
      name: "taint_eviction_controller_pod_deletions_total",
      help: "Pods that were deleted for a taint",
    });
    this.#lateness = context.metrics.histogram({
      name: "taint_eviction_controller_pod_deletion_duration_seconds",
      help: "How long after its time a pod was deleted",
      buckets: [0.005, 0.025, 0.1, 0.5, 1, 2.5, 10, 30, 60, 120, 180, 240],
    });
    const sync = (pod: Pod, run: KeyRun) => this.#sync(pod, run);
    const loop = objectLoop(context, this.#pods, { name: "noexec_taint_pod", workers: 8, sync });
    this.loops = [loop];
    loop.watch(this.#pods, (change, wake) => {
      const { object: pod } = change;
      if (change.type === "deleted") return this.#cancel(metaNamespaceKey(pod), pod);
      if (change.type === "resync") return;
      const isSame =
        change.type === "updated" &&
        change.previous.metadata.uid === pod.metadata.uid &&
        change.previous.spec?.nodeName === pod.spec?.nodeName &&
        deepEqual(change.previous.spec?.tolerations, pod.spec?.tolerations);
      if (!isSame) this.#consider(pod, wake);
    });
    loop.watch(this.#nodes, (change, wake) => {
      if (change.type === "deleted" || change.type === "resync") return;
      const before = change.type === "updated" ? noExecuteTaints(change.previous) : [];
      if (deepEqual(before, noExecuteTaints(change.object))) return;
      for (const pod of podsOnNode(this.#pods.indexer, change.object.metadata.name)) wake(metaNamespaceKey(pod));
    });
  }

  /** Undefined if the node is not in the cache: the earlier decision then stands. */
  #taintsOf({ spec }: Pod): readonly Taint[] | undefined {
    const node = spec?.nodeName ? this.#nodes.indexer.get(spec.nodeName) : undefined;
    return node && noExecuteTaints(node);
  }

  #consider(pod: Pod, wake: Wake): void {
    const tainted = (this.#taintsOf(pod) ?? []).length > 0;
    if (this.#pending.has(metaNamespaceKey(pod)) || tainted) wake(metaNamespaceKey(pod));
  }

  async #sync(pod: Pod, { key, client }: KeyRun): Promise<SyncResult | void> {
    const { uid } = pod.metadata;
    if (this.#pending.get(key)?.uid !== uid) this.#pending.delete(key);
    const pending = this.#pending.get(key);
    const taints = this.#taintsOf(pod);
    if (taints === undefined && pending === undefined) return;
    const tolerance = taints === undefined ? { seconds: 0 } : toleranceOf(taints, pod.spec?.tolerations);
    if (tolerance === "forever") return this.#cancel(key, pod);
    if (pending?.done) return;
    const now = this.#context.clock.now();
    if (tolerance === "not") this.#cancel(key, pod);
    const dueAt = tolerance === "not" ? now : (pending?.dueAt ?? now + tolerance.seconds * 1000);
    if (dueAt > now) {
      this.#pending.set(key, { uid, dueAt });
      return { requeueAfterMs: dueAt - now };
    }
    await this.#evict(pod, client);
    this.#deletions.inc();
    this.#lateness.observe((this.#context.clock.now() - dueAt) / 1000);
    if (this.#pods.indexer.has(key)) this.#pending.set(key, { uid, dueAt, done: true });
    else this.#pending.delete(key);
  }

  /** Drops the pod's planned deletion, and records an event if it had not happened yet. */
  #cancel(key: string, pod: Pod): void {
    const pending = this.#pending.get(key);
    this.#pending.delete(key);
    if (pending === undefined || pending.done) return;
    this.#recorder.normal(pod, "TaintManagerEviction", `Cancelling deletion of Pod ${key}`);
  }

  async #evict(pod: Pod, client: WorkClient): Promise<void> {
    this.#recorder.normal(pod, "TaintManagerEviction", `Marking for deletion Pod ${metaNamespaceKey(pod)}`);
    const why = {
      reason: "DeletionByTaintManager",
      message: "Taint manager: deleting due to NoExecute taint",
      lastTransitionTime: formatTime(this.#context.clock.now()),
      ...observedGenerationOf(pod),
    };
    await evict(pod, why, client);
  }
}
