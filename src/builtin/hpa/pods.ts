/** Sorts the pods of a target by their part in a decision, and sums their requests. Pure. */
import { type Container, findCondition, parseTime, type Pod } from "../../api/index.js";
import { runningContainers } from "../../api/pods/containers.js";
import { milliOf, wrapped } from "./numbers.js";

/** The value of a metric for one pod, in thousandths. */
export interface PodReading {
  readonly value: bigint;
  /** The end of the measured interval, and its length, in milliseconds. */
  readonly timestamp: number;
  readonly windowMs: number;
}

export type PodReadings = ReadonlyMap<string, PodReading>;

export interface Readiness {
  /** The time after the start of a pod in which its CPU usage may be that of its initialisation. */
  readonly cpuInitializationMs: number;
  /** A change of readiness within this time after the start is the first one. */
  readonly initialReadinessMs: number;
}

export interface Grouped {
  readonly readyCount: number;
  /** Names of pods whose values do not count yet. */
  readonly unready: ReadonlySet<string>;
  /** Names of pods without a value. */
  readonly missing: ReadonlySet<string>;
  /** Names of pods that do not count at all: failed, or on their way out. */
  readonly ignored: ReadonlySet<string>;
}

export interface GroupingOptions extends Readiness {
  /** The measured resource; "" for other metrics. */
  readonly resource: string;
  readonly now: number;
}

export function groupPods(pods: readonly Pod[], readings: PodReadings, options: GroupingOptions): Grouped {
  const unready = new Set<string>();
  const missing = new Set<string>();
  const ignored = new Set<string>();
  let readyCount = 0;
  for (const pod of pods) {
    const { name, deletionTimestamp } = pod.metadata;
    const phase = pod.status?.phase;
    const reading = readings.get(name);
    if (deletionTimestamp !== undefined || phase === "Failed") ignored.add(name);
    else if (phase === "Pending") unready.add(name);
    else if (reading === undefined) missing.add(name);
    else if (options.resource === "cpu" && isInitialising(pod, reading, options)) unready.add(name);
    else readyCount++;
  }
  return { readyCount, unready, missing, ignored };
}

/** Whether the usage of CPU may be that of the pod's start, and so says nothing about the load. */
function isInitialising({ status }: Pod, reading: PodReading, options: GroupingOptions): boolean {
  const ready = findCondition(status?.conditions, "Ready");
  if (ready === undefined || !status?.startTime) return true;
  const started = parseTime(status.startTime);
  const changed = ready.lastTransitionTime ? parseTime(ready.lastTransitionTime) : 0;
  if (started + options.cpuInitializationMs > options.now) {
    return ready.status === "False" || reading.timestamp < changed + reading.windowMs;
  }
  return ready.status === "False" && started + options.initialReadinessMs > changed;
}

/**
 * The request of each pod in thousandths, by name: of one container if its name is given, else of the pod or of all its
 * containers. Throws if one has none.
 */
export function requestsOf(pods: readonly Pod[], resource: string, container: string): ReadonlyMap<string, bigint> {
  return new Map(pods.map((pod) => [pod.metadata.name, requestOf(pod, resource, container)]));
}

function requestOf({ metadata, spec }: Pod, resource: string, container: string): bigint {
  const ofPod = spec?.resources?.requests;
  if (container === "" && ofPod !== undefined && Object.keys(ofPod).length > 0) {
    const request = ofPod[resource];
    if (request === undefined) throw new Error(`missing pod-level request for ${resource} in Pod ${metadata.name}`);
    return milliOf(request);
  }
  const wanted = (one: Container): boolean => container === "" || one.name === container;
  const containers = runningContainers(spec).filter(wanted);
  if (container !== "" && containers.length === 0) {
    throw new Error(`container ${container} not found in Pod ${metadata.name}`);
  }
  let sum = 0n;
  for (const { name, resources } of containers) {
    const request = resources?.requests?.[resource];
    if (request === undefined) {
      throw new Error(`missing request for ${resource} in container ${name} of Pod ${metadata.name}`);
    }
    sum = wrapped(sum + milliOf(request));
  }
  return sum;
}
