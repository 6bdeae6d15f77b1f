/** The node IPAM controller: gives each node that has none a range of addresses for its pods. */
import { isDeleting, isNotFound, Node } from "../../api/index.js";
import type { WorkClient } from "../../client/index.js";
import type { KeyRun } from "../../controller/index.js";
import type { BuiltInController, ControllerContext } from "../kit/context.js";
import { objectLoop } from "../kit/loops.js";
import { type NodeIpamSettings, NodeRanges } from "./plan.js";

const attempts = 3;

/** Throws if the settings contradict each other. */
export function nodeIpamController(context: ControllerContext, settings: NodeIpamSettings): BuiltInController {
  const nodes = context.informers.informer(Node);
  const recorder = context.recorderFor("cidrAllocator");
  const ranges = new NodeRanges(settings);
  const loop = objectLoop(context, nodes, { name: "cidrallocator_node", workers: 30, awaits: [nodes], sync });
  loop.watch(nodes, ({ type, object }, wake) => {
    if (type === "deleted") ranges.release(object.spec?.podCIDRs ?? []);
    else wake(object.metadata.name);
  });

  let hasBegun = false;

  /** Before the first range is given: nodes that are there keep their ranges. */
  function begin(): void {
    hasBegun = true;
    for (const node of nodes.indexer.list()) {
      try {
        ranges.occupy(node);
      } catch {
        // the node's own run reports it
      }
    }
  }

  async function sync(node: Node, { key, client }: KeyRun): Promise<void> {
    if (!hasBegun) begin();
    if (isDeleting(node)) return;
    if ((node.spec?.podCIDRs ?? []).length > 0) return ranges.occupy(node);
    const taken = ranges.take();
    if (taken === undefined) {
      tell(node, "CIDRNotAvailable");
      throw new Error(`no range is left for node ${key}`);
    }
    try {
      await give(client, key, taken);
    } catch (error) {
      ranges.release(taken);
      if (isNotFound(error)) return;
      tell(node, "CIDRAssignmentFailed");
      throw error;
    }
  }

  async function give(client: WorkClient, name: string, podCIDRs: readonly string[]): Promise<void> {
    const strategic = { spec: { podCIDR: podCIDRs[0] as string, podCIDRs } };
    for (let attempt = 1; ; attempt++) {
      try {
        return void (await client.resource(Node).patch(name, { strategic }));
      } catch (error) {
        if (attempt === attempts || isNotFound(error)) throw error;
      }
    }
  }

  const tell = (node: Node, reason: string): void =>
    recorder.normal(node, reason, `Node ${node.metadata.name} status is now: ${reason}`);

  return { loops: [loop] };
}
