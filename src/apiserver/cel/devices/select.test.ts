import { expect, test } from "vitest";
import type { Device } from "../../../api/index.js";
import { deviceSelector } from "./select.js";

const device: Device = {
  name: "a",
  attributes: {
    model: { string: "x1" },
    "other.example.com/count": { int: 3 },
    driver: { version: "1.10.0" },
    fast: { bool: true },
  },
  capacity: { memory: { value: "16Gi" } },
};
const own = "d.example.com";

test.each([
  [`device.driver == "${own}"`, true],
  [`device.attributes["${own}"].model == "x1"`, true],
  [`device.attributes["other.example.com"].count == 3 && device.attributes["${own}"].fast`, true],
  [`device.attributes["${own}"].driver.isGreaterThan(semver("1.9.0"))`, true],
  [`device.capacity["${own}"].memory.compareTo(quantity("20Gi")) >= 0`, false],
  [`"model" in device.attributes["unknown.example.com"]`, false],
  ["device.allowMultipleAllocations", false],
])("%s is %s for a device", (expression, expected) => {
  expect(deviceSelector(expression)(own, device)).toBe(expected);
});

test("an expression that fails for a device says why", () => {
  const select = deviceSelector(`device.attributes["${own}"].missing == 1`);
  expect(() => select(own, device)).toThrow("CEL runtime error: no such key: missing");
  const odd = { ...device, attributes: { v: { version: "one" } } };
  expect(() => select(own, odd)).toThrow("CEL runtime error: attribute v: parse semantic version: ");
});

test("a wrong expression is refused when it is compiled", () => {
  expect(() => deviceSelector("device.")).toThrow("CEL compile error: compilation failed:");
});
