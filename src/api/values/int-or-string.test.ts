import { expect, test } from "vitest";
import { intOrStringValue, parseIntOrString, scaledValueOf } from "./int-or-string.js";

test("a percentage is rounded up or down, a number is itself", () => {
  const cases = [
    scaledValueOf("25%", 10, "up"),
    scaledValueOf("25%", 10, "down"),
    scaledValueOf("100%", 3, "down"),
    scaledValueOf("0%", 3, "up"),
    scaledValueOf("-25%", 10, "up"),
    scaledValueOf("-25%", 10, "down"),
    scaledValueOf("10%", 0, "up"),
    scaledValueOf(7, 10, "up"),
    scaledValueOf("150%", 3, "up"),
  ];
  expect(cases).toEqual([3, 2, 3, 0, -2, -3, 0, 7, 5]);
});

test("what is no percentage is refused in the words of the field", () => {
  expect(() => scaledValueOf("3", 10, "up")).toThrow(
    "invalid value for IntOrString: invalid type: string is not a percentage",
  );
  expect(() => scaledValueOf("a%", 10, "up")).toThrow(
    'invalid value for IntOrString: invalid value "a%": strconv.Atoi: parsing "a": invalid syntax',
  );
  expect(() => scaledValueOf("1.5%", 10, "up")).toThrow('parsing "1.5": invalid syntax');
  expect(() => scaledValueOf(undefined, 10, "up")).toThrow("nil value for IntOrString");
});

test("text becomes a number if it is a 32-bit decimal", () => {
  expect(["8080", "-1", "http", "2147483647", "2147483648", "10%", ""].map((text) => parseIntOrString(text))).toEqual([
    8080,
    -1,
    "http",
    2147483647,
    "2147483648",
    "10%",
    "",
  ]);
  expect([intOrStringValue("12"), intOrStringValue("x"), intOrStringValue(5)]).toEqual([12, 0, 5]);
});
