import { describe, expect, test } from "vitest";
import type { Node, PersistentVolume, Pod, VolumeAttachment } from "../../api/index.js";
import { attachableName, attachmentName } from "../../placement/attachments.js";
import { attachSteps, multiAttachMessage, type NodeVolumes } from "./plan.js";

const volume: PersistentVolume = {
  apiVersion: "v1",
  kind: "PersistentVolume",
  metadata: { name: "pv" },
  spec: { accessModes: ["ReadWriteOnce"], csi: { driver: "d.example.com", volumeHandle: "h" } },
};
const name = attachableName(volume) ?? "";
const id = attachmentName(name, "a") ?? "";
const pod = (podName: string, namespace = "default"): Pod => ({
  apiVersion: "v1",
  kind: "Pod",
  metadata: { name: podName, namespace },
});
const wanted = [{ name, volume, pods: [pod("p")] }];

const attachment = (attached: boolean, node = "a", more: object = {}): VolumeAttachment => ({
  apiVersion: "storage.k8s.io/v1",
  kind: "VolumeAttachment",
  metadata: { name: attachmentName(name, node) ?? "" },
  spec: { attacher: "d.example.com", nodeName: node, source: { persistentVolumeName: "pv" } },
  status: { attached, ...more },
});

const node = (status: Node["status"], taint?: string, ready = "True"): Node => ({
  apiVersion: "v1",
  kind: "Node",
  metadata: { name: "a" },
  spec: taint === undefined ? {} : { taints: [{ key: taint, effect: "NoExecute" }] },
  status: { conditions: [{ type: "Ready", status: ready as "True" }], ...status },
});
const listed = [{ name, devicePath: "" }];

function steps(view: Partial<NodeVolumes>): readonly string[] {
  const given = { nodeName: "a", node: node({}), wanted: [], attachments: [], now: 1_000_000 };
  const around = { elsewhere: () => [], unwantedSince: () => 1_000_000 };
  return attachSteps({ ...given, ...around, ...view }).map((step) => {
    if (step.type === "report") return `report ${step.volumes.length}`;
    if (step.type === "wait") return `wait ${step.forMs}`;
    return step.type === "detach" && step.forced ? "force" : step.type;
  });
}

describe("a node's volumes", () => {
  const inUse = { volumesAttached: listed, volumesInUse: [name] };
  const idle = { volumesAttached: listed };
  const there = { attachments: [attachment(true)] };
  for (const [title, got, expected] of [
    ["are attached when pods need them", steps({ wanted }), ["attach"]],
    ["are waited for", steps({ wanted, attachments: [attachment(false)] }), []],
    ["are told to the node when they are there", steps({ wanted, ...there }), ["report 1", "attached"]],
    ["are left alone while they are needed", steps({ wanted, ...there, node: node(idle) }), []],
    [
      "may fail",
      steps({ wanted, attachments: [attachment(false, "a", { attachError: { message: "x" } })] }),
      ["failed"],
    ],
    ["of one node at a time wait", steps({ wanted, elsewhere: () => [attachment(true, "b")] }), ["elsewhere"]],
    ["that users attach are theirs", steps({ attachments: [{ ...attachment(true), metadata: { name: "va-1" } }] }), []],
    ["stay while the node uses them", steps({ ...there, node: node(inUse) }), []],
    ["go first from the list, then from the node", steps({ ...there, node: node(idle) }), ["report 0", "detach"]],
    ["stay on a lost node for a while", steps({ ...there, node: node(inUse, undefined, "Unknown") }), ["wait 360000"]],
    [
      "go from a lost node in the end",
      steps({ ...there, node: node(inUse, undefined, "Unknown"), unwantedSince: () => 640_000 }),
      ["report 0", "force"],
    ],
    [
      "go at once from a node that is out of service",
      steps({ ...there, node: node(inUse, "node.kubernetes.io/out-of-service") }),
      ["report 0", "force"],
    ],
    ["of a node that is gone wait as well", steps({ ...there, node: undefined }), ["wait 360000"]],
    [
      "of other kinds stay in the list",
      steps({ node: node({ volumesAttached: [{ name: "x", devicePath: "" }] }) }),
      [],
    ],
    ["without an attachment leave the list", steps({ node: node(idle) }), ["report 0"]],
  ] as const) {
    test(title, () => expect(got).toEqual(expected));
  }

  test("may be on several nodes if they can be shared", () => {
    const shared = { ...volume, spec: { ...volume.spec, accessModes: ["ReadWriteMany"] as const } };
    const elsewhere = (): readonly VolumeAttachment[] => [attachment(true, "b")];
    expect(steps({ wanted: [{ name, volume: shared, pods: [] }], elsewhere })).toEqual(["attach"]);
  });
});

test("an attachment is named after its volume, driver and node", () => {
  expect(name).toBe("kubernetes.io/csi/d.example.com^h");
  expect(id).toMatch(/^csi-[0-9a-f]{64}$/);
  expect(attachmentName(name, "b")).not.toBe(id);
  expect(attachmentName("kubernetes.io/host-path/x", "a")).toBe(undefined);
});

test("a pod is told who has its volume, but no names of other namespaces", () => {
  const message = (...users: readonly Pod[]): string => multiAttachMessage(pod("p"), volume, users);
  const start = 'Multi-Attach error for volume "pv" Volume is already';
  expect(message()).toBe(`${start} exclusively attached to one node and can't be attached to another`);
  expect(message(pod("q"), pod("r"))).toBe(`${start} used by pod(s) q, r`);
  expect(message(pod("q"), pod("r", "other"))).toBe(`${start} used by pod(s) q and 1 pod(s) in different namespaces`);
  expect(message(pod("r", "other"))).toBe(`${start} used by 1 pod(s) in different namespaces`);
});
