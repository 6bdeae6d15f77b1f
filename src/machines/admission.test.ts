import { expect, test } from "vitest";
import type { Node, Pod, PodSpec } from "../api/index.js";
import { NodeAdmission } from "./admission.js";

const node: Node = {
  apiVersion: "v1",
  kind: "Node",
  metadata: { name: "n" },
  status: { allocatable: { cpu: "1", memory: "1Gi", pods: "3" } },
};

function pod(name: string, { cpu = "0", hostPort }: { cpu?: string; hostPort?: number } = {}): Pod {
  const ports = hostPort === undefined ? [] : [{ containerPort: 80, hostPort }];
  const spec: PodSpec = { containers: [{ name: "c", image: "i", ports, resources: { requests: { cpu } } }] };
  return { apiVersion: "v1", kind: "Pod", metadata: { name, uid: name }, spec };
}

test("a pod that finds no room is turned away in a kubelet's words", () => {
  const admission = new NodeAdmission(() => true);
  expect(admission.take(pod("a", { cpu: "700m", hostPort: 80 }), node)).toBeUndefined();
  expect(admission.take(pod("b", { cpu: "400m" }), node)).toEqual({
    reason: "OutOfcpu",
    message: "Node didn't have enough resource: cpu, requested: 400, used: 700, capacity: 1000",
  });
  expect(admission.take(pod("c", { hostPort: 80 }), node)).toEqual({
    reason: "NodePorts",
    message: "Predicate NodePorts failed: node(s) didn't have free ports for the requested pod ports",
  });
  for (const name of ["d", "e"]) expect(admission.take(pod(name), node)).toBeUndefined();
  expect(admission.take(pod("f"), node)?.reason).toBe("OutOfpods");
});

test("what is released, gone or over takes no room, and what was taken stays taken", () => {
  const gone = new Set<string>();
  const admission = new NodeAdmission(({ metadata }) => !gone.has(metadata.name));
  const big = pod("big", { cpu: "1" });
  expect(admission.take(big, node)).toBeUndefined();
  expect(admission.take(pod("next", { cpu: "1" }), node)?.reason).toBe("OutOfcpu");
  expect(admission.take(big, node)).toBeUndefined();
  gone.add("big");
  expect(admission.take(pod("next", { cpu: "1" }), node)).toBeUndefined();
  admission.release("n", "next");
  expect(admission.take(pod("last", { cpu: "1" }), node)).toBeUndefined();
});

test("a pod that had started before, and a node that says nothing of its size, are not judged", () => {
  const admission = new NodeAdmission(() => true);
  const started = { ...pod("old", { cpu: "5" }), status: { startTime: "2026-01-01T00:00:00Z" } };
  expect(admission.take(started, node)).toBeUndefined();
  expect(admission.take(pod("any", { cpu: "5" }), { ...node, metadata: { name: "m" }, status: {} })).toBeUndefined();
});

test("a pod that was resized gets more if there is room, and else waits for it with what it has", () => {
  const gone = new Set<string>();
  const admission = new NodeAdmission(({ metadata }) => !gone.has(metadata.name));
  const sized = (cpu: string, generation: number): Pod => {
    const plain = pod("a", { cpu });
    return { ...plain, metadata: { ...plain.metadata, generation } };
  };
  expect(admission.take(sized("300m", 1), node)).toBeUndefined();
  expect(admission.take(pod("b", { cpu: "500m" }), node)).toBeUndefined();
  expect(admission.resize(sized("500m", 2), node)).toBeUndefined();
  expect(admission.resize(sized("600m", 3), node)?.message).toBe(
    "Node didn't have enough resource: cpu, requested: 600, used: 500, capacity: 1000",
  );
  expect(admission.take(pod("c", { cpu: "100m" }), node)?.reason).toBe("OutOfcpu");
  gone.add("b");
  expect(admission.resize(sized("600m", 3), node)).toBeUndefined();
  expect(admission.take(pod("d", { cpu: "400m" }), node)).toBeUndefined();
});

test("whole CPUs of a Guaranteed pod stay as they are where the node keeps them apart", () => {
  const admission = new NodeAdmission(() => true);
  const apart = {
    ...node,
    metadata: { ...node.metadata, annotations: { "coxswain.dev/cpu-manager-policy": "static" } },
  };
  const sized = (resources: Readonly<Record<string, string>>, generation: number): Pod => {
    const plain = pod("a", resources);
    return { ...plain, metadata: { ...plain.metadata, generation }, status: { qosClass: "Guaranteed" } };
  };
  expect(admission.take(sized({ cpu: "300m", memory: "1" }, 1), apart)).toBeUndefined();
  expect(admission.resize(sized({ cpu: "400m", memory: "1" }, 2), apart)).toEqual({
    reason: "Infeasible",
    message: 'Resize is infeasible for Guaranteed Pods alongside CPU Manager policy "static"',
  });
  expect(admission.resize(sized({ cpu: "300m", memory: "2" }, 3), apart)).toBeUndefined();
  expect(admission.resize(sized({ cpu: "400m", memory: "2" }, 4), node)).toBeUndefined();
});

test("extended resources of the node are counted; those that devices provide are not", () => {
  const admission = new NodeAdmission(() => true);
  const gpu = "example.com/gpu";
  const with1: Node = { ...node, status: { allocatable: { ...node.status?.allocatable, [gpu]: "1" } } };
  const asking = (name: string, resource: string): Pod => {
    const { metadata, ...plain } = pod(name);
    const requests = { [resource]: "1" };
    return { ...plain, metadata, spec: { containers: [{ name: "c", image: "i", resources: { requests } }] } };
  };
  expect(admission.take(asking("a", gpu), with1)).toBeUndefined();
  expect(admission.take(asking("b", gpu), with1)).toEqual({
    reason: `OutOf${gpu}`,
    message: `Node didn't have enough resource: ${gpu}, requested: 1, used: 1, capacity: 1`,
  });
  const requestMappings = [{ containerName: "c", resourceName: gpu, requestName: "r" }];
  const status = { extendedResourceClaimStatus: { requestMappings, resourceClaimName: "c-extended" } };
  expect(admission.take({ ...asking("c", gpu), status }, with1)).toBeUndefined();
  expect(admission.take(asking("d", "example.com/unknown"), with1)).toBeUndefined();
});
