import { expect, test } from "vitest";
import { NodeInfo } from "../state/node-info.js";
import { podInfo } from "../state/pod-info.js";
import { balancedScore, type ResourceStrategy, resourceScore } from "./resource-scores.js";
import type { Score } from "./score.js";

const gpu = "example.com/gpu";

/** The rating of a node with 4 cpus, 8 GiB and 4 devices, of which a pod already has 1, 1 GiB and 2. */
function rating(score: Score, requests: Readonly<Record<string, string>>): number | undefined {
  const pod = (name: string, asks: Readonly<Record<string, string>>) =>
    podInfo({
      apiVersion: "v1",
      kind: "Pod",
      metadata: { name, uid: name },
      spec: { containers: [{ name: "c", image: "i", resources: { requests: asks } }] },
    });
  const node = new NodeInfo("n");
  const allocatable = { cpu: "4", memory: "8Gi", [gpu]: "4", pods: "9" };
  node.setNode({ apiVersion: "v1", kind: "Node", metadata: { name: "n" }, status: { allocatable } });
  node.add(pod("there", { cpu: "1", memory: "1Gi", [gpu]: "2" }));
  return score.prepare(pod("new", requests), undefined as never, [node])?.rate(node);
}

const asks = { cpu: "1", memory: "1Gi", [gpu]: "1" };
const strategy = (type: ResourceStrategy["type"], ...names: readonly string[]): Score => {
  const shape = [
    { utilization: 20, score: 100 },
    { utilization: 60, score: 0 },
  ];
  return resourceScore({ type, resources: names.map((name, index) => ({ name, weight: index + 1 })), shape });
};

test.each<[string, Score, Readonly<Record<string, string>>, number | undefined]>([
  ["free cpu and memory", strategy("LeastAllocated", "cpu", "memory"), asks, 66],
  ["used cpu and memory", strategy("MostAllocated", "cpu", "memory"), asks, 33],
  ["used devices", strategy("MostAllocated", gpu), asks, 75],
  ["devices that the pod does not ask for", strategy("MostAllocated", gpu, "cpu"), { cpu: "1" }, 50],
  ["resources that the node has not", strategy("LeastAllocated", "example.com/none"), { "example.com/none": "1" }, 0],
  ["a point on a shape", strategy("RequestedToCapacityRatio", "cpu"), asks, 25],
  ["a shape that rates a resource with nothing", strategy("RequestedToCapacityRatio", gpu, "memory"), asks, 88],
  ["more than there is", strategy("MostAllocated", "cpu"), { cpu: "9" }, 100],
  ["balance of two", balancedScore(), { cpu: "1", memory: "2Gi" }, 75],
  ["balance of three", balancedScore(["cpu", "memory", gpu]), { memory: "4Gi", [gpu]: "1" }, 72],
  [
    "balance without the devices that the pod does not ask for",
    balancedScore(["cpu", "memory", gpu]),
    { memory: "4Gi" },
    69,
  ],
  ["no requests", balancedScore(), {}, undefined],
])("%s", (_name, score, requests, expected) => {
  expect(rating(score, requests)).toBe(expected);
});
