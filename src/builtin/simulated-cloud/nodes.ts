/** The cloud node controller: completes simulated nodes that wait for a cloud, as a cloud's own controller does. */
import { deepEqual, Node } from "../../api/index.js";
import type { KeyRun } from "../../controller/index.js";
import { isSimulated } from "../../placement/simulated-machines.js";
import type { BuiltInController, ControllerContext } from "../kit/context.js";
import { objectLoop } from "../kit/loops.js";
import { addressesOf, initialized, isInCloud, isUninitialized } from "./cloud.js";

export function cloudNodes(context: ControllerContext): BuiltInController {
  const nodes = context.informers.informer(Node);
  const recorder = context.recorderFor("cloud-node-controller");
  const loop = objectLoop(context, nodes, { name: "cloud_node", workers: 1, awaits: [nodes], sync });
  loop.watch(nodes, ({ type, object: node }, wake) => {
    if (type !== "deleted" && (isInCloud(node) || (isSimulated(node) && isUninitialized(node)))) {
      wake(node.metadata.name);
    }
  });

  async function sync(node: Node, { key, client }: KeyRun): Promise<void> {
    const isNew = isUninitialized(node);
    const current = isNew ? await client.resource(Node).update(initialized(node)) : node;
    const addresses = addressesOf(current);
    // a kubelet that has not reported yet will bring its addresses
    const hasReported = (current.status?.addresses ?? []).length > 0;
    if (hasReported && !deepEqual(addresses, current.status?.addresses)) {
      await client.resource(Node).status.patch(key, { merge: { status: { addresses } } });
    }
    if (isNew) recorder.normal(current, "Synced", "Node synced successfully");
  }

  return { loops: [loop] };
}
