import { expect, test } from "vitest";
import type { Device, DeviceClass, ResourceClaim, ResourceSlice } from "../../api/index.js";
import { Selectors } from "./selectors.js";

const selectorsOf = (...expressions: readonly string[]): { cel: { expression: string } }[] =>
  expressions.map((expression) => ({ cel: { expression } }));
const gpu: DeviceClass = {
  apiVersion: "resource.k8s.io/v1",
  kind: "DeviceClass",
  metadata: { name: "gpu" },
  spec: { selectors: selectorsOf("class") },
};
const claim: ResourceClaim = {
  apiVersion: "resource.k8s.io/v1",
  kind: "ResourceClaim",
  metadata: { name: "c" },
  spec: {
    devices: {
      requests: [
        { name: "one", exactly: { deviceClassName: "gpu", selectors: selectorsOf("a") } },
        { name: "two", firstAvailable: [{ name: "x", deviceClassName: "gpu", selectors: selectorsOf("wrong", "b") }] },
        { name: "three", exactly: { deviceClassName: "missing" } },
      ],
    },
  },
};
const sliceOf = (name: string, devices: readonly Device[]): ResourceSlice => ({
  apiVersion: "resource.k8s.io/v1",
  kind: "ResourceSlice",
  metadata: { name },
  spec: { driver: "d", allNodes: true, pool: { name, generation: 1, resourceSliceCount: 1 }, devices },
});

/** Selectors are beginnings of names, `class` fits all devices, and `wrong` cannot be evaluated; with all evaluations. */
function counted(): { readonly selectors: Selectors; readonly evaluated: string[] } {
  const evaluated: string[] = [];
  const selectors = new Selectors((expression) => (_, { name }) => {
    evaluated.push(`${expression} ${name}`);
    if (expression === "wrong") throw new Error("no such key");
    return expression === "class" || name.startsWith(expression);
  });
  return { selectors, evaluated };
}

test("a selector is evaluated once for each device, whatever it says", () => {
  const { selectors, evaluated } = counted();
  const [a, b]: Device[] = [{ name: "a" }, { name: "b" }];
  const ask = (): unknown[] => [
    selectors.test("a")("d", a as Device),
    selectors.test("a")("d", b as Device),
    expect(() => selectors.test("wrong")("d", a as Device)).toThrow("no such key"),
  ];
  expect([ask().slice(0, 2), ask().slice(0, 2)]).toEqual([
    [true, false],
    [true, false],
  ]);
  expect(evaluated).toEqual(["a a", "a b", "wrong a"]);
});

test("the devices are judged one by one, with a pause after each, before a decision needs them", () => {
  const { selectors, evaluated } = counted();
  const devices = [{ name: "a" }, { name: "b" }, { name: "c" }];
  const slices = [sliceOf("s", devices.slice(0, 2)), sliceOf("t", devices.slice(2))];
  const perStep: number[] = [];
  const steps = selectors.judge(claim, slices, (name) => (name === "gpu" ? gpu : undefined));
  for (let before = 0; !steps.next().done; before = evaluated.length) perStep.push(evaluated.length - before);
  // a device of the first request takes the class's and its own; of the second, the selector that cannot be evaluated
  expect(perStep).toEqual([2, 2, 2, 1, 1, 1]);
  const all = evaluated.length;
  for (const device of devices) selectors.test("class")("d", device);
  expect(evaluated).toHaveLength(all);
});
