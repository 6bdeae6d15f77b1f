import { describe, expect, test } from "vitest";
import { emptyMap, own, without } from "./members.js";

const inherited = ["constructor", "toString", "valueOf", "hasOwnProperty", "__proto__", "__defineGetter__"];

describe("a map by names from outside", () => {
  test("has what was put there, and nothing that objects inherit", () => {
    for (const name of inherited) expect(own({ a: 1 }, name)).toBeUndefined();
    expect([own({ a: 1 }, "a"), own(undefined, "a")]).toEqual([1, undefined]);
  });

  test("takes any name", () => {
    const map = emptyMap<string>();
    for (const name of inherited) {
      expect(map[name]).toBeUndefined();
      map[name] = name;
    }
    expect(Object.values(map)).toEqual(inherited);
    for (const name of inherited) expect(own(map, name)).toBe(name);
  });
});

test("a copy lacks the member, and the object keeps it", () => {
  const object = { a: 1, b: { c: 2 }, d: undefined };
  const copy = without(object, "a");
  expect(Object.keys(copy)).toEqual(["b", "d"]);
  expect(copy.b).toBe(object.b);
  expect(object.a).toBe(1);
  expect(without(copy, "a" as never)).toEqual(copy);
});
