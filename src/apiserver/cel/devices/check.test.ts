import { expect, test } from "vitest";
import { selectorFault } from "./check.js";

const nested = (depth: number): string =>
  depth === 0 ? "true" : `device.attributes.all(a${depth}, ${nested(depth - 1)})`;

test("a selector may compare attributes with anything, and name parts of the device", () => {
  const expression = "cel.bind(d, device.attributes['a.example.com'], d.name.startsWith('x') && d.size > 5 && d.fast)";
  expect(selectorFault(expression)).toBeUndefined();
});

test.each([
  ["device.driver", "must evaluate to bool or the unknown type, not string"],
  ["device.attributes['a']", "must evaluate to bool or the unknown type, not map(string, google.protobuf.Any)"],
  ["device.attributes['a'].b.c", "must evaluate to bool or the unknown type, not dyn"],
])("%s is refused: it %s", (expression, message) => {
  expect(selectorFault(expression)).toEqual({ type: "wrong", message });
});

test("a loop over an attribute, whose type is unknown, does not compile", () => {
  const fault = selectorFault("device.attributes['a'].b.exists(x, x)");
  expect(fault).toMatchObject({ message: expect.stringContaining("expression of type 'any' cannot be range") });
});

test("the bounds of a device decide how deep loops over it may be", () => {
  expect(selectorFault(nested(3))).toBeUndefined();
  expect(selectorFault(nested(5))).toEqual({ type: "too complex" });
});
