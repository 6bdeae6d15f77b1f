import { describe, expect, test } from "vitest";
import { checkOptions, type OptionsCheck, shown } from "./options.js";

const rules = {
  name: "text",
  run: "function",
  kinds: "list",
  isOn: "boolean",
  cache: "object",
  workers: { min: 1, whole: true },
} as const satisfies OptionsCheck["rules"];
const check = (options: unknown) => () => checkOptions(options, { of: "thing a", rules, required: ["name", "run"] });
const good = { name: "a", run: () => {} };

describe("options", () => {
  test("what is right, or undefined and not required, passes", () => {
    expect(check({ ...good, kinds: [], isOn: false, cache: {}, workers: 1 })).not.toThrow();
    expect(check({ ...good, kinds: undefined, workers: undefined })).not.toThrow();
  });

  test.each([
    [undefined, "thing a: undefined is no object of options"],
    [[], "thing a: [] is no object of options"],
    ["text", "thing a: 'text' is no object of options"],
    [{ name: "a" }, "thing a: run is missing"],
    [{ ...good, worker: 3 }, "thing a: there is no option worker; there are name, run, kinds, isOn, cache, workers"],
    [{ ...good, name: "" }, "thing a: name must be a text that is not empty, not ''"],
    [{ ...good, run: "go" }, "thing a: run must be a function, not 'go'"],
    [{ ...good, kinds: "default" }, "thing a: kinds must be an array, not 'default'"],
    [{ ...good, isOn: "yes" }, "thing a: isOn must be true or false, not 'yes'"],
    [{ ...good, cache: ["a"] }, "thing a: cache must be an object, not [ 'a' ]"],
    [{ ...good, workers: 0 }, "thing a: workers must be a whole number from 1 on, not 0"],
  ])("%j is refused", (options, message) => {
    expect(check(options)).toThrow(message);
  });
});

test("a value is shown in one short line", () => {
  expect(shown({ a: { b: { c: 1 } } })).toBe("{ a: { b: [Object] } }");
  expect(shown("x".repeat(1000)).length).toBeLessThan(100);
  expect(shown(function map() {})).toBe("the function map");
});
