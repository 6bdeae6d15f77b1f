/** Scores by the resources that a node has free, or uses, with the pod on it. */
import type { NodeInfo } from "../state/node-info.js";
import type { PlainAmounts } from "../state/resources.js";
import { maxScore, type Score } from "./score.js";

interface WeighedResource {
  readonly name: string;
  readonly weight: number;
}

/** A point of a broken line from utilization (0…100) to score (0…100). */
interface ShapePoint {
  readonly utilization: number;
  readonly score: number;
}

export interface ResourceStrategy {
  readonly type: "LeastAllocated" | "MostAllocated" | "RequestedToCapacityRatio";
  readonly resources: readonly WeighedResource[];
  /** Of the last type alone, by rising utilization. */
  readonly shape?: readonly ShapePoint[];
}

const cpuAndMemory: readonly WeighedResource[] = [
  { name: "cpu", weight: 1 },
  { name: "memory", weight: 1 },
];

export const leastAllocated: ResourceStrategy = { type: "LeastAllocated", resources: cpuAndMemory };

/** The amount of a resource on a node, and the part of it in use. */
interface ResourceTotals {
  readonly capacity: number;
  readonly used: number;
}

/** Counts the devices that provide an extended resource on a node; undefined if none do. */
export type DeviceTotals = (resource: string, node: NodeInfo) => ResourceTotals | undefined;

/** 0…100 for the use of one resource; `capacity` is not 0. */
type Rate = (used: number, capacity: number) => number;

const rateFree: Rate = (used, capacity) =>
  used > capacity ? 0 : Math.floor(((capacity - used) * maxScore) / capacity);

const rateUsed: Rate = (used, capacity) => Math.floor((Math.min(used, capacity) * maxScore) / capacity);

const rateByShape =
  (shape: readonly ShapePoint[]): Rate =>
  (used, capacity) => {
    const utilization = used > capacity ? 100 : Math.floor((used * 100) / capacity);
    const after = shape.findIndex((point) => utilization <= point.utilization);
    const to = shape[after];
    const from = shape[after - 1];
    if (to === undefined) return shape.at(-1)?.score ?? 0;
    if (from === undefined) return to.score;
    const run = to.utilization - from.utilization;
    return from.score + Math.trunc(((to.score - from.score) * (utilization - from.utilization)) / run);
  };

export const resourceScore = ({ type, resources, shape = [] }: ResourceStrategy, devices?: DeviceTotals): Score => {
  const isByShape = type === "RequestedToCapacityRatio";
  const rate = isByShape ? rateByShape(shape) : type === "MostAllocated" ? rateUsed : rateFree;
  return {
    name: "NodeResourcesFit",
    weight: 1,
    isOfNode: true,
    prepare(pod) {
      const named = resources.map((resource) => ({
        wanted: amountOf(pod.requestsForScore, resource.name),
        ...resource,
      }));
      return {
        rate(node) {
          let sum = 0;
          let weights = 0;
          for (const { name, weight, wanted } of named) {
            const { capacity, used } = totalsOf(node, { name, wanted, requested: node.requestedForScore, devices });
            if (capacity === 0) continue;
            const score = rate(used + wanted, capacity);
            // upstream leaves out the resources that the shape rates with nothing
            if (isByShape && score <= 0) continue;
            sum += score * weight;
            weights += weight;
          }
          if (weights === 0) return 0;
          return isByShape ? Math.round(sum / weights) : Math.floor(sum / weights);
        },
      };
    },
  };
};

/** Prefers nodes on which the resources are then used to about the same degree. */
export const balancedScore = (
  resources: readonly string[] = cpuAndMemory.map(({ name }) => name),
  devices?: DeviceTotals,
): Score => ({
  name: "NodeResourcesBalancedAllocation",
  weight: 1,
  isOfNode: true,
  prepare({ requests }) {
    const wanted = resources.map((name) => amountOf(requests, name));
    if (wanted.every((amount) => amount === 0)) return undefined;
    // one place for the shares of each node in turn: hundreds of nodes are rated for a pod
    const before = new Float64Array(resources.length);
    const after = new Float64Array(resources.length);
    return {
      rate(node) {
        let known = 0;
        for (let index = 0; index < wanted.length; index++) {
          const amount = wanted[index] as number;
          const question = { name: resources[index] as string, wanted: amount, requested: node.requested, devices };
          const { capacity, used } = totalsOf(node, question);
          if (capacity === 0) continue;
          before[known] = Math.min(1, used / capacity);
          after[known] = Math.min(1, (used + amount) / capacity);
          known++;
        }
        const gain = balance(after, known) - balance(before, known);
        return maxScore / 2 + Math.trunc((maxScore / 2 + gain) / 2);
      },
    };
  },
});

/** 100 less the standard deviation of the first shares, in hundredths. */
function balance(shares: Float64Array, known: number): number {
  return Math.trunc((1 - deviation(shares, known)) * maxScore);
}

function deviation(shares: Float64Array, known: number): number {
  if (known < 2) return 0;
  if (known === 2) return Math.abs(((shares[0] as number) - (shares[1] as number)) / 2);
  let sum = 0;
  for (let index = 0; index < known; index++) sum += shares[index] as number;
  const mean = sum / known;
  let squares = 0;
  for (let index = 0; index < known; index++) squares += ((shares[index] as number) - mean) ** 2;
  return Math.sqrt(squares / known);
}

interface ResourceInQuestion {
  readonly name: string;
  readonly wanted: number;
  readonly requested: PlainAmounts;
  readonly devices: DeviceTotals | undefined;
}

/** The capacity is 0 if the node has none of the resource, or if it is an extended one that the pod does not ask for. */
function totalsOf(node: NodeInfo, { name, wanted, requested, devices }: ResourceInQuestion): ResourceTotals {
  const isPlain = name === "cpu" || name === "memory" || name === "ephemeral-storage";
  if (!isPlain && wanted === 0) return { capacity: 0, used: 0 };
  const capacity = amountOf(node.allocatable, name);
  const provided = isPlain || capacity > 0 ? undefined : devices?.(name, node);
  return provided ?? { capacity, used: amountOf(requested, name) };
}

function amountOf(amounts: PlainAmounts, name: string): number {
  if (name === "cpu") return amounts.cpu;
  if (name === "memory") return amounts.memory;
  if (name === "ephemeral-storage") return amounts.storage;
  return amounts.others?.get(name) ?? 0;
}
