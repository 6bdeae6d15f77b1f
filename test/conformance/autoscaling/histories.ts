/**
 * Generated histories of autoscalers: a target, pods that nobody plays, an autoscaler, and values that change in steps.
 * All that happens follows from the seed.
 */
import {
  formatTime,
  type HorizontalPodAutoscalerBehavior,
  type HorizontalPodAutoscalerSpec,
  type HPAScalingRules,
  type MetricSpec,
  type PodStatus,
} from "../../../src/api/index.js";
import type { MetricReading } from "../../../src/apiserver/index.js";
import { type Random, seededRandom } from "../../../src/base/index.js";

/** The values of one step. A missing one is not told by the metrics APIs. */
export interface Step {
  /** Cores of CPU and a custom metric by pod, in the order of the pods. */
  readonly cpu: readonly (number | undefined)[];
  readonly requests: readonly (MetricReading | undefined)[];
  readonly hits: MetricReading | undefined;
  readonly queue: MetricReading | undefined;
  /** The time since the usage was measured. */
  readonly ageMs: number;
}

/** A fault of the target's: it is not there, its kind is unknown or has no scale, its selector is absent or none. */
type Fault = "no target" | "unknown kind" | "no scale" | "no selector" | "bad selector";

interface PodShape {
  readonly status: PodStatus;
  /** Undefined: it requests nothing. */
  readonly request: string | undefined;
}

export interface History {
  /** Also the namespace. */
  readonly name: string;
  readonly replicas: number;
  readonly statusReplicas: number;
  readonly pods: readonly PodShape[];
  readonly fault: Fault | undefined;
  readonly spec: Omit<HorizontalPodAutoscalerSpec, "scaleTargetRef">;
  readonly steps: readonly Step[];
}

const hourMs = 3_600_000;

const faults: readonly Fault[] = ["no target", "unknown kind", "no scale", "no selector", "bad selector"];

export function historyOf(seed: number, now: number): History {
  const random = seededRandom(`autoscaling/${seed}`);
  const pick = <T>(...choices: readonly T[]): T => choices[random.int(choices.length)] as T;
  const pods = Array.from({ length: 1 + random.int(5) }, () => podOf(random, now));
  const min = 1 + random.int(3);
  const max = min + random.int(12);
  const metrics = Array.from({ length: pick(1, 1, 2, 3) }, () => metricOf(random));
  const behavior = random.int(2) === 0 ? undefined : behaviorOf(random);
  return {
    name: `history-${seed}`,
    replicas: pick(pods.length, pods.length, pods.length, random.int(8)),
    statusReplicas: pick(pods.length, pods.length, random.int(5)),
    pods,
    fault: random.int(8) === 0 ? pick(...faults) : undefined,
    spec: { minReplicas: min, maxReplicas: max, metrics, ...(behavior && { behavior }) },
    steps: Array.from({ length: 3 }, () => stepOf(random, pods.length)),
  };
}

/** Mostly ready pods, and some of each kind that does not count, or not yet. */
function podOf(random: Random, now: number): PodShape {
  const kind = random.int(10);
  const time = (ago: number): string => formatTime(now - ago);
  const ready = (status: "True" | "False", ago: number): PodStatus => ({
    phase: "Running",
    startTime: time(hourMs),
    conditions: [{ type: "Ready", status, lastTransitionTime: time(ago) }],
  });
  const shapes: readonly PodStatus[] = [
    { phase: "Pending" },
    { phase: "Failed" },
    // never was ready, and was ready once
    ready("False", hourMs - 10_000),
    ready("False", hourMs / 2),
    { ...ready("False", 0), startTime: time(0) },
  ];
  const status = shapes[kind] ?? ready("True", hourMs - 20_000);
  return { status, request: random.int(30) === 0 ? undefined : "1" };
}

function metricOf(random: Random): MetricSpec {
  const amount = 1 + random.int(20);
  const cpu = { type: "Utilization", averageUtilization: 10 * amount } as const;
  const average = { type: "AverageValue", averageValue: `${amount * 100}m` } as const;
  const choices: readonly MetricSpec[] = [
    { type: "Resource", resource: { name: "cpu", target: cpu } },
    { type: "Resource", resource: { name: "cpu", target: average } },
    { type: "ContainerResource", containerResource: { name: "cpu", container: "main", target: cpu } },
    { type: "Pods", pods: { metric: { name: "requests" }, target: average } },
    { type: "Object", object: { ...described, target: { type: "Value", value: `${amount}` } } },
    { type: "Object", object: { ...described, target: average } },
    { type: "External", external: { metric: queue, target: { type: "Value", value: `${amount}` } } },
    { type: "External", external: { metric: { name: "queue" }, target: average } },
  ];
  return choices[random.int(choices.length)] as MetricSpec;
}

const described = {
  metric: { name: "hits" },
  describedObject: { apiVersion: "example.com/v1", kind: "Fleet", name: "target" },
};
const queue = { name: "queue", selector: { matchLabels: { queue: "jobs" } } };

/** Windows and periods are much longer than a step, or shorter than the time between two looks. */
function behaviorOf(random: Random): HorizontalPodAutoscalerBehavior {
  const rules = (): HPAScalingRules => {
    const policies = Array.from({ length: 1 + random.int(2) }, () => ({
      type: random.int(2) === 0 ? ("Pods" as const) : ("Percent" as const),
      value: 1 + random.int(random.int(2) === 0 ? 4 : 150),
      periodSeconds: random.int(2) === 0 ? 1 : 1_800,
    }));
    const windows = [0, 0, 3_600];
    const selects = ["Max", "Max", "Min", "Disabled"] as const;
    return {
      policies,
      selectPolicy: selects[random.int(selects.length)] as string,
      stabilizationWindowSeconds: windows[random.int(windows.length)] as number,
      ...(random.int(4) === 0 && { tolerance: `${random.int(60) * 10}m` }),
    };
  };
  return {
    ...(random.int(4) > 0 && { scaleUp: rules() }),
    ...(random.int(4) > 0 && { scaleDown: rules() }),
  };
}

function stepOf(random: Random, pods: number): Step {
  const level = random.next() ** 2 * 4;
  const pick = <T>(...choices: readonly T[]): T => choices[random.int(choices.length)] as T;
  const value = (): number | undefined =>
    random.int(12) === 0 ? undefined : Math.round(level * (0.5 + random.next()) * 1_000) / 1_000;
  const odd = random.int(6) === 0;
  const reading = (usual: () => number | undefined): MetricReading | undefined =>
    odd && random.int(2) === 0 ? pick<MetricReading>(...oddValues) : usual();
  const whole = (): number | undefined => (random.int(8) === 0 ? undefined : random.int(60));
  return {
    cpu: Array.from({ length: pods }, () => (odd && random.int(2) === 0 ? pick(-0.5, 0, 5e8, 9e9) : value())),
    requests: Array.from({ length: pods }, () => reading(value)),
    hits: reading(whole),
    queue: reading(whole),
    ageMs: pick(0, 0, 0, 60_000, hourMs),
  };
}

/** Negative ones, nothing, and more than 64 bits of thousandths hold. */
const oddValues: readonly MetricReading[] = ["-3", "-9E", "0", "1n", "9E", "9e30", { value: 7, timestamp: 0 }];
