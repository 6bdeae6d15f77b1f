import { expect, test } from "vitest";
import type { ControllerDescriptor } from "./context.js";
import { selectControllers } from "./select.js";

const never = (): never => {
  throw new Error("not made here");
};
const all: readonly ControllerDescriptor[] = [
  { name: "deployment-controller", aliases: ["deployment"], create: never },
  { name: "cronjob-controller", aliases: ["cronjob"], create: never },
];
const names = (...words: readonly string[]): readonly string[] => selectControllers(words, all).map(({ name }) => name);

for (const [words, expected] of [
  [["*"], ["deployment-controller", "cronjob-controller"]],
  [["*", "-cronjob"], ["deployment-controller"]],
  [["-cronjob", "*"], ["deployment-controller"]],
  [["cronjob-controller"], ["cronjob-controller"]],
  [
    ["deployment", "-deployment", "*"],
    ["deployment-controller", "cronjob-controller"],
  ],
  [[], []],
] as const) {
  test(`--controllers=${words.join(",")} runs ${expected.length === 0 ? "none" : expected.join(" and ")}`, () => {
    expect(names(...words)).toEqual(expected);
  });
}

test("an unknown name is refused with the known ones", () => {
  expect(() => names("*", "-crnjob")).toThrow(
    '"-crnjob" is not in the list of known controllers: cronjob-controller, deployment-controller',
  );
});
