/** Pods with claims, for the comparison of schedulers. */
import { all, claim, localClass, node, pod, type Scenario, scenario, using, volume } from "./scenario.js";

export const volumeScenarios: readonly Scenario[] = [
  scenario(
    "claims that hold a pod back",
    all(node("n1"), node("n2"), localClass("local")),
    all(claim("late"), claim("local", { storageClassName: "local" }), claim("lost", { volume: "nowhere" })),
    all(
      pod("a", { spec: using("missing") }),
      pod("b", { spec: using("late") }),
      pod("c", { spec: using("local") }),
      pod("d", { spec: using("lost") }),
      pod("e", { spec: using("local", "lost") }),
      pod("f", { spec: using("local", "late") }),
    ),
  ),
  scenario(
    "a volume that is on one node",
    all(node("n1"), node("n2"), node("n3", { unschedulable: true }), volume("v2", "n2"), volume("v3", "n3")),
    all(claim("two", { volume: "v2" }), claim("three", { volume: "v3" })),
    all(
      pod("a", { spec: using("two") }),
      pod("b", { spec: using("three") }),
      pod("c", { spec: using("two", "three") }),
    ),
  ),
];
