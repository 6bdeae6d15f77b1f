import { expect, test } from "vitest";
import type { DeviceTaint, DeviceToleration, Pod, ResourceClaim, ResourceSlice } from "../../api/index.js";
import { evictionTime } from "./plan.js";

const added = Date.parse("2026-01-01T00:00:00Z");
const bad: DeviceTaint = { key: "bad", effect: "NoExecute", timeAdded: "2026-01-01T00:00:00Z" };
const tolerated = (tolerationSeconds?: number): DeviceToleration => ({
  operator: "Exists",
  effect: "NoExecute",
  ...(tolerationSeconds !== undefined && { tolerationSeconds }),
});

const pod: Pod = {
  apiVersion: "v1",
  kind: "Pod",
  metadata: { name: "p", namespace: "default", uid: "u" },
  spec: { containers: [], nodeName: "n", resourceClaims: [{ name: "gpu", resourceClaimName: "c" }] },
};

const slice = (generation: number, taints: readonly DeviceTaint[]): ResourceSlice => ({
  apiVersion: "resource.k8s.io/v1",
  kind: "ResourceSlice",
  metadata: { name: `s${generation}` },
  spec: {
    driver: "d",
    allNodes: true,
    pool: { name: "pool", generation, resourceSliceCount: 1 },
    devices: [{ name: "x", taints }],
  },
});

function when(taints: readonly DeviceTaint[], tolerations: readonly DeviceToleration[], uid = "u"): number | undefined {
  const claim: ResourceClaim = {
    apiVersion: "resource.k8s.io/v1",
    kind: "ResourceClaim",
    metadata: { name: "c", namespace: "default" },
    spec: {},
    status: {
      reservedFor: [{ resource: "pods", name: "p", uid }],
      allocation: { devices: { results: [{ request: "r", driver: "d", pool: "pool", device: "x", tolerations }] } },
    },
  };
  const slices = [slice(1, [bad]), slice(2, taints)];
  return evictionTime(pod, { claim: () => claim, slicesOf: () => slices });
}

test.each([
  ["at once if nothing tolerates the taint", when([bad], []), added],
  ["never if the taint is tolerated", when([bad], [tolerated()]), undefined],
  ["never for a taint that only keeps new pods away", when([{ ...bad, effect: "NoSchedule" }], []), undefined],
  ["never for a taint of an older generation of the pool", when([], []), undefined],
  ["after the shortest of the times", when([bad], [tolerated(60), tolerated(30)]), added + 30_000],
  ["at once if the time is negative", when([bad], [tolerated(-5)]), added],
  ["never if the claim is reserved for others", when([bad], [], "v"), undefined],
])("a pod leaves a tainted device %s", (_, at, expected) => {
  expect(at).toBe(expected);
});
