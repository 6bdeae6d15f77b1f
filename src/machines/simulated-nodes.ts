/** Runs simulated nodes on any cluster: joins informers, heartbeats and kubelets. */
import type { Duplex } from "node:stream";
import { deepEqual, isAlreadyExists, isBadRequest, isInvalid, metaNamespaceKey, Node, Pod } from "../api/index.js";
import { defined } from "../base/defined.js";
import {
  checkNumbers,
  type Clock,
  exponentialBackoff,
  type Logger,
  type MetricsRegistry,
  type Random,
  type Running,
  runTogether,
  shown,
  silentLogger,
  startRunning,
  systemClock,
  systemRandom,
} from "../base/index.js";
import type { Client } from "../client/index.js";
import { coreCorrelation, coreEventSink, EventBroadcaster } from "../controller/index.js";
import { indexByNode } from "../placement/pods-by-node.js";
import { type FactoryInformer, SharedInformerFactory } from "../informer/index.js";
import type { NodeContext, NodePorts } from "./context.js";
import { Heartbeats, placeOf, tellNode } from "./heartbeats.js";
import { Kubelet } from "./kubelet.js";
import { mostDevicesOfNode, NodeDevices } from "./node-devices.js";
import { newNode, type NodeCapacity, nodeReport } from "./node-object.js";
import { isPoweredOn, simulatedLabel } from "../placement/simulated-machines.js";
import { type BehaviourRule, guardedRule } from "./pod/behaviour.js";
import { ContainerFiles } from "./port/files.js";
import { PodPorts } from "./port/pod-ports.js";
import { type KubeletPortOptions, KubeletPorts } from "./port/ports.js";
import { WorkCounters } from "./usage/work-counters.js";

/** The delays of a kubelet that cannot register its node. */
const registrationBackoff = { baseMs: 100, capMs: 7_000 };

export interface SimulatedNodesOptions {
  readonly client: Client;
  /** Writes the events, e.g. at a limited rate; `client` by default. */
  readonly eventClient?: Client;
  /** The number of nodes to register as `node-1` … `node-N`, besides existing ones; 0 by default. */
  readonly nodes?: number;
  /** The capacity of the registered nodes. */
  readonly capacity?: NodeCapacity;
  /**
   * The number of devices of each registered node, for claims of the class `simulated`: up to 64; 0 by default. On any
   * simulated node, the annotation `coxswain.dev/devices` says it.
   */
  readonly devices?: number;
  /**
   * Whether registered nodes wait for a cloud, as with a kubelet's `--cloud-provider=external`: the simulated one completes
   * them (`cloud-node-lifecycle-controller` of `coxswain/builtin`). False by default.
   */
  readonly cloud?: boolean;
  /** The factor by which pods live faster than the clock; 1 by default. Leases and reports follow the clock. */
  readonly speed?: number;
  /**
   * Whether nodes, once ready, remove the taint with which a server marks new nodes as not ready; for clusters without
   * a node-lifecycle-controller. False by default.
   */
  readonly untaint?: boolean;
  /**
   * Whether containers end, fail and write logs as their commands would, where that can be predicted without running
   * them: `sleep 30`, `sh -c "sleep 5; exit 3"`. False by default: commands are then ignored.
   */
  readonly followCommands?: boolean;
  /**
   * Gives each node a kubelet port, on which it answers for logs, exec, attach and port forwarding; without it, nodes have
   * none.
   */
  readonly kubeletPorts?: KubeletPortOptions;
  /** Decide the behaviour of containers, before their annotations; earlier rules win. */
  readonly rules?: readonly BehaviourRule[];
  /**
   * Informers to share with other parts of this process, which start them. By default, own informers of simulated nodes
   * and their pods alone.
   */
  readonly informers?: SharedInformerFactory;
  /** The number of pods that are written at the same time; 32 by default. */
  readonly workers?: number;
  readonly clock?: Clock;
  readonly random?: Random;
  readonly log?: Logger;
  readonly metrics?: MetricsRegistry;
}

