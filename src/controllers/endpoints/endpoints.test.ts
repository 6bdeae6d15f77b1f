import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { EndpointSlice, Node, Pod, Service } from "../../api/index.js";
import { planSlices } from "./slices.js";
import { subsetsOf } from "./subsets.js";

const serviceOf = (spec: Partial<NonNullable<Service["spec"]>> = {}): Service => ({
  apiVersion: "v1",
  kind: "Service",
  metadata: { name: "web", namespace: "default", uid: "svc", labels: { team: "blue" } },
  spec: {
    clusterIP: "10.0.0.1",
    ipFamilies: ["IPv4"],
    selector: { app: "web" },
    ports: [{ port: 80, targetPort: 8080, protocol: "TCP" }],
    ...spec,
  },
});

interface PodShape {
  readonly ready?: boolean;
  readonly deleting?: boolean;
  readonly ip?: string;
  readonly named?: number;
}

function podOf(n: number, shape: PodShape = {}): Pod {
  const { ready = true, deleting = false, ip = `10.1.${Math.floor(n / 250)}.${(n % 250) + 1}`, named } = shape;
  const ports = named === undefined ? [] : [{ name: "http", containerPort: named }];
  return {
    apiVersion: "v1",
    kind: "Pod",
    metadata: {
      name: `p${n}`,
      namespace: "default",
      uid: `u${n}`,
      labels: { app: "web" },
      ...(deleting ? { deletionTimestamp: "2026-01-01T00:00:00Z" } : {}),
    },
    spec: { nodeName: "n1", containers: [{ name: "c", image: "x", ports }] },
    status: {
      phase: "Running",
      podIP: ip,
      podIPs: [{ ip }],
      conditions: ready ? [{ type: "Ready", status: "True" }] : [],
    },
  };
}

const node: Node = {
  apiVersion: "v1",
  kind: "Node",
  metadata: { name: "n1", labels: { "topology.kubernetes.io/zone": "a" } },
};
const observe = (service: Service, pods: readonly Pod[], slices: readonly EndpointSlice[] = [], capacity = 100) => ({
  service,
  pods,
  slices,
  node: () => node,
  capacity,
  triggerTime: undefined,
});

/** Carries the plan out on a list of slices. */
function apply(slices: readonly EndpointSlice[], plan: ReturnType<typeof planSlices>, round: number): EndpointSlice[] {
  const updated = new Map(plan.update.map((slice) => [slice.metadata.name, slice]));
  const gone = new Set(plan.delete.map(({ metadata }) => metadata.name));
  const made = plan.create.map(
    (draft, i) =>
      ({
        ...draft,
        apiVersion: "discovery.k8s.io/v1",
        kind: "EndpointSlice",
        metadata: { ...draft.metadata, name: `s${round}-${i}` },
      }) as EndpointSlice,
  );
  return [
    ...slices
      .filter(({ metadata }) => !gone.has(metadata.name))
      .map((slice) => updated.get(slice.metadata.name) ?? slice),
    ...made,
  ];
}

describe("EndpointSlices", () => {
  test("say where a service's pods are, on which node and zone, and whether they serve", () => {
    const { create } = planSlices(observe(serviceOf(), [podOf(0), podOf(1, { deleting: true })]));
    expect(create).toHaveLength(1);
    expect(create[0]).toMatchObject({
      metadata: {
        generateName: "web-",
        labels: {
          team: "blue",
          "kubernetes.io/service-name": "web",
          "endpointslice.kubernetes.io/managed-by": "endpointslice-controller.k8s.io",
        },
        ownerReferences: [{ kind: "Service", name: "web", uid: "svc", controller: true }],
      },
      addressType: "IPv4",
      ports: [{ name: "", port: 8080, protocol: "TCP" }],
      endpoints: [
        {
          addresses: ["10.1.0.1"],
          conditions: { ready: true, serving: true, terminating: false },
          nodeName: "n1",
          zone: "a",
          targetRef: { kind: "Pod", name: "p0", uid: "u0" },
        },
        { addresses: ["10.1.0.2"], conditions: { ready: false, serving: true, terminating: true } },
      ],
    });
  });

  test("say that there are none, rather than nothing", () => {
    expect(planSlices(observe(serviceOf(), [])).create).toMatchObject([{ endpoints: [], ports: [] }]);
  });

  test("are not written again when nothing changed", () => {
    const pods = [podOf(0), podOf(1)];
    const slices = apply([], planSlices(observe(serviceOf(), pods)), 0);
    expect(planSlices(observe(serviceOf(), pods, slices))).toEqual({ create: [], update: [], delete: [] });
  });

  test("keep pods with different numbers for a named port apart", () => {
    const service = serviceOf({ ports: [{ port: 80, targetPort: "http" }] });
    const { create } = planSlices(observe(service, [podOf(0, { named: 8080 }), podOf(1, { named: 9090 })]));
    expect(create.map(({ ports }) => ports?.[0]?.port)).toEqual([8080, 9090]);
  });

  test("after any history hold each pod exactly once, are never too full, and settle", () => {
    const step = fc.uniqueArray(fc.integer({ min: 0, max: 30 }), { maxLength: 30 });
    fc.assert(
      fc.property(fc.array(step, { minLength: 1, maxLength: 8 }), (history) => {
        let slices: EndpointSlice[] = [];
        for (const [round, present] of history.entries()) {
          const pods = present.map((n) => podOf(n));
          slices = apply(slices, planSlices(observe(serviceOf(), pods, slices, 5)), round);
          const held = slices.flatMap(({ endpoints = [] }) =>
            endpoints.map(({ targetRef }) => String(targetRef?.name)),
          );
          expect(held.toSorted()).toEqual(pods.map(({ metadata }) => metadata.name).toSorted());
          expect(slices.every(({ endpoints = [] }) => endpoints.length <= 5)).toBe(true);
          expect(slices.length).toBeGreaterThan(0);
          expect(planSlices(observe(serviceOf(), pods, slices, 5))).toEqual({ create: [], update: [], delete: [] });
        }
      }),
    );
  });
});

describe("Endpoints", () => {
  test("list ready pods and, apart, those that are not; leaving ones are left out", () => {
    const { subsets } = subsetsOf(serviceOf(), [podOf(1), podOf(0, { ready: false }), podOf(2, { deleting: true })]);
    expect(subsets).toMatchObject([
      {
        addresses: [{ ip: "10.1.0.2" }],
        notReadyAddresses: [{ ip: "10.1.0.1" }],
        ports: [{ port: 8080, protocol: "TCP" }],
      },
    ]);
  });

  test("are cut at a thousand addresses, ready ones kept", () => {
    const pods = [
      ...Array.from({ length: 5 }, (_, i) => podOf(i, { ready: false })),
      ...Array.from({ length: 1000 }, (_, i) => podOf(i + 5)),
    ];
    const { subsets, truncated } = subsetsOf(serviceOf(), pods);
    expect([subsets[0]?.addresses?.length, subsets[0]?.notReadyAddresses, truncated]).toEqual([1000, undefined, true]);
  });
});
