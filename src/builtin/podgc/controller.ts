/** The pod garbage collector: removes pods whose node is gone, pods that are stuck, and surplus finished pods. */
import { formatTime, isNotFound, Node, Pod } from "../../api/index.js";
import { defined } from "../../base/defined.js";
import type { Counter } from "../../base/index.js";
import type { KeyLoop, KeyRun } from "../../controller/index.js";
import type { BuiltInController, ControllerContext } from "../kit/context.js";
import { keyLoop } from "../kit/loops.js";
import { isTerminal, observedGenerationOf } from "../pods/state.js";
import { type GarbagePod, missingNodes, stuckPods, terminatedPods } from "./plan.js";

const roundMs = 20_000;
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
    const pods = this.#pods.indexer.list();
    const nodes = new Map(this.#nodes.indexer.list().map((node) => [node.metadata.name, node]));
    const orphaned = await this.#orphanedPods(pods, nodes, run);
    for (const garbage of [...terminatedPods(pods, defaultThreshold), ...stuckPods(pods, nodes), ...orphaned]) {
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

  async #orphanedPods(
    pods: readonly Pod[],
    nodes: ReadonlyMap<string, Node>,
    run: KeyRun,
  ): Promise<readonly GarbagePod[]> {
    const now = this.#context.clock.monotonic();
    const missing = missingNodes(pods, nodes);
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
    return pods.filter(({ spec }) => gone.has(spec?.nodeName ?? "")).map((pod) => ({ pod, reason: "orphaned" }));
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
