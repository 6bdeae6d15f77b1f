/** The number of replicas that one metric asks for. Pure; throws an Error in upstream's words if the metric says nothing. */
import type { Pod } from "../../api/index.js";
import { cappedInt32, int32, int64, maxInt64, wrapped } from "./numbers.js";
import { groupPods, type PodReadings, type Readiness, requestsOf } from "./pods.js";
import { isReady } from "../pods/state.js";

/** The distance of the ratio of value and target from 1 that changes no scale. */
export interface Tolerances {
  readonly down: number;
  readonly up: number;
}

const isWithin = ({ down, up }: Tolerances, ratio: number): boolean => 1 - down <= ratio && ratio <= 1 + up;

export interface Situation extends Readiness {
  /** The wanted number of replicas, and the number that there are. */
  readonly specReplicas: number;
  readonly statusReplicas: number;
  /** All pods that the target selects. */
  readonly pods: readonly Pod[];
  readonly tolerances: Tolerances;
  readonly now: number;
}

type Values = ReadonlyMap<string, bigint>;

/** Compares values with a target. */
interface Measure {
  ratio(values: Values): number;
  /** The value that a pod without one is taken to have before scaling down. */
  missing(pod: string): bigint;
}

/** The replicas that a metric of pods asks for, and the values on which this rests. */
interface Proposed {
  readonly replicas: number;
  readonly values: Values;
}

/** Values in thousandths by pod; a target in thousandths for each. */
export function byAverage(
  situation: Situation,
  readings: PodReadings,
  { target, resource }: { readonly target: bigint; readonly resource: string },
): { readonly replicas: number; readonly average: bigint } {
  const average = (values: Values): bigint => sumOf(values) / BigInt(values.size);
  const measure: Measure = { ratio: (values) => Number(average(values)) / Number(target), missing: () => target };
  const { replicas, values } = propose(situation, readings, { resource, measureBy: () => measure });
  return { replicas, average: average(values) };
}

export interface UtilizationTarget {
  /** A percentage of the request. */
  readonly target: number;
  readonly resource: string;
  /** "" for all containers. */
  readonly container: string;
}

export function byUtilization(
  situation: Situation,
  readings: PodReadings,
  { target, resource, container }: UtilizationTarget,
): { readonly replicas: number; readonly average: bigint; readonly utilization: number } {
  let requests: ReadonlyMap<string, bigint> = new Map();
  const used = (values: Values): { readonly utilization: number; readonly average: bigint } => {
    const known = [...values].filter(([pod]) => requests.has(pod));
    const total = sumOf(new Map(known));
    const requested = sumOf(new Map(known.map(([pod]) => [pod, requests.get(pod) ?? 0n])));
    if (requested === 0n) throw new Error("no metrics returned matched known pods");
    const utilization = Number(BigInt.asIntN(32, wrapped(total * 100n) / requested));
    return { utilization, average: total / BigInt(known.length) };
  };
  const measure: Measure = {
    ratio: (values) => used(values).utilization / target,
    missing: (pod) => ((requests.get(pod) ?? 0n) * BigInt(Math.max(100, target))) / 100n,
  };
  const measureBy = (): Measure => {
    requests = requestsOf(situation.pods, resource, container);
    return measure;
  };
  const { replicas, values } = propose(situation, readings, { resource, measureBy });
  return { replicas, ...used(values) };
}

const sumOf = (values: Values): bigint => [...values.values()].reduce((sum, value) => wrapped(sum + value), 0n);

/**
 * Pods without a value, or that are not ready, count against a change: before scaling up they are taken to use nothing,
 * before scaling down to use as much as they should.
 */
