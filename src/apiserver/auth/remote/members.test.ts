import { expect, test } from "vitest";
import { flagIn, membersIn, textIn, textsIn } from "./members.js";

test("what is absent or null is the zero value", () => {
  for (const members of [{}, { a: null }]) {
    expect([flagIn(members, "a"), textIn(members, "a"), textsIn(members, "a"), membersIn(members, "a")]).toEqual([
      false,
      "",
      [],
      {},
    ]);
  }
  expect(textsIn({ a: ["b", null] }, "a")).toEqual(["b", ""]);
});

test.each([
  [flagIn, "yes", "a boolean"],
  [flagIn, 1, "a boolean"],
  [textIn, {}, "a text"],
  [textsIn, "system:masters", "a list of texts"],
  [textsIn, ["a", {}], "a list of texts"],
  [membersIn, [], "an object"],
  [membersIn, "a", "an object"],
] as const)("%o refuses %o", (read, value, type) => {
  expect(() => read({ denied: value }, "denied")).toThrow(`the answer's denied is not ${type}`);
});
