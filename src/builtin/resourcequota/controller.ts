/**
 * The resource quota controller: writes the usage of each namespace to the status of its ResourceQuotas. The server's
 * admission counts objects that are created; this controller counts deletions and the objects that existed before.
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
  ResourceClaim,
  resourceListOf,
  ResourceQuota,
  type ResourceType,
  Secret,
  semanticEqual,
  Service,
  StatefulSet,
} from "../../api/index.js";
import type { KeyRun, ObjectChange, SyncResult, Wake } from "../../controller/index.js";
import type { BuiltInController, ControllerContext } from "../kit/context.js";
import { objectLoop } from "../kit/loops.js";
import { countUsage } from "./count.js";
import { followDevices } from "./devices.js";

/** Changes come in bursts: this delay gathers them into one count. */
const batchMs = 100;
/** After this time everything is counted again, which finds anything missed, such as a pod overdue in its termination. */
const recountMs = 5 * 60_000;
/** Kinds that are not watched here are counted this often. */
const unwatchedMs = 10_000;

/** Kinds that are cached for other controllers anyway. */
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
  ResourceClaim,
] as unknown as readonly ResourceType<KubeObject>[];

const groupResource = ({ group, plural }: ResourceType<KubeObject>) => ({ group, resource: plural });

export function resourceQuotaController(context: ControllerContext): BuiltInController {
  const { informers, clock } = context;
  const quotas = informers.informer(ResourceQuota);
  const caches = watched.map((type) => ({ of: groupResource(type), informer: informers.informer(type) }));
  const loop = objectLoop(context, quotas, {
    name: "resourcequota_primary",
    workers: 5,
    awaits: [quotas],
    sync,
  });
  const wakeNamespace = ({ object: { metadata } }: ObjectChange<KubeObject>, wake: Wake): void => {
    const quotasThere = quotas.lister.namespace(metadata.namespace ?? "").list();
    for (const quota of quotasThere) wake(metaNamespaceKey(quota), batchMs);
  };
  loop.watch(quotas, (change, wake) => {
    if (change.type === "deleted") return wakeNamespace(change, wake);
    // a change of only the status is this controller's or admission's own
    const isNews = change.type !== "updated" || !semanticEqual(change.previous.spec, change.object.spec);
    if (isNews && change.type !== "resync") wake(metaNamespaceKey(change.object));
  });
  for (const { informer } of caches) loop.watch(informer, wakeNamespace);
  const devices = followDevices(informers);

  async function sync(quota: ResourceQuota, { client, signal }: KeyRun): Promise<SyncResult> {
    const { namespace = "" } = quota.metadata;
    const { hard = {} } = quota.spec ?? {};
    const kinds = [
      { of: { group: "", resource: "resourcequotas" }, objects: quotas.lister.namespace(namespace).list() },
      ...caches.map(({ of, informer }) => ({ of, objects: informer.lister.namespace(namespace).list() })),
    ];
    const cached = countUsage(quota, kinds, { now: clock.now(), devices });
    const others = Object.keys(hard).filter((name) => name.startsWith("count/") && !cached.has(name));
    const live = await countLive(others, namespace, { client, signal });
    const status = { hard, used: resourceListOf(addAmounts(cached, live)) };
    if (!semanticEqual(status, quota.status)) {
      await client.resource(ResourceQuota).status.update({ ...quota, status });
    }
    return { requeueAfterMs: others.length > 0 ? unwatchedMs : recountMs };
  }

  /** Counts names such as `count/widgets.example.com` by asking the server. A kind that it does not know is left out. */
  async function countLive(
    names: readonly string[],
    namespace: string,
    { client, signal }: Pick<KeyRun, "client" | "signal">,
  ): Promise<Amounts> {
    const counted = new Map<string, Quantity>();
    for (const name of names) {
      try {
        const type = await client.discovery.find(name.slice("count/".length), { signal });
        const { items } = await client.metadata(type, { namespace }).list();
        counted.set(name, Quantity.of(items.length));
      } catch (error) {
        if (signal.aborted) throw error;
        if (!isNotFound(error)) context.log.warn("a kind of a quota cannot be counted", { name, namespace, error });
      }
    }
    return counted;
  }

  return { loops: [loop] };
}
