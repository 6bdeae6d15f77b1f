/** Plays a scenario on a cluster with a scheduler, and gives the results of its pods. */
import {
  CSIDriver,
  CSINode,
  CSIStorageCapacity,
  DeviceClass,
  Event,
  Node,
  PersistentVolume,
  PersistentVolumeClaim,
  Pod,
  PodDisruptionBudget,
  PriorityClass,
  ResourceClaim,
  ResourceSlice,
  Service,
  StorageClass,
} from "../../../src/api/index.js";
import type { Client } from "../../../src/client/index.js";
import type { Outcome, Scenario } from "./scenario.js";

const clusterKinds = [
  Node,
  PriorityClass,
  PersistentVolume,
  StorageClass,
  CSIDriver,
  CSINode,
  DeviceClass,
  ResourceSlice,
] as const;
const namespaced = [Service, PodDisruptionBudget, PersistentVolumeClaim, ResourceClaim, CSIStorageCapacity] as const;

export interface PlayOptions {
  readonly client: Client;
  /** Waits until the scheduler has done what it can. */
  settled(): Promise<void>;
  /** Waits for the events, which are written a little later than the changes that they report. */
  told(): Promise<void>;
}

export async function play(scenario: Scenario, { client, settled, told }: PlayOptions): Promise<readonly Outcome[]> {
  const { signal } = new AbortController();
  for (const step of scenario.steps) {
    await step({ client, signal });
    await settled();
  }
  await told();
  const outcomes = await outcomesOf(client);
  await cleanUp(client);
  return outcomes;
}

async function outcomesOf(client: Client): Promise<readonly Outcome[]> {
  const { items: pods } = await client.resource(Pod, { namespace: "default" }).list();
  const uids = new Map(pods.map(({ metadata }) => [metadata.uid ?? "", metadata.name]));
  const named = (text: string): string =>
    text.replace(/[0-9a-f-]{36}/g, (uid) => `<${uids.get(uid) ?? "uid"}>`).replace(/127\.0\.0\.1:\d+/g, "<extender>");
  const { items: events } = await client.resource(Event, { namespace: "default" }).list();
  const told = new Map<string, Set<string>>();
  for (const { involvedObject, reason = "", message = "", type, action, reportingComponent } of events) {
    // a real server tells of its own Service when it has been up for a while
    if (involvedObject.kind !== "Pod") continue;
    if (["script", "coxswain-node", "kubelet", ""].includes(reportingComponent ?? "")) continue;
    // how often a pod is tried before its end is a matter of speed
    const end = pods.find(({ metadata }) => metadata.name === involvedObject.name);
    const last = end?.status?.conditions?.find(({ type: of }) => of === "PodScheduled")?.message;
    if (reason === "FailedScheduling" && message !== last) continue;
    const lines = told.get(involvedObject.name ?? "") ?? new Set();
    told.set(involvedObject.name ?? "", lines.add(`${type} ${reason} ${action}: ${named(message)}`));
  }
  return pods
    .map(({ metadata, spec, status }): Outcome => {
      const scheduled = status?.conditions?.find(({ type }) => type === "PodScheduled");
      const { lastTransitionTime: _, message = "", ...rest } = scheduled ?? { type: "none" };
      const condition = { ...rest, message: named(message) };
      const target = status?.conditions?.find(({ type }) => type === "DisruptionTarget");
      return {
        pod: metadata.name,
        node: spec?.nodeName ?? "",
        nominated: status?.nominatedNodeName ?? "",
        // of one that is bound the kubelet has the last word
        condition: spec?.nodeName ? {} : condition,
        target: target === undefined ? "" : `${target.status} ${target.reason} ${target.message}`,
        leaving: metadata.deletionTimestamp !== undefined,
        extended: status?.extendedResourceClaimStatus?.requestMappings ?? [],
      };
    })
    .concat(await claimOutcomes(client))
    .concat([...told].map(([pod, lines]) => ({ pod: `events of ${pod}`, events: [...lines].sort() })))
    .sort((a, b) => (a.pod < b.pod ? -1 : 1));
}

/** The devices of claims; ids and times differ from run to run. */
async function claimOutcomes(client: Client): Promise<readonly Outcome[]> {
  const { items } = await client.resource(ResourceClaim, { namespace: "default" }).list();
  return items.map(({ metadata, spec, status }) => {
    const { allocationTimestamp, devices, ...allocation } = status?.allocation ?? {};
    const results = devices?.results?.map(({ shareID, ...result }) => ({ ...result, shared: shareID !== undefined }));
    const { name, generateName, annotations, ownerReferences } = metadata;
    const owners = ownerReferences?.map(({ uid: _uid, ...owner }) => owner);
    return {
      pod: `claim ${generateName ?? name}`,
      ...(generateName !== undefined && { annotations, owners, spec }),
      finalizers: metadata.finalizers ?? [],
      allocation: { ...allocation, config: devices?.config, results, timed: allocationTimestamp !== undefined },
      reservedFor: status?.reservedFor?.map(({ name }) => name) ?? [],
    };
  });
}

async function cleanUp(client: Client): Promise<void> {
  const pods = client.resource(Pod, { namespace: "default" });
  for (const { metadata } of (await pods.list()).items) {
    if ((metadata.finalizers ?? []).length > 0)
      await pods.patch(metadata.name, { merge: { metadata: { finalizers: null } } });
    await pods.delete(metadata.name, { gracePeriodSeconds: 0 }).catch(() => {});
  }
  for (const kind of namespaced) {
    const resource = client.resource<typeof kind extends never ? never : Service>(kind as never, {
      namespace: "default",
    });
    for (const { metadata } of (await resource.list()).items) {
      if (metadata.name === "kubernetes") continue;
      await resource.delete(metadata.name).catch(() => {});
      // finalizers that a controller would remove
      await resource.patch(metadata.name, { merge: { metadata: { finalizers: null } } }).catch(() => {});
    }
  }
  for (const kind of clusterKinds) {
    const resource = client.resource<Node>(kind as never);
    for (const { metadata } of (await resource.list()).items) {
      if (metadata.name.startsWith("system-")) continue;
      await resource.delete(metadata.name).catch(() => {});
      await resource.patch(metadata.name, { merge: { metadata: { finalizers: null } } }).catch(() => {});
    }
  }
  const events = client.resource(Event, { namespace: "default" });
  for (const { metadata } of (await events.list()).items) await events.delete(metadata.name).catch(() => {});
}
