/**
 * The usage of simulated containers, from rules and annotations: takes all pods and the time, gives the measurements
 * that a metrics-server would have of them.
 */
import { type Container, controllerOf, isConditionTrue, type Node, parseTime, type Pod } from "../../api/index.js";
import { runningContainers } from "../../api/pods/containers.js";
import { seededRandom } from "../../base/index.js";
import { isPoweredOn, isSimulated } from "../../placement/simulated-machines.js";
import { type BehaviourRule, guardedRule, saidOf, type Load } from "../pod/behaviour.js";
import { type Level, parseLevel } from "../pod/level.js";

export interface ContainerUsage {
  readonly name: string;
  /** Cores. */
  readonly cpu: number;
  /** Bytes. */
  readonly memory: number;
}

/** The usage over the `windowMs` before `timestamp`, both in milliseconds. */
export interface PodUsage {
  readonly timestamp: number;
  readonly windowMs: number;
  readonly containers: readonly ContainerUsage[];
}

export interface NodeUsage extends Omit<ContainerUsage, "name"> {
  readonly timestamp: number;
  readonly windowMs: number;
}

/** The measurements of one moment; undefined for a pod or node of which there is none (yet). */
export interface Measurements {
  pod(pod: Pod): PodUsage | undefined;
  node(node: Node): NodeUsage | undefined;
}

export interface SimulatedUsageOptions {
  /** Decide before annotations do; the same ones as for the nodes. */
  readonly rules?: readonly BehaviourRule[];
  /** The factor by which curves run faster than the clock; 1 by default. */
  readonly speed?: number;
  /** The same seed gives the same noise. */
  readonly seed?: number;
}

/** The time between two measurements, as metrics-server's. */
const resolutionMs = 15_000;

/** The usage of a container of which nothing is said, and of a node without pods. */
const idle = { cpu: 0.001, memory: 8 * 2 ** 20 };
const nodeItself = { cpu: 0.02, memory: 128 * 2 ** 20 };

/**
 * Gives the measurements at a time, from all pods of the cluster. A pod is measured from the first full window after
 * all its containers have started.
 */
export function simulatedUsage(
  options: SimulatedUsageOptions = {},
): (pods: readonly Pod[], now: number) => Measurements {
  const { speed = 1, seed = 1 } = options;
  const rules = (options.rules ?? []).map((rule) => guardedRule(rule, () => {}));
  return (pods, now) => {
    const timestamp = Math.floor(now / resolutionMs) * resolutionMs;
    const measured = pods.filter((pod) => isMeasured(pod, timestamp));
    const replicas = countReplicas(measured);
    const levels = new Map<string, Level | undefined>();
    let byNode: ReadonlyMap<string, readonly Pod[]> | undefined;
    const levelOf = (load: Load | undefined, time: number): Level | undefined => {
      if (typeof load === "function") return { at: () => load(time), total: false, noise: 0 };
      if (load === undefined) return undefined;
      if (!levels.has(load)) levels.set(load, readable(load));
      return levels.get(load);
    };
    const usageOf = (pod: Pod, container: Container): ContainerUsage => {
      const said = saidOf(pod, container, rules);
      const share = (resource: "cpu" | "memory"): number => {
        const time = timestamp * speed;
        const level = levelOf(said[resource], time);
        if (level === undefined) return idle[resource];
        const whole = finite(level.at(time));
        const part = !level.total ? whole : isReady(pod) ? whole / (replicas.get(groupOf(pod)) ?? 1) : 0;
        if (level.noise === 0) return part;
        const { uid = "" } = pod.metadata;
        const draw = seededRandom(`${seed}/${uid}/${container.name}/${resource}/${timestamp}`).next();
        return Math.max(0, part * (1 + level.noise * (2 * draw - 1)));
      };
      return { name: container.name, cpu: share("cpu"), memory: share("memory") };
    };
    const podUsage = (pod: Pod): PodUsage => {
      const containers = runningContainers(pod.spec).map((container) => usageOf(pod, container));
      return { timestamp, windowMs: resolutionMs, containers };
    };
    return {
      pod: (pod) => (isMeasured(pod, timestamp) ? podUsage(pod) : undefined),
      node(node) {
        const { creationTimestamp } = node.metadata;
        const isYoung = creationTimestamp !== undefined && parseTime(creationTimestamp) > timestamp;
        if (!isSimulated(node) || !isPoweredOn(node) || isYoung) return undefined;
        byNode ??= podsByNode(measured);
        const used = (byNode.get(node.metadata.name) ?? []).flatMap((pod) => podUsage(pod).containers);
        const sum = (resource: "cpu" | "memory"): number =>
          used.reduce((total, one) => total + one[resource], nodeItself[resource]);
        return { cpu: sum("cpu"), memory: sum("memory"), timestamp, windowMs: resolutionMs };
      },
    };
  };
}

/** A malformed level counts as absent; the kubelet reports it as an event. */
function readable(text: string): Level | undefined {
  try {
    return parseLevel(text);
  } catch {
    return undefined;
  }
}

/** A function of a rule may give anything. */
const finite = (amount: number): number => (Number.isFinite(amount) && amount > 0 ? amount : 0);

const isReady = ({ status }: Pod): boolean => isConditionTrue(status?.conditions, "Ready");

function isMeasured(pod: Pod, timestamp: number): boolean {
  const { status, spec } = pod;
  if (!spec?.nodeName || status?.phase !== "Running") return false;
  const states = new Map(
    [...(status.containerStatuses ?? []), ...(status.initContainerStatuses ?? [])].map(({ name, state }) => [
      name,
      state,
    ]),
  );
  return runningContainers(pod.spec).every(({ name }) => {
    const startedAt = states.get(name)?.running?.startedAt;
    return startedAt !== undefined && parseTime(startedAt) <= timestamp;
  });
}

function countReplicas(pods: readonly Pod[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const pod of pods) {
    if (!isReady(pod)) continue;
    const group = groupOf(pod);
    counts.set(group, (counts.get(group) ?? 0) + 1);
  }
  return counts;
}

function podsByNode(pods: readonly Pod[]): ReadonlyMap<string, readonly Pod[]> {
  const byNode = new Map<string, Pod[]>();
  for (const pod of pods) {
    const { nodeName = "" } = pod.spec ?? {};
    const others = byNode.get(nodeName);
    if (others === undefined) byNode.set(nodeName, [pod]);
    else others.push(pod);
  }
  return byNode;
}

/** The workload of a pod. The ReplicaSets of one Deployment count as one. */
function groupOf(pod: Pod): string {
  const { namespace = "", labels = {}, name } = pod.metadata;
  const owner = controllerOf(pod);
  if (owner === undefined) return `${namespace}/Pod/${name}`;
  const hash = labels["pod-template-hash"];
  const isRollout = owner.kind === "ReplicaSet" && hash !== undefined && owner.name.endsWith(`-${hash}`);
  return `${namespace}/${owner.kind}/${isRollout ? owner.name.slice(0, -hash.length) : owner.name}`;
}
