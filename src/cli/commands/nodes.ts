/** `coxswain nodes`: simulated nodes on any cluster; `coxswain node stop|start NAME` and `list`: their power. */
import { readFile } from "node:fs/promises";
import { Command } from "commander";
import { findCondition, isNotFound, Node, Pod } from "../../api/index.js";
import {
  isPoweredOn,
  isSimulated,
  powerAnnotation,
  simulatedLabel,
  startSimulatedNodes,
} from "../../machines/index.js";
import {
  type ClusterFlags,
  clusterOptions,
  connectBy,
  partOptions,
  type PartFlags,
  runPart,
} from "../cluster-flags.js";
import { followCommandsOption, parseCount, parseDevices, parsePath, parseSpeed } from "../flags.js";
import type { Terminal } from "../terminal.js";

interface NodesFlags extends PartFlags {
  readonly nodes: number;
  readonly devices: number;
  readonly cloud: boolean;
  readonly speed: number;
  readonly followCommands: boolean;
  readonly untaint: boolean;
  readonly kubeletClientCa?: string;
}

export function nodesCommand(terminal: Terminal): Command {
  const { key, value } = simulatedLabel;
  const command = new Command("nodes")
    .description(`play the nodes of a cluster that have the label ${key}=${value}; Ctrl-C stops it`)
    .option("--nodes <count>", "register so many first, as node-1, node-2, …: 0 to 5000", parseCount, 0)
    .option("--devices <count>", "how many devices each of these has, for resource claims: 0 to 64", parseDevices, 0)
    .option("--cloud", "these wait for a cloud to complete them; the built-in controllers simulate one", false)
    .option("--speed <factor>", "how much faster pods live than the clock says", parseSpeed, 1)
    .option(
      "--untaint",
      "take the not-ready taint off new nodes; for clusters without a node-lifecycle-controller",
      false,
    )
    .option(
      "--kubelet-client-ca <file>",
      "open a kubelet port for each node, to clients with a certificate of this authority",
      parsePath,
    );
  for (const option of [followCommandsOption(), ...partOptions()]) command.addOption(option);
  return command.action((flags: NodesFlags) =>
    runPart(
      {
        name: "nodes",
        lease: "coxswain-nodes",
        async run({ signal, say, show, ...surroundings }) {
          const { nodes, devices, cloud, speed, followCommands, untaint } = flags;
          const authority = flags.kubeletClientCa && (await readFile(flags.kubeletClientCa, "utf8"));
          const kubeletPorts = authority === undefined ? {} : { kubeletPorts: { clientAuthority: authority } };
          const options = { ...surroundings, nodes, devices, cloud, speed, followCommands, untaint, ...kubeletPorts };
          await using running = startSimulatedNodes(options, signal);
          show({ informers: running.informers });
          await running.started;
          if (!signal.aborted) say(`playing the nodes with ${key}=${value}`);
          await running.done;
        },
      },
      flags,
      terminal,
    ),
  );
}

export function nodeCommand(terminal: Terminal): Command {
  const command = new Command("node").description("the power of a simulated node");
  const power = (name: string, on: boolean, description: string): Command => {
    const sub = new Command(name).description(description).argument("<name>", "the node's name");
    for (const option of clusterOptions()) sub.addOption(option);
    return sub.action((node: string, flags: ClusterFlags) => switchPower(node, { on, flags, terminal }));
  };
  command.addCommand(power("stop", false, "as if it lost its power: no reports, and its pods stand still"));
  command.addCommand(power("start", true, "back again"));
  const list = new Command("list").description("the simulated nodes, their power and what the cluster knows of them");
  for (const option of clusterOptions()) list.addOption(option);
  command.addCommand(list.action((flags: ClusterFlags) => listNodes(flags, terminal)));
  return command;
}

async function listNodes(flags: ClusterFlags, terminal: Terminal): Promise<void> {
  using stop = terminal.stopSignal();
  const { signal } = stop;
  await using client = await connectBy(flags, { userAgent: "coxswain-node" });
  const labelSelector = `${simulatedLabel.key}=${simulatedLabel.value}`;
  const [nodes, pods] = await Promise.all([
    client.resource(Node).list({ labelSelector, signal }),
    client.resource(Pod, { namespace: "" }).list({ signal }),
  ]);
  const podsOn = new Map<string, number>();
  for (const { spec } of pods.items) podsOn.set(spec?.nodeName ?? "", (podsOn.get(spec?.nodeName ?? "") ?? 0) + 1);
  const rows = nodes.items.map((node) => {
    const ready = findCondition(node.status?.conditions, "Ready")?.status;
    const { name } = node.metadata;
    return [name, isPoweredOn(node) ? "on" : "off", readiness(ready), String(podsOn.get(name) ?? 0)];
  });
  terminal.out(
    rows.length === 0 ? `no node has the label ${labelSelector}\n` : table(["NAME", "POWER", "STATUS", "PODS"], rows),
  );
}

const readiness = (ready: string | undefined): string =>
  ready === "True" ? "Ready" : ready === "False" ? "NotReady" : "Unknown";

/** Columns as kubectl prints them. */
function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const widths = head.map((_, at) => Math.max(...[head, ...rows].map((row) => row[at]?.length ?? 0)));
  const line = (row: readonly string[]): string =>
    row
      .map((cell, at) => cell.padEnd((widths[at] ?? 0) + 3))
      .join("")
      .trimEnd();
  return `${[head, ...rows].map(line).join("\n")}\n`;
}

interface Switching {
  readonly on: boolean;
  readonly flags: ClusterFlags;
  readonly terminal: Terminal;
}

async function switchPower(name: string, { on, flags, terminal }: Switching): Promise<void> {
  using stop = terminal.stopSignal();
  const { signal } = stop;
  await using client = await connectBy(flags, { userAgent: "coxswain-node" });
  const nodes = client.resource(Node);
  const node = await found(nodes.get(name, { signal }), name);
  if (!isSimulated(node)) {
    throw new Error(`node ${name} is not simulated: it lacks the label ${simulatedLabel.key}=${simulatedLabel.value}`);
  }
  const state = on ? "on" : "off";
  if (isPoweredOn(node) === on) return terminal.out(`node/${name} is ${state} already\n`);
  const annotations = { [powerAnnotation]: on ? null : "off" };
  await nodes.patch(name, { merge: { metadata: { annotations } } }, { signal });
  terminal.out(`node/${name} is ${state}\n`);
}

async function found(asked: Promise<Node>, name: string): Promise<Node> {
  try {
    return await asked;
  } catch (error) {
    if (isNotFound(error)) throw new Error(`there is no node ${name}`, { cause: error });
    throw error;
  }
}
