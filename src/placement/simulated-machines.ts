/** The machines of simulated nodes, as kubelets and the simulated cloud both see them. Pure. */
import type { Node, Taint } from "../api/index.js";

/** Nodes with this label are played by `startSimulatedNodes`; any client may create one. */
export const simulatedLabel = { key: "coxswain.dev/node", value: "simulated" } as const;

/** `off`: the node neither renews its lease nor reports, and its pods stand still, as after a loss of power or network. */
export const powerAnnotation = "coxswain.dev/power";

/** `gone`: the cloud has taken the machine away, and the node is off for ever. */
const machineAnnotation = "coxswain.dev/machine";

type Marked = Pick<Node, "metadata">;

export const isSimulated = ({ metadata }: Marked): boolean =>
  metadata.labels?.[simulatedLabel.key] === simulatedLabel.value;

export const isPoweredOn = (node: Marked): boolean =>
  node.metadata.annotations?.[powerAnnotation] !== "off" && !isMachineGone(node);

export const isMachineGone = ({ metadata }: Marked): boolean => metadata.annotations?.[machineAnnotation] === "gone";

/** A kubelet gives it to a node that a cloud has to complete. */
export const uninitializedTaint: Taint = {
  key: "node.cloudprovider.kubernetes.io/uninitialized",
  value: "true",
  effect: "NoSchedule",
};
