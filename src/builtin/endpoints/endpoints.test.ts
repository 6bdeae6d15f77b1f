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

  test("of a namesake that was there before are deleted, not taken over", () => {
    const old = apply(
      [],
      planSlices(observe({ ...serviceOf(), metadata: { ...serviceOf().metadata, uid: "old" } }, [podOf(0)])),
      0,
    );
    const plan = planSlices(observe(serviceOf(), [podOf(0)], old));
    expect(plan.delete).toEqual(old);
    expect(plan.update).toEqual([]);
    expect(plan.create[0]?.metadata.ownerReferences?.[0]?.uid).toBe("svc");
  });

  test("leave out pods of a node that is not known, unless all are published", () => {
    const lost = { ...observe(serviceOf(), [podOf(0)]), node: () => undefined };
    expect(planSlices(lost)).toMatchObject({ create: [{ endpoints: [] }], leftOut: [{ pod: "p0", node: "n1" }] });
    const all = { ...lost, service: serviceOf({ publishNotReadyAddresses: true }) };
    expect(planSlices(all)).toMatchObject({ create: [{ endpoints: [{ nodeName: "n1" }] }], leftOut: [] });
  });

  test("say for whom a ready endpoint is, if the traffic is to stay near", () => {
    const hints = (trafficDistribution: string, annotations = {}) => {
      const service = serviceOf({ trafficDistribution });
      const { create } = planSlices(
        observe({ ...service, metadata: { ...service.metadata, annotations } }, [podOf(0), podOf(1, { ready: false })]),
      );
      return create[0]?.endpoints?.map((endpoint) => endpoint.hints);
    };
    const zone = { forZones: [{ name: "a" }] };
    expect(hints("PreferClose")).toEqual([zone, undefined]);
    expect(hints("PreferSameZone")).toEqual([zone, undefined]);
    expect(hints("PreferSameNode")).toEqual([{ ...zone, forNodes: [{ name: "n1" }] }, undefined]);
    expect(hints("PreferSameZone", { "service.kubernetes.io/topology-mode": "Auto" })).toEqual([undefined, undefined]);
  });

  test("say themselves whether their service is headless, whatever its labels say", () => {
    const said = { "service.kubernetes.io/headless": "", team: "blue" };
    const service = { ...serviceOf(), metadata: { ...serviceOf().metadata, labels: said } };
    expect(planSlices(observe(service, [])).create[0]?.metadata.labels).not.toHaveProperty(
      "service.kubernetes.io/headless",
    );
    const headless = serviceOf({ clusterIP: "None" });
    expect(planSlices(observe(headless, [])).create[0]?.metadata.labels).toHaveProperty(
      "service.kubernetes.io/headless",
    );
  });

  test("whose labels change anyway take new endpoints first", () => {
    const pods = Array.from({ length: 5 }, (_, n) => podOf(n));
    const [first] = apply([], planSlices(observe(serviceOf(), pods.slice(0, 2), [], 3)), 0);
    const [second] = apply([], planSlices(observe(serviceOf(), pods.slice(2, 4), [], 3)), 1);
    const relabelled = { ...second, metadata: { ...second?.metadata, labels: {} } } as EndpointSlice;
    const plan = planSlices(observe(serviceOf(), pods, [first as EndpointSlice, relabelled], 3));
    expect(plan.update.map(({ metadata, endpoints }) => [metadata.name, endpoints?.length])).toEqual([["s1-0", 3]]);
  });

  test("are not written again when nothing changed", () => {
    const pods = [podOf(0), podOf(1)];
    const slices = apply([], planSlices(observe(serviceOf(), pods)), 0);
    expect(planSlices(observe(serviceOf(), pods, slices))).toEqual({ create: [], update: [], delete: [], leftOut: [] });
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
          expect(planSlices(observe(serviceOf(), pods, slices, 5))).toEqual({
            create: [],
            update: [],
            delete: [],
            leftOut: [],
          });
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

  test("are grouped by port: ports with the same pods behind them share a subset", () => {
    const ports = [
      { name: "plain", port: 80, targetPort: 8080, protocol: "TCP" },
      { name: "admin", port: 81, targetPort: 8081, protocol: "TCP" },
      { name: "named", port: 82, targetPort: "http", protocol: "TCP" },
    ] as const;
    const { subsets } = subsetsOf(serviceOf({ ports }), [podOf(0, { named: 1 }), podOf(1, { named: 1 }), podOf(2)]);
    const shown = subsets.map((subset) => [
      subset.ports?.map(({ name }) => name),
      subset.addresses?.map(({ ip }) => ip),
    ]);
    expect(shown).toEqual([
      [["named"], ["10.1.0.1", "10.1.0.2"]],
      [
        ["plain", "admin"],
        ["10.1.0.1", "10.1.0.2", "10.1.0.3"],
      ],
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

test("Endpoints beyond a thousand are cut: ready ones stay, and each subset keeps its part", () => {
  const service = serviceOf({ ports: [{ port: 80, targetPort: "http", protocol: "TCP" }] });
  const of = (count: number, from: number, shape: PodShape) =>
    Array.from({ length: count }, (_, n) => podOf(from + n, shape));
  const sizes = (pods: readonly Pod[]) =>
    subsetsOf(service, pods).subsets.map((subset) => [
      subset.addresses?.length ?? 0,
      subset.notReadyAddresses?.length ?? 0,
    ]);
  const unready = { ready: false };
  expect(
    sizes([...of(900, 0, { named: 1 }), ...of(600, 900, { named: 2 }), ...of(9, 1500, { named: 1, ...unready })]),
  ).toEqual([
    [600, 0],
    [400, 0],
  ]);
  expect(
    sizes([
      ...of(700, 0, { named: 1 }),
      ...of(400, 700, { named: 1, ...unready }),
      ...of(200, 1100, { named: 2, ...unready }),
    ]),
  ).toEqual([
    [700, 200],
    [0, 100],
  ]);
});
