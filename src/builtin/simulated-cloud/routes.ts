/** The node route controller: tells each node of the simulated cloud that there is a route to its pods. */
import { findCondition, formatTime, isNotFound, Node, unless } from "../../api/index.js";
import type { BuiltInController, ControllerContext } from "../kit/context.js";
import { objectLoop } from "../kit/loops.js";

import { isInCloud } from "./cloud.js";

const type = "NetworkUnavailable";
const reason = "RouteCreated";

/** Nodes in the cloud that have a range for their pods, and do not know of a route to it. */
const needsRoute = (node: Node): boolean => {
  const known = findCondition(node.status?.conditions, type);
  return isInCloud(node) && Boolean(node.spec?.podCIDR) && (known?.status !== "False" || known.reason !== reason);
};

export function nodeRoutes(context: ControllerContext): BuiltInController {
  const nodes = context.informers.informer(Node);
  const loop = objectLoop(context, nodes, {
    name: "node_route",
    workers: 1,
    awaits: [nodes],
    async sync(node, { key, client }) {
      if (!needsRoute(node)) return;
      const time = formatTime(context.clock.now());
      const times = { lastHeartbeatTime: time, lastTransitionTime: time };
      const condition = { type, status: "False", reason, message: "RouteController created a route", ...times };
      const strategic = { status: { conditions: [condition] } };
      await client.resource(Node).status.patch(key, { strategic }).catch(unless(isNotFound));
    },
  });
  loop.watch(nodes, ({ type: of, object: node }, wake) => {
    if (of !== "deleted" && needsRoute(node)) wake(node.metadata.name);
  });
  return { loops: [loop] };
}