export interface SimulatedNodes extends Running {
  /** Resolves when the nodes are registered and their pods are watched. */
  readonly started: Promise<void>;
  /** The caches that they work on, for a view of the process. */
  readonly informers: SharedInformerFactory;
  /** A connection to an address of a simulated pod, refused where nothing listens; undefined if no pod has it. */
  dialPod(host: string, port: number): Duplex | "refused" | undefined;
}

/**
 * Plays every node with the label `coxswain.dev/node=simulated` and the pods bound to it, until it is disposed. Nodes
 * stay registered afterwards, like machines that lose their power.
 */
export function startSimulatedNodes(options: SimulatedNodesOptions, parent?: AbortSignal): SimulatedNodes {
  checkNumbers("simulated nodes", options, {
    nodes: { whole: true },
    devices: { whole: true, max: mostDevicesOfNode },
    workers: { min: 1, whole: true },
  });
  for (const rule of options.rules ?? []) {
    if (typeof rule !== "function") throw new TypeError(`simulated nodes: a rule is a function, not ${shown(rule)}`);
  }
  let begun = (): void => {};
  const started = new Promise<void>((resolve) => {
    begun = resolve;
  });
  const informers = options.informers ?? ownInformers(options);
  const own = options.informers === undefined;
  const pods = informers.informer(Pod, own ? { fieldSelector: "spec.nodeName!=" } : {});
  const podPorts = new PodPorts(pods.indexer);
  const surroundings = { options, informers, pods, podPorts, onStarted: begun };
  const running = startRunning((signal) => run(surroundings, signal), parent);
  // a failure before the start settles both promises
  return {
    ...running,
    informers,
    dialPod: (host, port) => podPorts.dial(host, port),
    started: Promise.race([started, running.done]),
  };
}

interface NodesRun {
  readonly options: SimulatedNodesOptions;
  readonly informers: SharedInformerFactory;
  readonly pods: FactoryInformer<Pod>;
  readonly podPorts: PodPorts;
  onStarted(): void;
}

