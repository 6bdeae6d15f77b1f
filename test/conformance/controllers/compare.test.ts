import { expect, test } from "vitest";
import { differences } from "./compare.js";
import type { Recording, Scenario } from "./scenario.js";

const loose: Scenario = { name: "rollout", loose: true, run: () => Promise.resolve() };

const told = (...messages: readonly string[]): Recording => {
  const events = messages.map((message) => `Deployment web (apps/v1 ): Normal Scaled once: ${message} [a/b//c]`);
  return { checkpoints: { end: { objects: [], events } }, seconds: 1 };
};

test("where the pace does not count, neither do numbers and repetitions; what was told does", () => {
  const real = told("up one from 1 to 2", "up one from 2 to 3");
  expect(differences(loose, told("up one from 1 to 3"), real)).toEqual([]);
  expect(differences(loose, told("down one from 1 to 3"), real)).toEqual([
    "rollout: end: only ours: event Deployment web (apps/v1 ): Normal Scaled: down one from N to N [a/b//c]",
    "rollout: end: only real: event Deployment web (apps/v1 ): Normal Scaled: up one from N to N [a/b//c]",
  ]);
  expect(differences({ ...loose, loose: false }, told("up one from 1 to 3"), real)).toHaveLength(3);
});

test("of events that one side combined, only their topic is compared", () => {
  const combined = told("up one from 1 to 2", "(combined from similar events): down two from 3 to 2");
  expect(differences(loose, combined, told("up one from 1 to 2", "down two from 3 to 2"))).toEqual([]);
  expect(differences(loose, combined, told())).toEqual([
    "rollout: end: only ours: event Deployment web (apps/v1 ): Normal Scaled [a/b//c]",
  ]);
});
