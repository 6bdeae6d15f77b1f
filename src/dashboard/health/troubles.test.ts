import { expect, test } from "vitest";
import type { KubeObject } from "../../api/index.js";
import { stateOf } from "./state.js";
import { troublesOf } from "./troubles.js";

const object = (kind: string, status: unknown, metadata: object = {}): KubeObject =>
  ({ apiVersion: "v1", kind, metadata: { name: "x", ...metadata }, status }) as never;

const condition = (type: string, status: string, reason = "", message = ""): object => {
  return { type, status, reason, message };
};

test.each([
  [
    "a rollout that is refused",
    object("Deployment", {
      conditions: [
        condition("Available", "False", "MinimumReplicasUnavailable", "does not have minimum availability"),
        condition("ReplicaFailure", "True", "FailedCreate", "exceeded quota: few"),
        condition("Progressing", "False", "ProgressDeadlineExceeded", "timed out"),
      ],
    }),
    ["ReplicaFailure: FailedCreate: exceeded quota: few", "not Progressing: ProgressDeadlineExceeded: timed out"],
  ],
  [
    "a rollout on its way",
    object("Deployment", {
      conditions: [condition("Available", "False"), condition("Progressing", "True", "ReplicaSetUpdated")],
    }),
    [],
  ],
  [
    "a container that ends again and again",
    object("Pod", {
      conditions: [condition("Ready", "False", "ContainersNotReady")],
      containerStatuses: [
        {
          name: "c",
          state: { waiting: { reason: "CrashLoopBackOff", message: "back-off 10s" } },
          lastState: { terminated: { exitCode: 3, reason: "Error" } },
        },
      ],
    }),
    ["container c: CrashLoopBackOff: back-off 10s; it ended with 3 (Error) last"],
  ],
  [
    "a container that starts",
    object("Pod", { containerStatuses: [{ name: "c", state: { waiting: { reason: "ContainerCreating" } } }] }),
    [],
  ],
  [
    "a pod that fits nowhere",
    object("Pod", { conditions: [condition("PodScheduled", "False", "Unschedulable", "0/3 nodes are available")] }),
    ["not PodScheduled: Unschedulable: 0/3 nodes are available"],
  ],
  [
    "a node that nobody hears from",
    object("Node", { conditions: [condition("Ready", "Unknown", "NodeStatusUnknown", "stopped posting")] }),
    ["not Ready: NodeStatusUnknown: stopped posting"],
  ],
  [
    "a namespace with an object that stays",
    object("Namespace", {
      conditions: [
        condition("NamespaceFinalizersRemaining", "True", "SomeFinalizersRemain", "backup.example.com in 1 resource"),
        condition("NamespaceDeletionDiscoveryFailure", "False", "ResourcesDiscovered"),
      ],
    }),
    ["NamespaceFinalizersRemaining: SomeFinalizersRemain: backup.example.com in 1 resource"],
  ],
  [
    "an object that waits for a finalizer",
    object("ConfigMap", undefined, { deletionTimestamp: "2026-01-01T00:00:00Z", finalizers: ["example.com/f"] }),
    ["Deleted at 2026-01-01T00:00:00Z, and still there: it waits until its finalizers are removed: example.com/f"],
  ],
])("%s", (_, given, troubles) => {
  expect(troublesOf(given)).toEqual(troubles);
});

test.each([
  null,
  "text",
  7,
  { conditions: "none" },
  { conditions: [null, 7, "x", { type: {}, status: [], message: 1 }] },
  { conditions: { length: 3 }, phase: {} },
  { readyReplicas: {}, replicas: "many" },
  { containerStatuses: [{ name: {}, state: { waiting: { reason: {} } } }, null], initContainerStatuses: 5 },
])("a custom kind may have anything in its status: %j", (status) => {
  for (const kind of ["Boat", "Pod", "Node"]) {
    expect(troublesOf(object(kind, status))).toEqual(kind === "Node" ? expect.any(Array) : []);
    expect(stateOf(object(kind, status)).state).toMatch(/^(?:|Pending)$/);
  }
});
