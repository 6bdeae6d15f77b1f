/** Statuses that may and may not be written. */
import type { Cases, Change } from "../differential.js";

type Changes = Readonly<Record<string, Change>>;

const when = "2024-01-01T00:00:00Z";
const condition = { type: "A", status: "True", lastTransitionTime: when, reason: "B", message: "c" };
const health = (name: string, more: object = {}): object => ({
  name: "main",
  image: "a",
  imageID: "",
  ready: true,
  restartCount: 0,
  allocatedResourcesStatus: [
    { name, resources: [{ resourceID: "a", health: "Healthy", ...more }, { resourceID: "a" }] },
  ],
});
const counts: Changes = {
  "some of them": { "status.replicas": 3, "status.readyReplicas": 2, "status.availableReplicas": 1 },
  "fewer than none": { "status.replicas": -1, "status.readyReplicas": -1, "status.observedGeneration": -1 },
  "more ready than there are": { "status.replicas": 1, "status.readyReplicas": 2, "status.availableReplicas": 3 },
  "another spec too": { "spec.replicas": 7, "status.replicas": 1 },
  labels: { "metadata.labels": { a: "b" } },
};

const statuses: Readonly<Record<string, Changes>> = {
  Pod: {
    running: { "status.phase": "Running", "status.podIP": "10.0.0.1", "status.podIPs": [{ ip: "10.0.0.1" }] },
    "bad addresses": { "status.podIPs": [{ ip: "x" }], "status.hostIPs": [{ ip: "y" }], "status.hostIP": "y" },
    "addresses that differ": { "status.podIP": "10.0.0.2", "status.podIPs": [{ ip: "10.0.0.1" }] },
    "two of a family": { "status.podIPs": [{ ip: "10.0.0.1" }, { ip: "10.0.0.2" }] },
    "hosts that differ": { "status.hostIP": "10.0.0.2", "status.hostIPs": [{ ip: "10.0.0.1" }] },
    "the list alone": { "status.podIPs": [{ ip: "10.0.0.1" }, { ip: "2001:db8::1" }] },
    "one alone": { "status.podIP": "10.0.0.1" },
    "a bad nomination": { "status.nominatedNodeName": "A" },
    "another class": { "status.qosClass": "Guaranteed" },
    conditions: { "status.conditions": [{ type: "a b", status: "True" }] },
    "health of devices": {
      "status.containerStatuses": [health("cpu"), health("claim:a/b", { message: "" })],
      "status.initContainerStatuses": [health("x", { health: "Odd", message: "x".repeat(1025) })],
      "status.ephemeralContainerStatuses": [health("cpu")],
    },
    "another image too": { "spec.containers[0].image": "b", "status.phase": "Running" },
  },
  Deployment: { ...counts, "less seen": { "status.collisionCount": -1, "status.updatedReplicas": -1 } },
  ReplicaSet: { ...counts, "labelled more": { "status.replicas": 1, "status.fullyLabeledReplicas": 2 } },
  ReplicationController: counts,
  StatefulSet: {
    ...counts,
    "more current than there are": { "status.replicas": 1, "status.currentReplicas": 2, "status.updatedReplicas": 2 },
  },
  DaemonSet: {
    counted: { "status.desiredNumberScheduled": 3, "status.numberReady": 2, "status.conditions": [condition] },
    "fewer than none": { "status.numberReady": -1, "status.collisionCount": -1, "status.numberMisscheduled": -1 },
  },
  CronJob: { active: { "status.lastScheduleTime": when, "status.active": [{ kind: "Job", name: "a" }] } },
  Service: {
    balanced: { "status.loadBalancer": { ingress: [{ ip: "1.2.3.4" }] } },
    conditions: { "status.conditions": [condition] },
  },
  Namespace: { another: { "status.phase": "Terminating" }, conditions: { "status.conditions": [condition] } },
  Node: {
    ready: { "status.conditions": [{ type: "Ready", status: "True", reason: "A", message: "b" }] },
    "bad amounts": { "status.capacity": { cpu: "-1" } },
    addresses: { "status.addresses": [{ type: "InternalIP", address: "10.0.0.1" }] },
    "the same address": {
      "status.addresses": [
        { type: "InternalIP", address: "10.0.0.1" },
        { type: "InternalIP", address: "10.0.0.1" },
      ],
    },
  },
  PersistentVolumeClaim: {
    bound: { "status.phase": "Bound", "status.capacity": { storage: "1Gi" }, "status.accessModes": ["ReadWriteOnce"] },
    "bad amounts": { "status.capacity": { storage: "-1" } },
  },
  PersistentVolume: { released: { "status.phase": "Released" } },
  Ingress: {
    balanced: { "status.loadBalancer": { ingress: [{ ip: "1.2.3.4" }, { hostname: "example.com" }] } },
    "badly balanced": {
      "status.loadBalancer": { ingress: [{ ip: "x" }, { hostname: "A_b" }, { hostname: "1.2.3.4" }] },
    },
  },
  HorizontalPodAutoscaler: {
    scaled: { "status.currentReplicas": 1, "status.desiredReplicas": 2 },
    "fewer than none": { "status.currentReplicas": -1, "status.desiredReplicas": -1 },
  },
  PodDisruptionBudget: {
    counted: {
      "status.currentHealthy": 1,
      "status.desiredHealthy": 1,
      "status.expectedPods": 1,
      "status.disruptionsAllowed": 0,
    },
    "fewer than none": {
      "status.currentHealthy": -1,
      "status.disruptionsAllowed": -1,
      "status.desiredHealthy": -1,
      "status.expectedPods": -1,
    },
    "bad conditions": {
      "status.conditions": [{ type: "", status: "Odd", lastTransitionTime: null, reason: "", message: "" }],
    },
  },
  ResourceQuota: {
    used: { "status.hard": { cpu: "2" }, "status.used": { cpu: "1" } },
    "bad use": { "status.used": { "odd thing": "1", cpu: "-1" } },
  },
  VolumeAttachment: { attached: { "status.attached": true } },
};

/** The same objects as in other cases, by kind. */
export function statusCases(all: readonly Cases[]): readonly Cases[] {
  return Object.entries(statuses).map(([kind, status]) => {
    const { create: _create, update: _update, ...same } = all.find((one) => one.kind === kind) as Cases;
    return { ...same, name: `status-${kind.toLowerCase()}`, status };
  });
}
