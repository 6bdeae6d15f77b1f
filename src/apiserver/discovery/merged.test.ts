import { expect, test } from "vitest";
import type { ServedGroup } from "../contracts/served.js";
import { mergedGroups, type RemoteServed } from "./index.js";

const local: readonly ServedGroup[] = ["", "apps", "batch", "example.com", "metrics.k8s.io"].map((group) => ({
  group,
  versions: [{ version: "v1", resources: [] }],
}));

const remote = (name: string, groupPriority: number, versionPriority = 15): RemoteServed => {
  const [version = "", ...group] = name.split(".");
  return { group: group.join("."), version, groupPriority, versionPriority, entries: [], current: true };
};

const byName = (a: string, b: string): number => (a < b ? -1 : 1);

/** `group: versions`, with a star at remote ones. */
const shown = (remotes: readonly RemoteServed[]): readonly string[] =>
  mergedGroups(local, remotes, byName).map(
    ({ group, versions }) =>
      `${group}: ${versions.map((one) => `${one.version}${one.remote === undefined ? "" : "*"}`).join(" ")}`,
  );

test.each([
  ["a group of high priority", [remote("v1.x", 19_000)], 0, "x: v1*"],
  ["a group between two local ones", [remote("v1.x", 17_500)], 2, "x: v1*"],
  ["a group of the priority of a custom one, by name", [remote("v1.f.com", 1000)], 4, "f.com: v1*"],
  ["a group of the least priority", [remote("v1.x", 1)], 5, "x: v1*"],
  ["a version in the place of a local one", [remote("v1.metrics.k8s.io", 100)], 4, "metrics.k8s.io: v1*"],
  ["a version before the local one", [remote("v2.example.com", 10, 200)], 3, "example.com: v2* v1"],
  ["a version after the local one", [remote("v2.example.com", 10, 1)], 3, "example.com: v1 v2*"],
  ["a version that lifts its group", [remote("v2.batch", 20_000, 1)], 0, "batch: v1 v2*"],
])("%s is listed by its priority", (_, remotes, at, expected) => {
  expect(shown(remotes)[at]).toBe(expected);
});

test("without remote versions the groups are the local ones", () => {
  expect(mergedGroups(local, [], byName)).toBe(local);
});
