/** Resets the DisruptionTarget condition of pods that were not deleted in time after all. */
import {
  findCondition,
  formatTime,
  isDeleting,
  isNotFound,
  metaNamespaceKey,
  parseTime,
  Pod,
  unless,
} from "../../api/index.js";
import type { KeyLoop, KeyRun, SyncResult } from "../../controller/index.js";
import type { ControllerContext } from "../kit/context.js";
import { objectLoop } from "../kit/loops.js";
import { isTerminal, observedGenerationOf } from "../pods/state.js";

const condition = "DisruptionTarget";
const timeoutMs = 2 * 60_000;

/** The kubelet may take any time to end a pod that it terminates itself. */
const byKubelet = "TerminationByKubelet";

/**
 * Milliseconds until the condition is stale; undefined for a pod without it, and for a pod that has ended or is being
 * deleted, or that its kubelet terminates.
 */
export function staleAfterMs(pod: Pod, now: number): number | undefined {
  const target = findCondition(pod.status?.conditions, condition);
  if (target?.status !== "True" || target.reason === byKubelet) return undefined;
  if (isDeleting(pod) || isTerminal(pod)) return undefined;
  return target.lastTransitionTime === undefined ? 0 : parseTime(target.lastTransitionTime) + timeoutMs - now;
}

export function staleTargets(context: ControllerContext): KeyLoop {
  const { informers, clock } = context;
  const pods = informers.informer(Pod);
  const loop = objectLoop(context, pods, { name: "stale_pod_disruption", workers: 1, sync });
  loop.watch(pods, ({ type, object }, wake) => {
    const ms = type === "deleted" ? undefined : staleAfterMs(object, clock.now());
    if (ms !== undefined) wake(metaNamespaceKey(object), ms);
  });

  async function sync(pod: Pod, { client }: KeyRun): Promise<SyncResult | void> {
    const ms = staleAfterMs(pod, clock.now());
    if (ms === undefined) return;
    if (ms > 0) return { requeueAfterMs: ms };
    const { uid } = pod.metadata;
    const not = {
      type: condition,
      status: "False",
      reason: null,
      message: null,
      lastTransitionTime: formatTime(clock.now()),
      ...observedGenerationOf(pod),
    };
    const patch = { strategic: { metadata: { uid }, status: { conditions: [not] } } };
    await client.resource(Pod).status.patch(pod.metadata, patch).catch(unless(isNotFound));
  }

  return loop;
}
