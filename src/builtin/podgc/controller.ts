/** The pod garbage collector: removes pods whose node is gone, pods that are stuck, and surplus finished pods. */
import { formatTime, isDeleting, isNotFound, Node, Pod } from "../../api/index.js";
import { defined } from "../../base/defined.js";
import type { Counter } from "../../base/index.js";
import type { KeyLoop, KeyRun } from "../../controller/index.js";
import type { BuiltInController, ControllerContext } from "../kit/context.js";
import { keyLoop } from "../kit/loops.js";
import { isTerminal, observedGenerationOf } from "../pods/state.js";
import { indexByNode, nodesOfPods, podsOnNode } from "../../placement/pods-by-node.js";
import { type GarbagePod, missingNodes, stuckPods, terminatedPods } from "./plan.js";

const roundMs = 20_000;
/** Of all pods, few are finished or going: a round looks at these alone, and at the nodes that pods name. */
const stateIndex = "pod-gc-state";
const statesOf = (pod: Pod): readonly string[] => [
  ...(isTerminal(pod) ? ["finished"] : []),
  ...(isDeleting(pod) ? ["going"] : []),
];
/** A node that is missing in the cache may only be late: it must be missing for this time before its pods are touched. */
const quarantineMs = 40_000;
const defaultThreshold = 12_500;

export class PodGc implements BuiltInController {
  readonly loops: readonly KeyLoop[];
  readonly #context: ControllerContext;
  readonly #pods;
  readonly #nodes;
  readonly #removed: Counter<"namespace" | "reason">;
  readonly #failures: Counter<"namespace" | "reason">;
  /** Missing nodes, with the time since when; a name is removed when its node is back or its pods are gone. */
  readonly #quarantine = new Map<string, number>();

  constructor(context: ControllerContext) {
    this.#context = context;
    this.#pods = context.informers.informer(Pod);
    this.#nodes = context.informers.informer(Node);
    indexByNode(this.#pods);
    this.#pods.addIndexers({ [stateIndex]: statesOf });
    const labels = ["namespace", "reason"] as const;
    const counter = (name: string, help: string) =>
      context.metrics.counter({ name: `pod_gc_collector_${name}`, help, labels });
    this.#removed = counter("force_delete_pods_total", "Pods that were removed without grace, and why");
    this.#failures = counter("force_delete_pod_errors_total", "Pods that could not be removed, and why");
    const loop = keyLoop(context, {
      name: "pod_gc",
      kind: "round",
      workers: 1,
      sync: async (run) => {
        await this.#round(run);
        return { requeueAfterMs: roundMs };
      },
    });
    loop.add("all pods");
    this.loops = [loop];
  }

  async #round(run: KeyRun): Promise<void> {
    const orphaned = await this.#orphanedPods(run);
    const finished = this.#pods.indexer.byIndex(stateIndex, "finished");
    const stuck = stuckPods(this.#pods.indexer.byIndex(stateIndex, "going"), this.#nodes.indexer);
    for (const garbage of [...terminatedPods(finished, defaultThreshold), ...stuck, ...orphaned]) {
      const { name, namespace = "" } = garbage.pod.metadata;
      const labels = { namespace, reason: garbage.reason };
      this.#removed.with(labels).inc();
      try {
        await this.#remove(garbage, run);
      } catch (error) {
        if (run.interrupted) throw error;
        this.#failures.with(labels).inc();
        this.#context.log.error("cannot remove a pod", { pod: `${namespace}/${name}`, reason: garbage.reason, error });
      }
    }
  }

  async #orphanedPods(run: KeyRun): Promise<readonly GarbagePod[]> {
    const now = this.#context.clock.monotonic();
    const missing = missingNodes(nodesOfPods(this.#pods.indexer), this.#nodes.indexer);
    for (const name of this.#quarantine.keys()) if (!missing.has(name)) this.#quarantine.delete(name);
    const gone = new Set<string>();
    for (const name of missing) {
      const since = this.#quarantine.get(name);
      if (since === undefined) this.#quarantine.set(name, now);
      else if (now - since >= quarantineMs) {
        // whatever the result, the next absence starts a new quarantine
        this.#quarantine.delete(name);
        if (await this.#isGone(name, run)) gone.add(name);
      }
    }
    return [...gone].flatMap((name) =>
      podsOnNode(this.#pods.indexer, name).map((pod) => ({ pod, reason: "orphaned" as const })),
    );
  }

  /** A node that cannot be read counts as existing, so that the other pods need not wait. */
  async #isGone(node: string, run: KeyRun): Promise<boolean> {
    try {
      return (await run.client.resource(Node).getOrUndefined(node)) === undefined;
    } catch (error) {
      if (run.interrupted) throw error;
      this.#context.log.error("cannot ask for a node", { node, error });
      return false;
    }
  }

  /** A pod that has not finished is first marked as failed, so that its owner learns of it. */
  async #remove({ pod, reason }: GarbagePod, { client }: KeyRun): Promise<void> {
    const pods = client.resource(Pod);
    try {
      if (!isTerminal(pod)) await pods.status.patch(pod.metadata, { strategic: { status: this.#failed(pod, reason) } });
      const preconditions = defined({ uid: pod.metadata.uid });
      await pods.delete(pod.metadata, { gracePeriodSeconds: 0, preconditions });
    } catch (error) {
      if (!isNotFound(error)) throw error;
    }
  }

  #failed(pod: Pod, reason: GarbagePod["reason"]): Readonly<Record<string, unknown>> {
    const observed = observedGenerationOf(pod);
    if (reason !== "orphaned") return { phase: "Failed", ...observed };
    const condition = {
      type: "DisruptionTarget",
      status: "True",
      reason: "DeletionByPodGC",
      message: "PodGC: node no longer exists",
      lastTransitionTime: formatTime(this.#context.clock.now()),
      ...observed,
    };
    return { phase: "Failed", ...observed, conditions: [condition] };
  }
}
