/** Short functions for the nodes and pods of scheduling scenarios. */
import {
  Node,
  PersistentVolume,
  PersistentVolumeClaim,
  Pod,
  PodDisruptionBudget,
  type PodSpec,
  PriorityClass,
  Service,
  StorageClass,
  type Taint,
} from "../../../src/api/index.js";
import type { SchedulerConfiguration } from "../../../src/scheduler/index.js";
import type { Client } from "../../../src/client/index.js";
import type { ExtenderAddresses } from "./extender.js";

/** The result of a pod, or an event about it. */
export interface Outcome {
  readonly pod: string;
  readonly [field: string]: unknown;
}

export type Step = (given: { readonly client: Client; readonly signal: AbortSignal }) => Promise<void>;

export interface Scenario {
  readonly name: string;
  readonly steps: readonly Step[];
}

/** Scenarios that share a configuration of the scheduler. `extender` has the addresses of the test's extender. */
export interface ScenarioSet {
  readonly name: string;
  readonly scenarios: readonly Scenario[];
  configuration?(extender: ExtenderAddresses): SchedulerConfiguration;
}

export const scenario = (name: string, ...steps: Scenario["steps"]): Scenario => ({ name, steps });

export interface NodeWords {
  readonly labels?: Readonly<Record<string, string>>;
  readonly taints?: readonly Taint[];
  readonly unschedulable?: boolean;
  readonly has?: Readonly<Record<string, string>>;
}

/** 4 cpu, 8Gi and 10 pods by default. */
export const node =
  (name: string, { labels, taints, unschedulable, has }: NodeWords = {}): Step =>
  async ({ client }) => {
    const capacity = { cpu: "4", memory: "8Gi", pods: "10", ...has };
    const nodes = client.resource(Node);
    await nodes.create({
      metadata: {
        name,
        labels: { "coxswain.dev/node": "simulated", "kubernetes.io/hostname": name, ...labels },
      },
      spec: { ...(taints && { taints }), ...(unschedulable && { unschedulable }) },
      status: { capacity, allocatable: capacity },
    });
  };

/** Runs the steps one after the other, then waits. */
export const all =
  (...steps: readonly Step[]): Step =>
  async (given) => {
    for (const step of steps) await step(given);
  };

export interface PodWords {
  readonly labels?: Readonly<Record<string, string>>;
  readonly asks?: Readonly<Record<string, string>>;
  readonly spec?: Partial<PodSpec>;
  readonly on?: string;
  readonly namespace?: string;
  readonly stopAfter?: string;
}

export const pod =
  (name: string, { labels, asks, spec, on, stopAfter }: PodWords = {}): Step =>
  async ({ client }) => {
    const annotations = stopAfter && { "coxswain.dev/stop-after": stopAfter };
    await client.resource(Pod, { namespace: "default" }).create({
      metadata: { name, ...(labels && { labels }), ...(annotations && { annotations }) },
      spec: {
        containers: [{ name: "c", image: "i", ...(asks && { resources: resources(asks) }) }],
        ...spec,
        ...(on && { nodeName: on }),
      },
    });
  };

/** For extended resources, the limit equals the request. */
function resources(requests: Readonly<Record<string, string>>): object {
  const whole = Object.entries(requests).filter(([name]) => name.includes("/"));
  return whole.length === 0 ? { requests } : { requests, limits: Object.fromEntries(whole) };
}

export const remove =
  (name: string): Step =>
  async ({ client }) => {
    await client.resource(Pod, { namespace: "default" }).delete(name, { gracePeriodSeconds: 0 });
  };

export const priority =
  (name: string, value: number, preemptionPolicy?: "Never"): Step =>
  async ({ client }) => {
    await client
      .resource(PriorityClass)
      .create({ metadata: { name }, value, ...(preemptionPolicy && { preemptionPolicy }) });
  };

export const service =
  (name: string, selector: Readonly<Record<string, string>>): Step =>
  async ({ client }) => {
    await client
      .resource(Service, { namespace: "default" })
      .create({ metadata: { name }, spec: { selector, clusterIP: "None" } });
  };

/** A budget with the status that its controller would write. */
export const budget =
  (name: string, labels: Readonly<Record<string, string>>, disruptionsAllowed: number): Step =>
  async ({ client }) => {
    const budgets = client.resource(PodDisruptionBudget, { namespace: "default" });
    await budgets.create({ metadata: { name }, spec: { selector: { matchLabels: labels }, minAvailable: 1 } });
    const status = { disruptionsAllowed, currentHealthy: 1, desiredHealthy: 1, expectedPods: 1, observedGeneration: 1 };
    await budgets.status.patch(name, { merge: { status } });
  };

/** A class without a provisioner. */
export const localClass =
  (name: string): Step =>
  async ({ client }) => {
    const volumeBindingMode = "WaitForFirstConsumer";
    await client
      .resource(StorageClass)
      .create({ metadata: { name }, provisioner: "kubernetes.io/no-provisioner", volumeBindingMode });
  };

const accessModes = ["ReadWriteOnce" as const];

export interface ClaimWords {
  readonly storageClassName?: string;
  readonly volume?: string;
  readonly mode?: "ReadWriteOnce" | "ReadWriteOncePod";
}

/** With `volume`, the claim is bound as its controller would bind it. */
export const claim =
  (name: string, { storageClassName = "", volume, mode = "ReadWriteOnce" }: ClaimWords = {}): Step =>
  async ({ client }) => {
    await client.resource(PersistentVolumeClaim, { namespace: "default" }).create({
      metadata: { name, ...(volume && { annotations: { "pv.kubernetes.io/bind-completed": "yes" } }) },
      spec: {
        accessModes: [mode],
        resources: { requests: { storage: "1Gi" } },
        storageClassName,
        ...(volume && { volumeName: volume }),
      },
    });
  };

export const volume =
  (name: string, on: string): Step =>
  async ({ client }) => {
    const here = { key: "kubernetes.io/hostname", operator: "In" as const, values: [on] };
    await client.resource(PersistentVolume).create({
      metadata: { name },
      spec: {
        accessModes,
        capacity: { storage: "1Gi" },
        hostPath: { path: "/x" },
        nodeAffinity: { required: { nodeSelectorTerms: [{ matchExpressions: [here] }] } },
      },
    });
  };

/** The volumes of a pod that uses these claims. */
export const using = (...claims: readonly string[]): { readonly volumes: NonNullable<PodSpec["volumes"]> } => ({
  volumes: claims.map((claimName) => ({ name: claimName, persistentVolumeClaim: { claimName } })),
});
