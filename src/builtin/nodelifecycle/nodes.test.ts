import { describe, expect, test } from "vitest";
import type { Node, NodeCondition, Taint } from "../../api/index.js";
import { toleranceOf } from "../taint-eviction/tolerance.js";
import { isSilent, observeSigns, unknownConditions } from "./health.js";
import { missingLabels } from "./labels.js";
import { withNoExecuteTaint, withNoScheduleTaints } from "./taints.js";
import { evictionRate, isEverythingDown, zonesOf } from "./zones.js";

const now = Date.parse("2026-01-01T01:00:00Z");

function nodeOf(
  ready: "True" | "False" | "Unknown" | undefined,
  options: {
    zone?: string;
    taints?: readonly Taint[];
    unschedulable?: boolean;
    conditions?: readonly NodeCondition[];
  } = {},
): Node {
  const { zone, taints, unschedulable, conditions = [] } = options;
  return {
    apiVersion: "v1",
    kind: "Node",
    metadata: {
      name: "n",
      creationTimestamp: "2026-01-01T00:00:00Z",
      ...(zone === undefined ? {} : { labels: { "topology.kubernetes.io/zone": zone } }),
    },
    spec: { ...(taints === undefined ? {} : { taints }), ...(unschedulable === undefined ? {} : { unschedulable }) },
    status: {
      conditions: [
        ...(ready === undefined
          ? []
          : [{ type: "Ready" as const, status: ready, lastHeartbeatTime: "2026-01-01T00:59:00Z" }]),
        ...conditions,
      ],
    },
  };
}

const at = (ms: number) => ({ wallMs: ms, steadyMs: ms });

describe("a node", () => {
  test("is not silent because the clock of the controller was set", () => {
    const signs = observeSigns(undefined, nodeOf("True"), undefined, at(now));
    expect(isSilent(nodeOf("True"), signs, { wallMs: now + 3_600_000, steadyMs: now + 1_000 })).toBe(false);
    expect(isSilent(nodeOf("True"), signs, { wallMs: now - 3_600_000, steadyMs: now + 50_001 })).toBe(true);
  });

  test("is silent when neither heartbeat nor lease changed for 50 s, by our own clock", () => {
    const signs = observeSigns(undefined, nodeOf("True"), undefined, at(now));
    expect(isSilent(nodeOf("True"), signs, at(now + 50_000))).toBe(false);
    expect(isSilent(nodeOf("True"), signs, at(now + 50_001))).toBe(true);
    const lease = {
      apiVersion: "coordination.k8s.io/v1",
      kind: "Lease",
      metadata: { name: "n" },
      spec: { renewTime: "1" },
    } as const;
    expect(observeSigns(signs, nodeOf("True"), lease, at(now + 40_000)).seenAtMs).toBe(now + 40_000);
    expect(observeSigns(signs, nodeOf("True"), undefined, at(now + 40_000))).toBe(signs);
  });

  test("that never reported has 60 s from its creation", () => {
    const created = Date.parse("2026-01-01T00:00:00Z");
    const signs = observeSigns(undefined, nodeOf(undefined), undefined, at(created));
    expect([
      isSilent(nodeOf(undefined), signs, at(created + 60_000)),
      isSilent(nodeOf(undefined), signs, at(created + 60_001)),
    ]).toEqual([false, true]);
  });

  test("whose readiness somebody removed gets its time anew", () => {
    const signs = observeSigns(undefined, nodeOf("True"), undefined, at(now));
    const removed = observeSigns(signs, nodeOf(undefined), undefined, at(now + 10_000));
    expect(isSilent(nodeOf(undefined), removed, at(now + 70_000))).toBe(false);
    expect(isSilent(nodeOf(undefined), removed, at(now + 70_001))).toBe(true);
  });

  test("lives no longer because its lease is gone", () => {
    const lease = { apiVersion: "coordination.k8s.io/v1", kind: "Lease", metadata: { name: "n" } } as const;
    const signs = observeSigns(undefined, nodeOf("True"), { ...lease, spec: { renewTime: "1" } }, at(now));
    expect(observeSigns(signs, nodeOf("True"), undefined, at(now + 40_000))).toBe(signs);
  });

  test("has the older labels that say what the newer ones say", () => {
    const labelled = (labels: Readonly<Record<string, string>>): Node => ({
      ...nodeOf("True"),
      metadata: { name: "n", labels },
    });
    expect(missingLabels(labelled({}))).toBeUndefined();
    expect(missingLabels(labelled({ "kubernetes.io/os": "linux", "beta.kubernetes.io/arch": "arm64" }))).toEqual({
      "beta.kubernetes.io/os": "linux",
    });
    expect(missingLabels(labelled({ "kubernetes.io/arch": "amd64", "beta.kubernetes.io/arch": "arm64" }))).toEqual({
      "beta.kubernetes.io/arch": "amd64",
    });
  });

  test("that is silent is unknown in all that its kubelet reports", () => {
    const conditions = unknownConditions(
      nodeOf("True", { conditions: [{ type: "NetworkUnavailable", status: "False" }] }),
      now,
    );
    expect(conditions.map(({ type, status, reason }) => [type, status, reason])).toEqual([
      ["Ready", "Unknown", "NodeStatusUnknown"],
      ["NetworkUnavailable", "False", undefined],
      ["MemoryPressure", "Unknown", "NodeStatusNeverUpdated"],
      ["DiskPressure", "Unknown", "NodeStatusNeverUpdated"],
      ["PIDPressure", "Unknown", "NodeStatusNeverUpdated"],
    ]);
    const marked = { ...nodeOf("True"), status: { conditions } };
    expect(unknownConditions(marked, now + 1000)).toBe(conditions);
  });
});

