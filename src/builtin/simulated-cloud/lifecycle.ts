/** The cloud node lifecycle controller: deletes nodes whose simulated machine is gone, and marks nodes whose machine is off. */
import { isConditionTrue, isNotFound, Node, type Taint, unless } from "../../api/index.js";
import { messageOf } from "../../base/index.js";
import type { KeyRun } from "../../controller/index.js";
import { isMachineGone, isPoweredOn } from "../../placement/simulated-machines.js";
import type { BuiltInController, ControllerContext } from "../kit/context.js";
import { objectLoop } from "../kit/loops.js";

import { isInCloud } from "./cloud.js";

const shutdownTaint: Taint = { key: "node.cloudprovider.kubernetes.io/shutdown", effect: "NoSchedule" };

export function cloudNodeLifecycle(context: ControllerContext): BuiltInController {
  const nodes = context.informers.informer(Node);
  const recorder = context.recorderFor("cloud-node-lifecycle-controller");
  const loop = objectLoop(context, nodes, { name: "cloud_node_lifecycle", workers: 1, awaits: [nodes], sync });
  loop.watch(nodes, ({ type, object: node }, wake) => {
    if (type !== "deleted" && isInCloud(node)) wake(node.metadata.name);
  });

  async function sync(node: Node, { client }: KeyRun): Promise<void> {
    if (!isInCloud(node)) return;
    const isReady = isConditionTrue(node.status?.conditions, "Ready");
    if (!isReady && isMachineGone(node)) return remove(node, client);
    const taints = node.spec?.taints ?? [];
    const others = taints.filter(({ key: of }) => of !== shutdownTaint.key);
    const wanted = !isReady && !isPoweredOn(node) ? [...others, shutdownTaint] : isReady ? others : taints;
    if (wanted.length !== taints.length) {
      await client.resource(Node).update({ ...node, spec: { ...node.spec, taints: wanted } });
    }
  }

  async function remove(node: Node, client: KeyRun["client"]): Promise<void> {
    const { name } = node.metadata;
    recorder.normal(node, "DeletingNode", `Deleting node ${name} because it does not exist in the cloud provider`);
    try {
      await client.resource(Node).delete(name).catch(unless(isNotFound));
    } catch (error) {
      recorder.warning(node, "DeletingNodeFailed", `Failed deleting node ${name}: ${messageOf(error)}`);
      throw error;
    }
  }

  return { loops: [loop] };
}
