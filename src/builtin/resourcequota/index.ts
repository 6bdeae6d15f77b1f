/**
 * The resource quota controller: says in the status of every ResourceQuota what its namespace uses. The server's admission
 * counts what comes; what goes, and what was there before, is counted here.
 */
import {
  type Amounts,
  addAmounts,
  ConfigMap,
  CronJob,
  DaemonSet,
  Deployment,
  isNotFound,
  Job,
  type KubeObject,
  metaNamespaceKey,
  PersistentVolumeClaim,
  Pod,
  Quantity,
  ReplicaSet,
  ReplicationController,
  resourceListOf,
  ResourceQuota,
  type ResourceType,
  Secret,
  semanticEqual,
  Service,
  StatefulSet,
} from "../../api/index.js";
import { ConsistencyStore } from "../../controller/consistency.js";
import { deletedObject } from "../../informer/index.js";
import type { BuiltInController, ControllerContext, ControllerDescriptor } from "../kit/context.js";
import { KeyLoop, type SyncOutcome } from "../kit/key-loop.js";
import { countUsage } from "./count.js";

/** Changes come in swarms: one count for all of them. */
const batchMs = 100;
/** Whatever was missed, a pod overdue in its end included, is found after this time. */
const recountMs = 5 * 60_000;
/** Kinds that nobody here watches are counted this often. */
const unwatchedMs = 10_000;

/** Those that are in the cache anyway, for other controllers. */
const watched = [
  Pod,
  Service,
  PersistentVolumeClaim,
  ConfigMap,
  Secret,
  ReplicationController,
  Deployment,
  ReplicaSet,
  StatefulSet,
  DaemonSet,
  Job,
  CronJob,
] as unknown as readonly ResourceType<KubeObject>[];

export const resourceQuotaController: ControllerDescriptor = {
  name: "resourcequota-controller",
  aliases: ["resourcequota"],
  create: createResourceQuotaController,
};

const groupResource = ({ group, plural }: ResourceType<KubeObject>) => ({ group, resource: plural });

function createResourceQuotaController(context: ControllerContext): BuiltInController {
  const { client, informers, clock } = context;
  const quotas = informers.informer(ResourceQuota);
  const caches = watched.map((type) => ({ of: groupResource(type), informer: informers.informer(type) }));
  const consistency = new ConsistencyStore({ quotas: quotas.indexer });
  const loop = new KeyLoop({ context, name: "resourcequota_primary", workers: 5, sync });
  quotas.addEventHandler({
    onAdd: loop.enqueue,
    onUpdate(previous, quota) {
      // what admission and this controller write into the status is no news
      if (!semanticEqual(previous.spec, quota.spec)) loop.enqueue(quota);
    },
    onDelete: (gone) => wake(deletedObject(gone)),
  });
  function wake(object: KubeObject | undefined): void {
    for (const quota of quotas.indexer.byIndex("namespace", object?.metadata.namespace ?? "")) {
      loop.addAfter(metaNamespaceKey(quota), batchMs);
    }
  }
  for (const { informer } of caches) {
    informer.addEventHandler({
      onAdd: wake,
      onUpdate: (_previous, object) => wake(object),
      onDelete: (gone) => wake(deletedObject(gone)),
    });
  }

  async function sync(key: string, { signal }: { readonly signal: AbortSignal }): Promise<SyncOutcome | void> {
    consistency.ensureReady(key);
    const quota = quotas.indexer.get(key);
    if (quota === undefined) return consistency.forget(key);
    const { namespace = "" } = quota.metadata;
    const { hard = {} } = quota.spec ?? {};
    const kinds = [
      { of: { group: "", resource: "resourcequotas" }, objects: quotas.indexer.byIndex("namespace", namespace) },
      ...caches.map(({ of, informer }) => ({ of, objects: informer.indexer.byIndex("namespace", namespace) })),
    ];
    const cached = countUsage(quota, kinds, clock.now());
    const others = Object.keys(hard).filter((name) => name.startsWith("count/") && !cached.has(name));
    const live = await countLive(others, namespace, signal);
    const status = { hard, used: resourceListOf(addAmounts(cached, live)) };
    if (!semanticEqual(status, quota.status)) {
      const { metadata } = await client.resource(ResourceQuota).status.update({ ...quota, status }, { signal });
      const { uid = "", resourceVersion } = metadata;
      consistency.wrote(key, uid, { resource: "quotas", resourceVersion });
    }
    return { requeueAfterMs: others.length > 0 ? unwatchedMs : recountMs };
  }

  /** `count/widgets.example.com` and the like, by asking the server; a kind that it does not know is not spoken of. */
  async function countLive(names: readonly string[], namespace: string, signal: AbortSignal): Promise<Amounts> {
    const counted = new Map<string, Quantity>();
    for (const name of names) {
      try {
        const type = await client.discovery.find(name.slice("count/".length), { signal });
        const { items } = await client.metadata(type, { namespace }).list({ signal });
        counted.set(name, Quantity.of(items.length));
      } catch (error) {
        if (signal.aborted) throw error;
        if (!isNotFound(error)) context.log.warn("a kind of a quota cannot be counted", { name, namespace, error });
      }
    }
    return counted;
  }

  return loop;
}
