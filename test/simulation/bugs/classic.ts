/** A controller in the classic style, for bugs in handlers and leaders: informers, a queue, a worker, maybe a lease. */
import { ConfigMap, isNotFound, type KubeObject, metaNamespaceKey, Secret } from "../../../src/api/index.js";
import { type Running, startRunning } from "../../../src/base/index.js";
import { type Deleted, deletionHandlingKey, SharedInformerFactory } from "../../../src/informer/index.js";
import { LeaderElector, leaseClient } from "../../../src/manager/leader-election/index.js";
import type { OperatorTools } from "../../../src/testing/index.js";
import { RateLimitingQueue, runWorkers } from "../../../src/workqueue/index.js";
import { namespace, secretOf } from "./bug.js";

export interface ClassicOptions {
  readonly keyOfDeleted?: (object: Deleted<ConfigMap>) => string;
  /** With a lease: "all" takes every key in hand when it begins to lead, "events" those that it hears of while it leads. */
  readonly leads?: "all" | "events";
}

const labels = { "made-by": "classic" };

/** Each ConfigMap has a Secret of its name, for as long as it is there. */
export function classic({ client, clock, random, replica }: OperatorTools, options: ClassicOptions): Running {
  const { keyOfDeleted = deletionHandlingKey, leads } = options;
  const secrets = client.resource(Secret, { namespace });
  const lease = { namespace, name: "classic" };
  return startRunning(async (signal) => {
    const informers = new SharedInformerFactory(client, { clock, random });
    const maps = informers.informer(ConfigMap, { namespace });
    const children = informers.informer(Secret, { namespace });
    const queue = new RateLimitingQueue<string>(undefined, { name: "classic", clock });
    const takeAll = (): void => {
      for (const object of [...maps.indexer.list(), ...children.indexer.list().filter(isMine)])
        queue.add(metaNamespaceKey(object));
    };
    const elector =
      leads &&
      new LeaderElector({
        lease,
        leases: leaseClient(client, lease),
        identity: `replica-${replica}`,
        clock,
        random,
        callbacks: {
          onStartedLeading: async () => {
            if (leads === "all") takeAll();
          },
        },
      });
    const enqueue = (key: string): void => {
      if (leads !== "events" || elector?.isLeader === true) queue.add(key);
    };
    maps.addEventHandler({
      onAdd: (object) => enqueue(metaNamespaceKey(object)),
      onUpdate: (_, object) => enqueue(metaNamespaceKey(object)),
      onDelete: (object) => enqueue(keyOfDeleted(object)),
    });
    children.addEventHandler({
      onAdd: (object) => (isMine(object) ? enqueue(metaNamespaceKey(object)) : undefined),
      onUpdate: (previous, object) =>
        isMine(previous) || isMine(object) ? enqueue(metaNamespaceKey(object)) : undefined,
      onDelete: (object) => enqueue(deletionHandlingKey(object)),
    });
    const sync = async (key: string): Promise<void> => {
      if (elector?.isLeader === false) return;
      const map = maps.indexer.get(key);
      const child = children.indexer.get(key);
      if (map !== undefined) {
        const { name } = map.metadata;
        const wanted = { ...secretOf(map), metadata: { name, namespace, labels } };
        await secrets.apply(wanted, { fieldManager: "classic", force: true });
      } else if (child !== undefined && isMine(child)) await secrets.delete(child.metadata.name).catch(ignoreMissing);
    };
    await using _running = informers.start({ signal });
    await Promise.all([maps.waitForSync({ signal }), children.waitForSync({ signal })]);
    await using _election = elector?.start(signal) ?? { [Symbol.asyncDispose]: async () => {} };
    try {
      await runWorkers<string>({ queue, workers: 1, signal, clock, sync });
    } finally {
      queue.shutDown();
    }
  });
}

const isMine = ({ metadata }: KubeObject): boolean => metadata.labels?.["made-by"] === labels["made-by"];

function ignoreMissing(error: unknown): void {
  if (!isNotFound(error)) throw error;
}
