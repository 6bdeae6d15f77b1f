import { describe, expect, test } from "vitest";
import type { Pod } from "../../api/index.js";
import { seededRandom } from "../../base/index.js";
import { choose } from "./choose.js";
import { failureMessage } from "./failure-message.js";
import { ClusterState } from "./state/cluster-state.js";
import { podInfo } from "./state/pod-info.js";
import { node, pod, cluster } from "../../../test/scheduler/shapes.js";

describe("a message says of taking the place of others", () => {
  const messageOf = (subject: Pod, state: ClusterState): string => {
    const decision = choose(podInfo(subject), state, { random: seededRandom(1) });
    return decision.type === "none" ? failureMessage(decision.failure) : decision.node;
  };
  const nodes = [node("a"), node("b", { spec: { unschedulable: true } })];
  const there = [pod({ on: "a", requests: { cpu: "3" } })];

  test("why it would not help", () => {
    expect(messageOf(pod({ requests: { cpu: "2" } }), cluster(nodes, there))).toBe(
      "0/2 nodes are available: 1 Insufficient cpu, 1 node(s) were unschedulable. preemption: 0/2 nodes are available: 1 No preemption victims found for incoming pod, 1 Preemption is not helpful for scheduling.",
    );
  });

  test("nothing if it would", () => {
    expect(messageOf(pod({ requests: { cpu: "2" }, spec: { priority: 10 } }), cluster(nodes, there))).toBe(
      "0/2 nodes are available: 1 Insufficient cpu, 1 node(s) were unschedulable.",
    );
  });
});
