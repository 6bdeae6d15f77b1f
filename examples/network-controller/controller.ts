/**
 * Networks → segments of the fabric. Handlers only queue the key of a Network; `sync` compares the Network with the
 * fabric, builds its segment, and writes the result to the status.
 */
import {
  bucket,
  type Client,
  type Clock,
  DeletedFinalStateUnknown,
  type EventRecorder,
  itemExponentialFailure,
  type Logger,
  maxOf,
  RateLimitingQueue,
  runWorkers,
  sameRevision,
  SharedInformerFactory,
  systemClock,
} from "coxswain";
import { metaNamespaceKey, splitMetaNamespaceKey } from "coxswain/api";
import { type Fabric, FabricError, type SegmentRequest } from "./fabric.js";
import { Network, type NetworkStatus } from "./network.js";

export interface NetworkControllerOptions {
  readonly client: Client;
  readonly fabric: Fabric;
  readonly recorder: EventRecorder;
  readonly log: Logger;
  /** "" for all namespaces. */
  readonly namespace?: string;
  /** The period in which the fabric is compared with the Networks although none has changed. */
  readonly resyncPeriodMs?: number;
  readonly clock?: Clock;
}

/** Runs until the signal aborts. */
export async function runNetworkController(options: NetworkControllerOptions, signal: AbortSignal): Promise<void> {
  const { client, fabric, recorder, log, namespace = "", resyncPeriodMs = 30_000, clock = systemClock } = options;
  const factory = new SharedInformerFactory(client, { resyncPeriodMs, clock, namespace, logger: log });
  const networks = factory.informer(Network);
  const queue = new RateLimitingQueue<string>(
    maxOf(itemExponentialFailure({ baseMs: 5, maxMs: 1_000_000 }), bucket({ ratePerSecond: 50, burst: 300, clock })),
    { clock },
  );
  /** The last known state of deleted Networks, until their segments are gone too. */
  const departed = new Map<string, Network>();

  const enqueue = (network: Network): void => queue.add(metaNamespaceKey(network));
  networks.addEventHandler({
    onAdd: enqueue,
    onUpdate: (old, now) => (sameRevision(old, now) ? undefined : enqueue(now)),
    onDelete(deleted) {
      const key = deleted instanceof DeletedFinalStateUnknown ? deleted.key : metaNamespaceKey(deleted);
      const last = deleted instanceof DeletedFinalStateUnknown ? deleted.object : deleted;
      if (last !== undefined) departed.set(key, last);
      queue.add(key);
    },
  });
  // a resync shows every Network as an update of itself: an occasion to check that the fabric still has its segment
  networks.addEventHandler({
    onUpdate(old, now) {
      if (!sameRevision(old, now) || fabric.has(metaNamespaceKey(now), requestOf(now))) return;
      if (now.status?.phase === "Ready") log.warn("the fabric has drifted", { network: metaNamespaceKey(now) });
      enqueue(now);
    },
  });

  async function sync(key: string): Promise<void> {
    const { namespace: place, name } = splitMetaNamespaceKey(key);
    const network = networks.lister.namespace(place).find(name);
    if (network === undefined) return release(key);
    departed.delete(key);
    const stood = fabric.has(key, requestOf(network));
    const status = build(key, network);
    if (status.vlan !== undefined && !stood)
      recorder.normal(network, "Built", `VLAN ${status.vlan} carries ${network.spec.cidr}`);
    if (sameStatus(network.status, status)) return;
    await client.resource(Network, { namespace: place }).status.update({ ...network, status });
    if (status.message !== undefined) recorder.warning(network, "Refused", status.message);
  }

  function build(key: string, network: Network): NetworkStatus {
    try {
      const { vlan, usableAddresses } = fabric.ensure(key, requestOf(network));
      return { phase: "Ready", vlan, usableAddresses };
    } catch (error) {
      if (!(error instanceof FabricError)) throw error;
      // an early retry cannot help: it is tried when a Network goes, and with every resync
      fabric.remove(key);
      return { phase: "Refused", message: error.message };
    }
  }

  function release(key: string): void {
    const last = departed.get(key);
    departed.delete(key);
    const segment = fabric.remove(key);
    log.info("the network is gone", { network: key, cidr: last?.spec.cidr, vlan: segment?.vlan ?? last?.status?.vlan });
    for (const waiting of networks.lister.list()) if (waiting.status?.phase === "Refused") enqueue(waiting);
  }

  await using _informers = factory.start({ signal });
  await factory.waitForCacheSync({ signal });
  // Networks that have a VLAN keep it, before new ones are served
  for (const network of networks.lister.list())
    if (network.status?.vlan !== undefined) build(metaNamespaceKey(network), network);
  try {
    await runWorkers({ queue, workers: 2, signal, sync, log, clock });
  } finally {
    queue.shutDown();
  }
}

function requestOf({ metadata, spec, status }: Network): SegmentRequest {
  return { uid: metadata.uid ?? "", cidr: spec.cidr, gateway: spec.gateway, vlan: status?.vlan };
}

function sameStatus(one: NetworkStatus | undefined, other: NetworkStatus): boolean {
  return (["phase", "vlan", "usableAddresses", "message"] as const).every((field) => one?.[field] === other[field]);
}
