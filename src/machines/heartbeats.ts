/** Keeps simulated nodes alive: renews their leases and reports their status. All nodes share one timer. */
import { deepEqual, findCondition, formatMicroTime, isNotFound, Lease, Node, unless } from "../api/index.js";
import type { NodeContext, NodePorts } from "./context.js";
import { type KubeletAddress, needsReport, nodeReport, withoutNotReadyTaint } from "./node-object.js";
import { isPoweredOn, isSimulated } from "../placement/simulated-machines.js";
import { NodeWork } from "./work.js";

const leaseNamespace = "kube-node-lease";
const leaseSeconds = 40;
/** A quarter of the lease duration, with up to 4 % jitter, so that nodes do not renew in step. */
const renewEveryMs = 10_000;
const renewJitter = 0.04;
/** The nodes that are due within this time renew together: a request in a row costs a third of one by itself. */
const slotMs = 500;
const reportEveryMs = 300_000;

export const tellNode = (recorder: NodeContext["recorder"], node: Node, state: string): void =>
  recorder.normal(node, state, `Node ${node.metadata.name} status is now: ${state}`);

/** Opens the port of the node's kubelet, if nodes have ports. */
export async function placeOf(ports: NodePorts | undefined, node: string): Promise<KubeletAddress | undefined> {
  const port = await ports?.open(node);
  return ports && port !== undefined ? { host: ports.host, port } : undefined;
}

/** A node that is powered on. Times are monotonic. */
interface Beat {
  renewAt: number;
  reportAt: number;
}

const inSlot = (time: number): number => Math.round(time / slotMs) * slotMs;

export class Heartbeats {
  readonly #context: NodeContext;
  readonly #work: NodeWork;
  readonly #beats = new Map<string, Beat>();

  readonly #volumesInUse: (node: string) => readonly string[];

  constructor(context: NodeContext, volumesInUse: (node: string) => readonly string[]) {
    this.#context = context;
    this.#volumesInUse = volumesInUse;
    this.#work = new NodeWork(context, { name: "simulated_nodes", part: "heartbeats", baseMs: 200, maxMs: 10_000 });
  }

  /** The number of nodes that are powered on. */
  readonly onNode = ({ metadata }: Pick<Node, "metadata">): void => this.#work.queue.add(metadata.name);

  /** Called when a node is cordoned or uncordoned; records the kubelet's event. */
  readonly onSchedulable = (node: Node): void => {
    if (!isSimulated(node) || !isPoweredOn(node)) return;
    tellNode(this.#context.recorder, node, node.spec?.unschedulable ? "NodeNotSchedulable" : "NodeSchedulable");
  };

  run(signal: AbortSignal): Promise<void> {
    return this.#work.run((key, ending) => this.#sync(key, ending), { workers: 16, signal });
  }

  async #sync(name: string, signal: AbortSignal): Promise<void> {
    const { nodes, clock, random } = this.#context;
    const node = nodes.get(name);
    if (node === undefined || !isSimulated(node) || !isPoweredOn(node)) {
      this.#beats.delete(name);
      await this.#context.ports?.close(name);
      return;
    }
    const beat = this.#beats.get(name) ?? { renewAt: 0, reportAt: clock.monotonic() + reportEveryMs };
    this.#beats.set(name, beat);
    const kubelet = await placeOf(this.#context.ports, name);
    signal.throwIfAborted();
    const isTainted = this.#context.untaint && withoutNotReadyTaint(node) !== undefined;
    if (clock.monotonic() >= beat.reportAt || needsReport(node, kubelet) || isTainted) {
      await this.#report(node, kubelet, signal);
      beat.reportAt = clock.monotonic() + reportEveryMs;
    }
    await this.#reportVolumes(node, signal);
    if (clock.monotonic() >= beat.renewAt) {
      await this.#renew(node, signal);
      beat.renewAt = inSlot(clock.monotonic() + renewEveryMs * (1 + renewJitter * random.next()));
    }
    this.#work.queue.addAfter(name, Math.max(1, Math.min(beat.renewAt, beat.reportAt) - clock.monotonic()));
  }

  async #report(node: Node, kubelet: KubeletAddress | undefined, signal: AbortSignal): Promise<void> {
    const { client, clock, untaint, recorder } = this.#context;
    const status = nodeReport(node, clock.now(), kubelet);
    const nodes = client.resource(Node);
    try {
      await nodes.status.patch(node.metadata, { strategic: { status } }, { signal });
      if (findCondition(node.status?.conditions, "Ready")?.status !== "True") tellNode(recorder, node, "NodeReady");
      const taints = untaint ? withoutNotReadyTaint(node) : undefined;
      if (taints !== undefined) await nodes.patch(node.metadata, { merge: { spec: { taints } } }, { signal });
    } catch (error) {
      if (!isNotFound(error)) throw error;
    }
  }

  async #reportVolumes(node: Node, signal: AbortSignal): Promise<void> {
    const volumesInUse = this.#volumesInUse(node.metadata.name);
    if (deepEqual(node.status?.volumesInUse ?? [], volumesInUse)) return;
    const merge = { status: { volumesInUse } };
    const { status } = this.#context.client.resource(Node);
    await status.patch(node.metadata, { merge }, { signal }).catch(unless(isNotFound));
  }

  /** Sends the lease's spec alone: of a cluster's writes, most are renewals. */
  async #renew({ metadata: { name, uid = "" } }: Node, signal: AbortSignal): Promise<void> {
    const leases = this.#context.client.resource(Lease, { namespace: leaseNamespace });
    const renewTime = formatMicroTime(this.#context.clock.now() * 1_000);
    const spec = { holderIdentity: name, leaseDurationSeconds: leaseSeconds, renewTime };
    try {
      await leases.patch(name, { merge: { spec } }, { signal });
    } catch (error) {
      if (!isNotFound(error)) throw error;
      const ownerReferences = [{ apiVersion: "v1", kind: "Node", name, uid }];
      await leases.create({ metadata: { name, namespace: leaseNamespace, ownerReferences }, spec }, { signal });
    }
  }
}
