import { describe, expect, test } from "vitest";
import type { IPAddress, ServiceCIDR } from "../../api/index.js";
import { cidrSteps, finalizer } from "./plan.js";

const now = Date.parse("2026-01-01T00:01:00Z");

const range = (name: string, cidrs: readonly string[], metadata: object = {}): ServiceCIDR => ({
  apiVersion: "networking.k8s.io/v1",
  kind: "ServiceCIDR",
  metadata: { name, finalizers: [finalizer], ...metadata },
  spec: { cidrs },
});

const address = (name: string, manager = "ipallocator.k8s.io"): IPAddress => ({
  apiVersion: "networking.k8s.io/v1",
  kind: "IPAddress",
  metadata: { name, labels: { "ipaddress.kubernetes.io/managed-by": manager } },
  spec: { parentRef: { resource: "services", name: "a" } },
});

const stepsOf = (cidr: ServiceCIDR, others: readonly ServiceCIDR[] = [], addresses: readonly IPAddress[] = []) =>
  cidrSteps(cidr, { ranges: [cidr, ...others], addresses: () => addresses, now }).map((step) =>
    step.type === "condition" ? `${step.condition.status} ${step.condition.reason}` : JSON.stringify(step),
  );

const going = (seconds: number) => ({ deletionTimestamp: new Date(now - seconds * 1_000).toISOString() });

describe("a range of services' addresses", () => {
  for (const [title, steps, expected] of [
    [
      "is protected and ready",
      stepsOf(range("a", ["10.0.0.0/24"], { finalizers: [] })),
      ['{"type":"protect"}', "True "],
    ],
    [
      "stays while an address lies in it alone",
      stepsOf(range("a", ["10.0.0.0/24"], going(60)), [range("b", ["10.1.0.0/24"])], [address("10.0.0.5")]),
      ["False Terminating"],
    ],
    [
      "goes if another one contains it",
      stepsOf(range("a", ["10.0.0.0/24"], going(60)), [range("b", ["10.0.0.0/16"])], [address("10.0.0.5")]),
      ['{"type":"release"}'],
    ],
    [
      "stays if another one contains only one of its families",
      stepsOf(
        range("a", ["10.0.0.0/24", "fd00::/112"], going(60)),
        [range("b", ["10.0.0.0/16"])],
        [address("fd00::5")],
      ),
      ["False Terminating"],
    ],
    [
      "goes if the addresses in it are not of services",
      stepsOf(range("a", ["10.0.0.0/24"], going(60)), [], [address("10.0.0.5", "me")]),
      ['{"type":"release"}'],
    ],
    [
      "goes no sooner than all servers know",
      stepsOf(range("a", ["10.0.0.0/24"], going(4))),
      ['{"type":"wait","forMs":6000}'],
    ],
    ["that lets go is left to others", stepsOf(range("a", ["10.0.0.0/24"], { ...going(60), finalizers: ["x"] })), []],
  ] as const) {
    test(title, () => expect(steps).toEqual(expected));
  }
});
