import { expect, test } from "vitest";
import { checkNumber, checkNumbers } from "./numbers.js";

const bad = [Number.NaN, -1, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY, "4", null, {}, 1n];

test.each(bad.map((value) => [String(value), value]))("%s is no number for an option", (_, value) => {
  expect(() => checkNumber("n", value)).toThrow(RangeError);
});

test("the error names the option and whose it is, what it may be and what it was", () => {
  const rules = { workers: { min: 1, whole: true }, port: { max: 65_535, whole: true } };
  const check = (options: object) => () => checkNumbers("controller a", options, rules);
  expect(check({ workers: Number.NaN })).toThrow("controller a: workers must be a whole number from 1 on, not NaN");
  expect(check({ workers: 0 })).toThrow("not 0");
  expect(check({ workers: 1.5 })).toThrow("not 1.5");
  expect(check({ workers: "4" })).toThrow('not "4"');
  expect(check({ port: 65_536 })).toThrow("controller a: port must be a whole number from 0 to 65535, not 65536");
  expect(check({ workers: 1, port: 0 })).not.toThrow();
  expect(check({})).not.toThrow();
});

test("Infinity passes where there may be no limit, NaN never", () => {
  expect(() => checkNumber("n", Number.POSITIVE_INFINITY, { endless: true, whole: true })).not.toThrow();
  expect(() => checkNumber("n", Number.NaN, { endless: true })).toThrow(RangeError);
});