describe("taints", () => {
  const own: Taint = { key: "team", value: "blue", effect: "NoSchedule" };
  const keys = (taints: readonly Taint[]): readonly string[] => taints.map(({ key, effect }) => `${key}:${effect}`);

  test("follow the conditions, and leave others' alone", () => {
    const node = nodeOf("Unknown", {
      taints: [own],
      unschedulable: true,
      conditions: [{ type: "DiskPressure", status: "True" }],
    });
    expect(keys(withNoScheduleTaints(node, now))).toEqual([
      "team:NoSchedule",
      "node.kubernetes.io/unschedulable:NoSchedule",
      "node.kubernetes.io/unreachable:NoSchedule",
      "node.kubernetes.io/disk-pressure:NoSchedule",
    ]);
    const well = nodeOf("True", { taints: withNoScheduleTaints(node, now) });
    expect(withNoScheduleTaints(well, now)).toEqual([own]);
  });

  test("that call for eviction are one of two, or none", () => {
    const tainted = withNoExecuteTaint(nodeOf("Unknown", { taints: [own] }), "node.kubernetes.io/unreachable", now);
    expect(keys(tainted)).toEqual(["team:NoSchedule", "node.kubernetes.io/unreachable:NoExecute"]);
    const swapped = withNoExecuteTaint(nodeOf("False", { taints: tainted }), "node.kubernetes.io/not-ready", now);
    expect(keys(swapped)).toEqual(["team:NoSchedule", "node.kubernetes.io/not-ready:NoExecute"]);
    expect(withNoExecuteTaint(nodeOf("True", { taints: swapped }), undefined, now)).toEqual([own]);
  });
});

describe("zones", () => {
  const zone = (name: string, ready: number, notReady: number): readonly Node[] => [
    ...Array.from({ length: ready }, () => nodeOf("True", { zone: name })),
    ...Array.from({ length: notReady }, () => nodeOf("Unknown", { zone: name })),
  ];
  for (const [ready, notReady, state, rate] of [
    [3, 1, "Normal", 0.1],
    [1, 2, "Normal", 0.1],
    [2, 3, "PartialDisruption", 0],
    [20, 40, "PartialDisruption", 0.01],
    [0, 3, "FullDisruption", 0.1],
  ] as const) {
    test(`with ${ready} nodes ready and ${notReady} not are in ${state}, and evict at ${rate}/s`, () => {
      const [only] = [...zonesOf(zone("a", ready, notReady)).values()];
      expect(only?.state).toBe(state);
      expect(only && evictionRate(only)).toBe(rate);
    });
  }
  test("do not count nodes that somebody took out of the count", () => {
    const out = (node: Node): Node => ({
      ...node,
      metadata: { ...node.metadata, labels: { ...node.metadata.labels, "node.kubernetes.io/exclude-disruption": "" } },
    });
    expect([...zonesOf([out(nodeOf("True", { zone: "a" })), nodeOf("Unknown", { zone: "b" })]).values()]).toEqual([
      { state: "FullDisruption", size: 1 },
    ]);
    expect(evictionRate(zonesOf([]).get("a"))).toBe(0.1);
  });

  test("that are all down mean that the fault is ours", () => {
    expect(isEverythingDown(zonesOf([...zone("a", 0, 2), ...zone("b", 0, 1)]))).toBe(true);
    expect(isEverythingDown(zonesOf([...zone("a", 0, 2), ...zone("b", 1, 1)]))).toBe(false);
  });
});

describe("a pod stays on a tainted node", () => {
  const taint: Taint = { key: "k", effect: "NoExecute" };
  for (const [name, tolerations, expected] of [
    ["not, if it does not tolerate the taint", [], "not"],
    ["for ever, if nothing limits it", [{ key: "k", operator: "Exists" }], "forever"],
    [
      "as long as its shortest toleration",
      [
        { key: "k", operator: "Exists", tolerationSeconds: 300 },
        { operator: "Exists", tolerationSeconds: 60 },
      ],
      { seconds: 60 },
    ],
    ["not, if that is no time at all", [{ key: "k", operator: "Exists", tolerationSeconds: 0 }], "not"],
  ] as const) {
    test(name, () => expect(toleranceOf([taint], tolerations)).toEqual(expected));
  }
});
