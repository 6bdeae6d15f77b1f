/**
 * The times of the changes that lead to new endpoints: takes a service and its pods at each sync, gives the time for
 * the trigger annotation.
 */
import { formatTime, parseTime, type Pod, type Service } from "../../api/index.js";
import { readyCondition } from "../pods/state.js";

export const triggerTimeAnnotation = "endpoints.kubernetes.io/last-change-trigger-time";

interface Known {
  readonly service: number;
  readonly pods: ReadonlyMap<string, number>;
}

/**
 * Holds, by service, the times that the last sync saw. The answer is the oldest time that is new since then; for a
 * service seen for the first time, its creation.
 */
export class TriggerTimes {
  readonly #known = new Map<string, Known>();

  /** Undefined if nothing with a time has changed. */
  next(key: string, service: Service, pods: readonly Pod[]): string | undefined {
    const before = this.#known.get(key);
    const times = new Map<string, number>();
    let oldest = Number.POSITIVE_INFINITY;
    for (const pod of pods) {
      const { lastTransitionTime } = readyCondition(pod) ?? {};
      if (lastTransitionTime === undefined) continue;
      const at = parseTime(lastTransitionTime);
      times.set(pod.metadata.name, at);
      if (at > (before?.pods.get(pod.metadata.name) ?? Number.NEGATIVE_INFINITY)) oldest = Math.min(oldest, at);
    }
    const created = parseTime(service.metadata.creationTimestamp ?? formatTime(0));
    if (created > (before?.service ?? Number.NEGATIVE_INFINITY)) oldest = Math.min(oldest, created);
    this.#known.set(key, { service: created, pods: times });
    if (before === undefined) return formatTime(created);
    return Number.isFinite(oldest) ? formatTime(oldest) : undefined;
  }

  forget(key: string): void {
    this.#known.delete(key);
  }
}

/** The annotations with this trigger time, or without one if `time` is undefined. */
export function withTriggerTime(
  annotations: Readonly<Record<string, string>> | undefined,
  time: string | undefined,
): Readonly<Record<string, string>> {
  const { [triggerTimeAnnotation]: _before, ...others } = annotations ?? {};
  return time === undefined ? others : { ...others, [triggerTimeAnnotation]: time };
}
