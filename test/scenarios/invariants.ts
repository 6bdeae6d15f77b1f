/** The invariants of any cluster at rest, after any history: ownership, counts, no orphan, nothing owned twice. */
import { expect } from "vitest";
import {
  controllerOf,
  ControllerRevision,
  CronJob,
  DaemonSet,
  Deployment,
  EndpointSlice,
  Job,
  type KubeObject,
  labelSelectorAsSelector,
  PersistentVolumeClaim,
  Pod,
  ReplicaSet,
  type ResourceType,
  Service,
  StatefulSet,
} from "../../src/api/index.js";
import type { Client } from "../../src/client/index.js";

const trackingFinalizer = "batch.kubernetes.io/job-tracking";

/** Throws with every violation. Does not wait: let the cluster come to rest first. */
export async function assertSound(client: Client): Promise<void> {
  const world = await observe(client);
  expect([
    ...ownership(world),
    ...counts(world),
    ...daemons(world),
    ...ordinals(world),
    ...finishedJobs(world),
    ...endpoints(world),
  ]).toEqual([]);
}

async function observe(client: Client) {
  const all = async <T extends KubeObject>(type: ResourceType<T>): Promise<readonly T[]> =>
    (await client.resource(type).list()).items;
  return {
    pods: await all(Pod),
    deployments: await all(Deployment),
    replicaSets: await all(ReplicaSet),
    daemonSets: await all(DaemonSet),
    statefulSets: await all(StatefulSet),
    jobs: await all(Job),
    cronJobs: await all(CronJob),
    revisions: await all(ControllerRevision),
    slices: await all(EndpointSlice),
    services: await all(Service),
    claims: await all(PersistentVolumeClaim),
  };
}

type World = Awaited<ReturnType<typeof observe>>;

const nameOf = ({ kind, metadata }: KubeObject): string => `${kind} ${metadata.namespace}/${metadata.name}`;
const isAlive = ({ metadata }: KubeObject): boolean => metadata.deletionTimestamp === undefined;
const isActive = (pod: Pod): boolean =>
  isAlive(pod) && pod.status?.phase !== "Succeeded" && pod.status?.phase !== "Failed";
const ownedBy = <T extends KubeObject>(objects: readonly T[], owner: KubeObject): readonly T[] =>
  objects.filter((object) => controllerOf(object)?.uid === owner.metadata.uid);
const isReady = ({ status }: Pod): boolean =>
  status?.conditions?.some(({ type, status: state }) => type === "Ready" && state === "True") ?? false;

/** At most one controller; it exists, with that uid and in that namespace; matching pods have been adopted. */
function* ownership(world: World): Iterable<string> {
  const everything: readonly KubeObject[] = Object.values(world).flat();
  const byUid = new Map(everything.map((object) => [object.metadata.uid, object]));
  for (const object of everything) {
    const references = object.metadata.ownerReferences ?? [];
    if (references.filter(({ controller }) => controller).length > 1) yield `${nameOf(object)} has two controllers`;
    for (const { kind, name, uid } of references) {
      if (kind === "Node") continue;
      const owner = byUid.get(uid);
      if (owner === undefined) yield `${nameOf(object)} is of ${kind} ${name}, which is not there`;
      else if (owner.kind !== kind || owner.metadata.name !== name) yield `${nameOf(object)} misnames its owner`;
      else if (owner.metadata.namespace !== object.metadata.namespace) yield `${nameOf(object)} has an owner elsewhere`;
    }
  }
  const adopters = [...world.replicaSets, ...world.statefulSets, ...world.daemonSets].filter(isAlive);
  for (const adopter of adopters) {
    const selector = labelSelectorAsSelector(adopter.spec?.selector);
    for (const pod of world.pods.filter(isActive)) {
      const sameNamespace = pod.metadata.namespace === adopter.metadata.namespace;
      if (sameNamespace && selector.matches(pod.metadata.labels) && controllerOf(pod) === undefined)
        yield `${nameOf(pod)} could be adopted by ${nameOf(adopter)}`;
      if (controllerOf(pod)?.uid === adopter.metadata.uid && !selector.matches(pod.metadata.labels))
        yield `${nameOf(pod)} should have been released by ${nameOf(adopter)}`;
    }
  }
}