async function run({ options, informers, pods, podPorts, onStarted }: NodesRun, signal: AbortSignal): Promise<void> {
  const { client, nodes: count = 0, capacity, speed = 1, rules = [], workers = 32, untaint = false } = options;
  const { followCommands = false } = options;
  const { clock = systemClock, random = systemRandom, log = silentLogger } = options;
  if (!(speed > 0)) throw new RangeError(`the speed of simulated nodes is a positive number, not ${speed}`);
  const own = options.informers === undefined;
  const nodes = informers.informer(Node, own ? { labelSelector: `${simulatedLabel.key}=${simulatedLabel.value}` } : {});
  indexByNode(pods);
  const { metrics } = options;
  const limits = { queueLimit: 50_000, flushMs: 1_000 };
  const events = new EventBroadcaster({ clock, random, log, ...limits, ...defined({ metrics }) });
  const recorder = events.newRecorder({ component: "kubelet", host: "simulated" });
  const shared = {
    client,
    nodes: nodes.indexer,
    pods: pods.indexer,
    recorder,
    rules: rules.map((rule) => guardedRule(rule, (pod, message) => recorder.warning(pod, "BadRule", message))),
    speed,
    followCommands,
    untaint,
    clock,
    random,
    log,
  };
  const { kubeletPorts } = options;
  await using ports =
    kubeletPorts &&
    new KubeletPorts({ ...shared, podPorts, files: new ContainerFiles(), work: new WorkCounters() }, kubeletPorts);
  const context: NodeContext = { ...shared, ports };
  const onVolumes = (name: string): void => heartbeats.onNode({ metadata: { name } });
  const kubelet = new Kubelet(context, { workers, onVolumes });
  const heartbeats = new Heartbeats(context, (node) => kubelet.volumesInUse(node));
  const devices = new NodeDevices(context);
  await using _sink = events.startRecordingToSink(
    coreCorrelation(coreEventSink(options.eventClient ?? client), { clock }),
  );
  using _podHandler = pods.addEventHandler(({ type, object }) =>
    type === "deleted" ? kubelet.onPodGone(metaNamespaceKey(object)) : kubelet.onPod(object),
  );
  using _nodeHandler = nodes.addEventHandler((change) => {
    const { type, object: node } = change;
    if (type === "resync" || type === "deleted") return;
    heartbeats.onNode(node);
    devices.onNode(node, type === "updated" ? change.previous : undefined);
    if (type === "added") return kubelet.onNode(node);
    const { previous } = change;
    if (Boolean(previous.spec?.unschedulable) !== Boolean(node.spec?.unschedulable)) heartbeats.onSchedulable(node);
    const isOnAgain = isPoweredOn(node) && !isPoweredOn(previous);
    if (isOnAgain || !deepEqual(node.status?.volumesAttached, previous.status?.volumesAttached)) kubelet.onNode(node);
  });
  await using _informers = own ? informers.start({ signal }) : { [Symbol.asyncDispose]: async () => {} };
  // a node lives from its registration on, however many are still to come
  const begin = async (ending: AbortSignal): Promise<void> => {
    const onCreated = (node: Node): void => tellNode(recorder, node, "NodeReady");
    const made = defined({ capacity, devices: options.devices, cloud: options.cloud, ports });
    const registering = { count, clock, log, onCreated, ...made };
    await registerNodes(client, { ...registering, signal: ending });
    await Promise.all([nodes.waitForSync({ signal: ending }), pods.waitForSync({ signal: ending })]);
    onStarted();
  };
  await runTogether(
    [begin, ...[kubelet, heartbeats, devices].map((part) => (ending: AbortSignal) => part.run(ending))],
    signal,
  );
}

function ownInformers({ client, clock, random, log, metrics }: SimulatedNodesOptions): SharedInformerFactory {
  return new SharedInformerFactory(client, defined({ clock, random, logger: log, metrics }));
}

export interface RegisterOptions {
  readonly count: number;
  readonly capacity?: NodeCapacity;
  /** The number of devices of each node. */
  readonly devices?: number;
  readonly cloud?: boolean;
  readonly signal: AbortSignal;
  readonly clock?: Clock;
  readonly log?: Logger;
  readonly onCreated?: (node: Node) => void;
  /** Gives the nodes' kubelets their ports. */
  readonly ports?: NodePorts;
}

/**
 * Creates `node-1` … `node-N`, which are ready at once; existing ones stay as they are. As a kubelet does, it tries again
 * for as long as the server cannot be reached or refuses; a node that the server finds invalid is an error.
 */
export async function registerNodes(client: Client, options: RegisterOptions): Promise<void> {
  const { count, signal, clock = systemClock, log = silentLogger, onCreated, ports } = options;
  const nodes = client.resource(Node);
  let next = 1;
  const register = async (): Promise<void> => {
    const backoff = exponentialBackoff(registrationBackoff);
    while (next <= count) {
      const node = newNode(next++, options);
      while (!(await isRegistered(node))) await clock.sleep(backoff.next(), signal);
      backoff.reset();
    }
  };
  const isRegistered = async (node: ReturnType<typeof newNode>): Promise<boolean> => {
    try {
      const kubelet = await placeOf(ports, node.metadata.name ?? "");
      onCreated?.(await nodes.create({ ...node, status: nodeReport(node as Node, clock.now(), kubelet) }, { signal }));
    } catch (error) {
      if (isAlreadyExists(error)) return true;
      if (signal.aborted || isInvalid(error) || isBadRequest(error)) throw error;
      log.warn("a node could not be registered, and is tried again", { error });
      return false;
    }
    return true;
  };
  await Promise.all(Array.from({ length: Math.min(16, count) }, register));
}