function propose(
  situation: Situation,
  readings: PodReadings,
  { resource, measureBy }: { readonly resource: string; measureBy(): Measure },
): Proposed {
  const { pods, tolerances, specReplicas } = situation;
  if (pods.length === 0) throw new Error("no pods returned by selector while calculating replica count");
  const { readyCount, unready, missing, ignored } = groupPods(pods, readings, { ...situation, resource });
  const values = new Map<string, bigint>();
  for (const [pod, { value }] of readings) if (!ignored.has(pod) && !unready.has(pod)) values.set(pod, value);
  if (values.size === 0) throw new Error("did not receive metrics for targeted pods (pods might be unready)");
  const measure = measureBy();
  const ratio = measure.ratio(values);
  const upWithUnready = unready.size > 0 && ratio > 1;
  if (!upWithUnready && missing.size === 0) {
    const replicas = isWithin(tolerances, ratio) ? specReplicas : int32(Math.ceil(ratio * readyCount));
    return { replicas, values };
  }
  const filled = new Map(values);
  if (ratio !== 1) for (const pod of missing) filled.set(pod, ratio < 1 ? measure.missing(pod) : 0n);
  if (upWithUnready) for (const pod of unready) filled.set(pod, 0n);
  const filledRatio = measure.ratio(filled);
  if (isWithin(tolerances, filledRatio) || areOpposite(ratio, filledRatio)) return { replicas: specReplicas, values };
  const replicas = int32(Math.ceil(filledRatio * filled.size));
  return { replicas: areOpposite(filledRatio, replicas / specReplicas) ? specReplicas : replicas, values };
}

/** Whether one ratio asks for more, and the other for less. */
const areOpposite = (a: number, b: number): boolean => (a < 1 && b > 1) || (a > 1 && b < 1);

/** A value as a whole, in thousandths, and its target. */
export function byValue(situation: Situation, value: bigint, target: bigint): number {
  const { specReplicas, tolerances, pods } = situation;
  const ratio = Number(value) / Number(target);
  if (specReplicas === 0) return int32(Math.ceil(ratio));
  if (isWithin(tolerances, ratio)) return specReplicas;
  if (pods.length === 0) {
    const why = "no pods returned by selector while calculating replica count";
    throw new Error(`unable to calculate ready pods: ${why}`);
  }
  const ready = pods.filter((pod) => pod.status?.phase === "Running" && isReady(pod)).length;
  return cappedInt32(Math.ceil(ratio * ready));
}

interface Share {
  readonly replicas: number;
  readonly average: bigint;
}

/** The value of an object as a whole, and a target for each replica. */
export const byShare = (situation: Situation, value: bigint, target: bigint): Share =>
  share(situation, { value, target, rounded: int32 });

/** The same for values from outside, of which too many count as the most that there can be. */
export function byExternalShare(situation: Situation, values: readonly bigint[], target: bigint): Share {
  const value = boundedTotalOf(values);
  const { replicas, average } = share(situation, { value, target, rounded: cappedInt32 });
  return { replicas, average: Number(value) >= Number(maxInt64) ? maxInt64 : average };
}

function share(
  { statusReplicas, tolerances }: Situation,
  { value, target, rounded }: { readonly value: bigint; readonly target: bigint; rounded(value: number): number },
): Share {
  const ratio = Number(value) / (Number(target) * statusReplicas);
  const wanted = rounded(Math.ceil(Number(value) / Number(target)));
  return {
    replicas: isWithin(tolerances, ratio) ? statusReplicas : wanted,
    average: int64(Math.ceil(Number(value) / statusReplicas)),
  };
}

/** The sum of external values; the largest number if they are too many. */
export function totalOf(values: readonly bigint[]): bigint {
  let total = 0n;
  for (const value of values) {
    if (value > 0n && total > maxInt64 - value) return maxInt64;
    total = wrapped(total + value);
  }
  return total;
}

/** Where values are shared, upstream takes a negative sum for an overflow. */
function boundedTotalOf(values: readonly bigint[]): bigint {
  let total = 0n;
  for (const value of values) {
    total = wrapped(total + value);
    if (total < 0n) return maxInt64;
  }
  return total;
}
