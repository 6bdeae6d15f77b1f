/** Simulated load balancers: a Service of type LoadBalancer gets an address, as it would in a cloud, and loses it again. */
import { isConflict, isNotFound, Service } from "../../api/index.js";
import type { WorkClient } from "../../client/index.js";
import type { KeyRun, SyncResult } from "../../controller/index.js";
import { itemExponentialFailure } from "../../workqueue/index.js";
import type { BuiltInController, ControllerContext } from "../kit/context.js";
import { objectLoop } from "../kit/loops.js";
import { ensureStatus } from "../kit/status.js";

const cleanUpFinalizer = "service.kubernetes.io/load-balancer-cleanup";

/** Addresses reserved for documentation (RFC 5737): none can be mistaken for a real load balancer's. */
const pool = "203.0.113.";

function wantsBalancer({ metadata, spec }: Service): boolean {
  return (
    metadata.deletionTimestamp === undefined && spec?.type === "LoadBalancer" && spec.loadBalancerClass === undefined
  );
}

const hasFinalizer = ({ metadata }: Service): boolean => (metadata.finalizers ?? []).includes(cleanUpFinalizer);

export function serviceLoadBalancerController(context: ControllerContext): BuiltInController {
  const { informers } = context;
  const services = informers.informer(Service);
  const recorder = context.recorderFor("service-controller");
  const loop = objectLoop(context, services, {
    name: "service",
    workers: 1,
    limiter: itemExponentialFailure({ baseMs: 5_000, maxMs: 300_000 }),
    sync,
  });
  loop.follow(services);

  /** By uid, the assigned addresses: the cache shows them only later. */
  const given = new Map<string, string>();

  /** The lowest address that no other service has; the service's own if it already has one. */
  function addressFor({ metadata: { uid = "" } }: Service): string {
    const before = given.get(uid);
    if (before !== undefined) return before;
    const taken = new Set([
      ...given.values(),
      ...services.indexer.list().flatMap(({ status }) => (status?.loadBalancer?.ingress ?? []).map(({ ip }) => ip)),
    ]);
    for (let i = 1; i < 255; i++) {
      if (taken.has(`${pool}${i}`)) continue;
      given.set(uid, `${pool}${i}`);
      return `${pool}${i}`;
    }
    throw new Error("all 254 simulated load balancer addresses are in use");
  }

  async function sync(service: Service, { client }: KeyRun): Promise<SyncResult | void> {
    try {
      if (wantsBalancer(service)) await ensure(service, client);
      else if (hasFinalizer(service)) await remove(service, client);
    } catch (error) {
      if (isNotFound(error)) return;
      if (isConflict(error)) return { requeueAfterMs: 0 };
      recorder.warning(service, "SyncLoadBalancerFailed", `Error syncing load balancer: ${String(error)}`);
      throw error;
    }
  }

  /** Adds the finalizer first: an assigned address must be taken back before the service may go. */
  async function ensure(service: Service, client: WorkClient): Promise<void> {
    let current = service;
    if (!hasFinalizer(current)) {
      recorder.normal(service, "EnsuringLoadBalancer", "Ensuring load balancer");
      const finalizers = [...(current.metadata.finalizers ?? []), cleanUpFinalizer];
      current = await client.resource(Service).update({ ...current, metadata: { ...current.metadata, finalizers } });
    }
    if ((current.status?.loadBalancer?.ingress ?? []).length > 0) return;
    const ip = service.spec?.loadBalancerIP || addressFor(service);
    const loadBalancer = { ingress: [{ ip, ipMode: "VIP" }] };
    await ensureStatus(client, Service, current, { ...current.status, loadBalancer });
    recorder.normal(service, "EnsuredLoadBalancer", "Ensured load balancer");
  }

  async function remove(service: Service, client: WorkClient): Promise<void> {
    recorder.normal(service, "DeletingLoadBalancer", "Deleting load balancer");
    const cleared = await ensureStatus(client, Service, service, { ...service.status, loadBalancer: {} });
    const finalizers = (cleared.metadata.finalizers ?? []).filter((finalizer) => finalizer !== cleanUpFinalizer);
    await client.resource(Service).update({ ...cleared, metadata: { ...cleared.metadata, finalizers } });
    given.delete(service.metadata.uid ?? "");
    recorder.normal(service, "DeletedLoadBalancer", "Deleted load balancer");
  }

  return { loops: [loop] };
}
