import { describe, expect, test } from "vitest";
import type { Endpoints, EndpointSlice } from "../../api/index.js";
import { planMirror } from "./plan.js";

const endpointsOf = (subsets: NonNullable<Endpoints["subsets"]>, annotations = {}): Endpoints => ({
  apiVersion: "v1",
  kind: "Endpoints",
  metadata: { name: "db", namespace: "default", uid: "e", labels: { team: "x" }, annotations },
  subsets,
});

const subset = { addresses: [{ ip: "192.0.2.1", hostname: "one" }], ports: [{ port: 5432 }] };

/** The slices as they are once the plan is carried out. */
const stored = (endpoints: Endpoints): EndpointSlice[] =>
  planMirror(endpoints, []).create.map(
    (draft, i) =>
      ({
        ...draft,
        apiVersion: "discovery.k8s.io/v1",
        kind: "EndpointSlice",
        metadata: { ...draft.metadata, name: `s${i}` },
      }) as EndpointSlice,
  );

describe("mirrored slices", () => {
  test("say what the Endpoints say, without times and what kubectl noted", () => {
    const noted = { "endpoints.kubernetes.io/last-change-trigger-time": "2026-01-01T00:00:00Z", keep: "me" };
    const { create, update, delete: gone } = planMirror(endpointsOf([subset], noted), []);
    expect([update, gone]).toEqual([[], []]);
    expect(create).toEqual([
      {
        metadata: {
          generateName: "db-",
          namespace: "default",
          labels: {
            team: "x",
            "kubernetes.io/service-name": "db",
            "endpointslice.kubernetes.io/managed-by": "endpointslicemirroring-controller.k8s.io",
          },
          annotations: { keep: "me" },
          ownerReferences: [
            { apiVersion: "v1", kind: "Endpoints", name: "db", uid: "e", controller: true, blockOwnerDeletion: true },
          ],
        },
        addressType: "IPv4",
        endpoints: [{ addresses: ["192.0.2.1"], conditions: { ready: true }, hostname: "one" }],
        ports: [{ port: 5432, name: "", protocol: "TCP" }],
      },
    ]);
  });

  test("are one for each family and set of ports, and are left alone when nothing changed", () => {
    const both = endpointsOf([subset, { addresses: [{ ip: "2001:db8::1" }], ports: [{ port: 5432 }] }]);
    const slices = stored(both);
    expect(slices.map(({ addressType }) => addressType)).toEqual(["IPv4", "IPv6"]);
    expect(planMirror(both, slices)).toMatchObject({ create: [], update: [], delete: [] });
  });

  test("have the trace of their own writer, not of the Endpoints'", () => {
    const traced = endpointsOf([subset], { "tracing.k8s.io/traceparent": "00-1" });
    const [slice] = stored(traced) as [EndpointSlice];
    expect(slice.metadata.annotations).toEqual({});
    const written = { ...slice.metadata, annotations: { "tracing.k8s.io/traceparent": "00-2" } };
    expect(planMirror(traced, [{ ...slice, metadata: written }]).update).toEqual([]);
  });

  test("follow a change in place, and go with what they mirrored", () => {
    const slices = stored(endpointsOf([subset]));
    const changed = planMirror(endpointsOf([{ ...subset, addresses: [{ ip: "192.0.2.9" }] }]), slices);
    expect(changed.update.map(({ metadata, endpoints }) => [metadata.name, endpoints?.[0]?.addresses])).toEqual([
      ["s0", ["192.0.2.9"]],
    ]);
    expect(planMirror(endpointsOf([]), slices).delete).toEqual(slices);
  });

  test("hold a thousand addresses of a subset, and the rest is told of", () => {
    const addresses = Array.from({ length: 1_003 }, (_, i) => ({ ip: `10.0.${i >> 8}.${i & 255}` }));
    const { create, skipped } = planMirror(endpointsOf([{ addresses, ports: [{ port: 1 }] }]), []);
    expect([create[0]?.endpoints?.length, skipped]).toEqual([1_000, 3]);
  });
});