/** The desired objects exist, and the status reports them. */
function* counts({ pods, deployments, replicaSets, statefulSets }: World): Iterable<string> {
  for (const set of [...replicaSets, ...statefulSets].filter(isAlive)) {
    const active = ownedBy(pods, set).filter(isActive);
    const { replicas = 0, readyReplicas = 0, observedGeneration } = set.status ?? {};
    const said = [replicas, readyReplicas, observedGeneration];
    const seen = [active.length, active.filter(isReady).length, set.metadata.generation];
    if (said.join() !== seen.join()) yield `${nameOf(set)} says ${said.join()} where ${seen.join()} is so`;
    if (set.kind === "ReplicaSet" && active.length !== set.spec?.replicas)
      yield `${nameOf(set)} has ${active.length} of ${set.spec?.replicas} pods`;
  }
  for (const deployment of deployments.filter(isAlive)) {
    const sets = ownedBy(replicaSets, deployment);
    const sum = sets.reduce((total, { status }) => total + (status?.replicas ?? 0), 0);
    const { status, metadata } = deployment;
    if ((status?.replicas ?? 0) !== sum) yield `${nameOf(deployment)} counts ${status?.replicas} of ${sum}`;
    if (status?.observedGeneration !== metadata.generation) yield `${nameOf(deployment)} has not been observed`;
    const hashes = sets.map((set) => set.metadata.labels?.["pod-template-hash"]);
    if (new Set(hashes).size !== hashes.length) yield `${nameOf(deployment)} has two sets of one template`;
  }
}

function* daemons({ pods, daemonSets }: World): Iterable<string> {
  for (const set of daemonSets.filter(isAlive)) {
    const nodes = ownedBy(pods, set)
      .filter(isActive)
      .map(({ spec }) => spec?.nodeName);
    if (new Set(nodes).size !== nodes.length) yield `${nameOf(set)} is twice on a node`;
    if (set.status?.desiredNumberScheduled !== nodes.length) yield `${nameOf(set)} is on ${nodes.length} nodes`;
  }
}

function* ordinals({ pods, statefulSets }: World): Iterable<string> {
  for (const set of statefulSets.filter(isAlive)) {
    const names = ownedBy(pods, set)
      .filter(isActive)
      .map(({ metadata }) => metadata.name);
    const wanted = Array.from({ length: names.length }, (_, ordinal) => `${set.metadata.name}-${ordinal}`);
    if (names.toSorted().join() !== wanted.toSorted().join()) yield `${nameOf(set)} has the pods ${names.join()}`;
  }
}

/** A finished Job has no active pod, and no pod without an unfinished Job is held by its finalizer. */
function* finishedJobs({ pods, jobs, cronJobs }: World): Iterable<string> {
  const unfinished = new Set<string | undefined>();
  for (const job of jobs) {
    const ended = job.status?.conditions?.some(
      ({ type, status }) => (type === "Complete" || type === "Failed") && status === "True",
    );
    if (!ended) unfinished.add(job.metadata.uid);
    else if (ownedBy(pods, job).some(isActive)) yield `${nameOf(job)} has ended and has pods that run`;
  }
  for (const pod of pods) {
    if (pod.metadata.finalizers?.includes(trackingFinalizer) && !unfinished.has(controllerOf(pod)?.uid))
      yield `${nameOf(pod)} is held though no Job counts it`;
  }
  for (const cronJob of cronJobs) {
    const active = (cronJob.status?.active ?? []).map(({ uid }) => uid ?? "");
    const running = ownedBy(jobs, cronJob).flatMap(({ metadata: { uid } }) => (unfinished.has(uid) ? [uid ?? ""] : []));
    if (active.toSorted().join() !== running.toSorted().join())
      yield `${nameOf(cronJob)} lists ${active.length} active`;
  }
}

/** The ready addresses of a service are those of its ready pods. */
function* endpoints({ pods, services, slices }: World): Iterable<string> {
  for (const service of services) {
    const selector = service.spec?.selector;
    if (selector === undefined) continue;
    const chosen = pods.filter(
      ({ metadata }) =>
        metadata.namespace === service.metadata.namespace &&
        Object.entries(selector).every(([key, value]) => metadata.labels?.[key] === value),
    );
    const wanted = chosen.filter((pod) => isActive(pod) && isReady(pod)).map(({ status }) => status?.podIP ?? "");
    const said = ownedBy(slices, service)
      .flatMap((slice) => slice.endpoints ?? [])
      .flatMap(({ addresses, conditions }) => (conditions?.ready ? addresses : []));
    if (said.toSorted().join() !== wanted.toSorted().join())
      yield `${nameOf(service)} has the endpoints ${said.join()}, not ${wanted.join()}`;
  }
}
