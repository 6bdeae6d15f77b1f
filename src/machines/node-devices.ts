/** Plays the device driver of simulated nodes: publishes a resource slice for each node that says how many devices it has. */
import { type Device, DeviceClass, isAlreadyExists, type Node, ResourceSlice } from "../api/index.js";
import type { NodeContext } from "./context.js";
import { devicesAnnotation } from "./node-object.js";
import { isSimulated } from "../placement/simulated-machines.js";
import { NodeWork } from "./work.js";

const driver = "devices.coxswain.dev";
/** The class of all simulated devices. */
const className = "simulated";
/** A slice has room for this number of devices, tainted ones included. */
export const mostDevicesOfNode = 64;

/** The number of devices that the node says it has; undefined if the annotation is absent, a text if it is wrong. */
function devicesOf({ metadata }: Pick<Node, "metadata">): number | string | undefined {
  const text = metadata.annotations?.[devicesAnnotation];
  if (text === undefined) return undefined;
  const isCount = /^\d{1,3}$/.test(text) && Number(text) <= mostDevicesOfNode;
  return isCount
    ? Number(text)
    : `${devicesAnnotation} is a number from 0 to ${mostDevicesOfNode}, not ${JSON.stringify(text)}`;
}

const device = (index: number): Device => ({
  name: `device-${index}`,
  attributes: { index: { int: index }, model: { string: "simulated" } },
  capacity: { memory: { value: "16Gi" } },
});

/** The slice with this number of devices, of which the first stay as they are; undefined if it has them already. */
function sliceOf(node: Node, count: number, known: ResourceSlice | undefined): ResourceSlice | undefined {
  const before = known?.spec.devices ?? [];
  if (known !== undefined && before.length === count) return undefined;
  const { name, uid = "" } = node.metadata;
  const devices = Array.from({ length: count }, (_, index) => before[index] ?? device(index));
  const generation = (known?.spec.pool.generation ?? 0) + 1;
  return {
    apiVersion: "resource.k8s.io/v1",
    kind: "ResourceSlice",
    metadata: known?.metadata ?? {
      name: `${name}-${driver}`,
      ownerReferences: [{ apiVersion: "v1", kind: "Node", name, uid, controller: true }],
    },
    spec: { driver, nodeName: name, pool: { name, generation, resourceSliceCount: 1 }, devices },
  };
}

export class NodeDevices {
  readonly #context: NodeContext;
  readonly #work: NodeWork;
  #hasClass = false;

  constructor(context: NodeContext) {
    this.#context = context;
    this.#work = new NodeWork(context, { name: "simulated_devices", part: "devices", baseMs: 200, maxMs: 10_000 });
  }

  /** Called when a node appears, and when it changes. */
  readonly onNode = (node: Node, previous?: Node): void => {
    const now = devicesOf(node);
    if (!isSimulated(node) || now === (previous && devicesOf(previous))) return;
    if (typeof now === "string") this.#context.recorder.warning(node, "BadAnnotation", now);
    else this.#work.queue.add(node.metadata.name);
  };

  run(signal: AbortSignal): Promise<void> {
    return this.#work.run((key, ending) => this.#sync(key, ending), { workers: 4, signal });
  }

  async #sync(name: string, signal: AbortSignal): Promise<void> {
    const { client, nodes } = this.#context;
    const node = nodes.get(name);
    const count = node && devicesOf(node);
    // the slice of a node that is gone goes with it
    if (node === undefined || typeof count === "string") return;
    const slices = client.resource(ResourceSlice);
    const known = await slices.getOrUndefined(`${name}-${driver}`, { signal });
    if (count === undefined && known === undefined) return;
    const wanted = sliceOf(node, count ?? 0, known);
    if (wanted === undefined) return;
    if ((count ?? 0) > 0) await this.#ensureClass(signal);
    await (known === undefined ? slices.create(wanted, { signal }) : slices.update(wanted, { signal }));
  }

  async #ensureClass(signal: AbortSignal): Promise<void> {
    if (this.#hasClass) return;
    const selectors = [{ cel: { expression: `device.driver == "${driver}"` } }];
    try {
      await this.#context.client
        .resource(DeviceClass)
        .create({ metadata: { name: className }, spec: { selectors } }, { signal });
    } catch (error) {
      if (!isAlreadyExists(error)) throw error;
    }
    this.#hasClass = true;
  }
}
