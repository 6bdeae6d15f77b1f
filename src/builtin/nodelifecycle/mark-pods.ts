/**
 * Marks the pods of an unhealthy node as not ready, whatever they reported last: takes pods, writes their status and
 * records events.
 */
import { findCondition, formatTime, isNotFound, Pod } from "../../api/index.js";
import { isAbortOf } from "../../base/index.js";
import type { KeyRun } from "../../controller/index.js";
import type { Recorder } from "../kit/context.js";

/** The clients, clock and signal of a run, or of a round over all nodes. */
export type Working = Pick<KeyRun, "client" | "clock" | "random" | "log" | "signal">;

/** Skips a pod that has no Ready condition. False if some pod could not be marked and must be tried again. */
export async function markNotReady(pods: readonly Pod[], working: Working, recorder: Recorder): Promise<boolean> {
  const { client, clock, log, signal } = working;
  let all = true;
  for (const pod of pods) {
    const ready = findCondition(pod.status?.conditions, "Ready");
    if (ready === undefined || ready.status === "False") continue;
    const condition = { type: "Ready", status: "False", lastTransitionTime: formatTime(clock.now()) };
    try {
      await client.resource(Pod).status.patch(pod.metadata, { strategic: { status: { conditions: [condition] } } });
      recorder.warning(pod, "NodeNotReady", "Node is not ready");
    } catch (error) {
      if (isAbortOf(signal, error)) throw error;
      if (isNotFound(error)) continue;
      log.warn("cannot mark a pod as not ready", { pod: pod.metadata.name, error });
      all = false;
    }
  }
  return all;
}
