/** Keeps the ControllerRevisions of a DaemonSet: one for the current template, with the highest number. */
import { ControllerRevision, DaemonSet, isAlreadyExists, isNotFound, Pod, unless } from "../../api/index.js";
import type { WorkClient } from "../../client/index.js";
import {
  byRevision,
  holds,
  newRevision,
  nextRevisionNumber,
  revisionHashLabel,
  revisionHashOf,
  snapshotOf,
} from "../history/revisions.js";
import { templateHash } from "../template-hash.js";

export interface DaemonHistory {
  readonly current: ControllerRevision;
  readonly old: readonly ControllerRevision[];
}

export interface HistoryOptions {
  readonly client: WorkClient;
  readonly set: DaemonSet;
  readonly revisions: readonly ControllerRevision[];
  readonly pods: readonly Pod[];
}

export async function constructHistory(options: HistoryOptions): Promise<DaemonHistory> {
  const { client, set } = options;
  const snapshot = snapshotOf(set.spec?.template ?? {});
  const revisions = await Promise.all(options.revisions.map((revision) => labelled(options, revision)));
  const same = revisions.filter((revision) => holds(revision, snapshot)).toSorted(byRevision);
  const old = revisions.filter((revision) => !same.includes(revision));
  const number = nextRevisionNumber(old);
  const latest = same.at(-1);
  if (latest === undefined) return { current: await snapshotNow(options, number), old };
  if (same.length > 1) await dropTwins(options, latest, same.slice(0, -1));
  if (latest.revision >= number) return { current: latest, old };
  const current = await client.resource(ControllerRevision).update({ ...latest, revision: number });
  return { current, old };
}

/**
 * Pods are matched to revisions by the hash label. A revision that has lost it gets its own name, which is unique, as
 * the label.
 */
function labelled({ client }: HistoryOptions, revision: ControllerRevision): Promise<ControllerRevision> {
  const { metadata } = revision;
  if (metadata.labels?.[revisionHashLabel] !== undefined) return Promise.resolve(revision);
  const labels = { ...metadata.labels, [revisionHashLabel]: metadata.name };
  return client.resource(ControllerRevision).update({ ...revision, metadata: { ...metadata, labels } });
}

async function snapshotNow({ client, set }: HistoryOptions, revision: number): Promise<ControllerRevision> {
  const template = set.spec?.template ?? {};
  const hash = templateHash(template, set.status?.collisionCount);
  const data = snapshotOf(template);
  const draft = newRevision({
    owner: set,
    ownerType: DaemonSet,
    name: `${set.metadata.name}-${hash}`,
    labels: { ...template.metadata?.labels, [revisionHashLabel]: hash },
    data,
    revision,
  });
  const resource = client.resource(ControllerRevision);
  try {
    return await resource.create(draft);
  } catch (error) {
    if (!isAlreadyExists(error)) throw error;
    const { namespace = "" } = set.metadata;
    const taken = await resource.get({ name: draft.metadata.name ?? "", namespace });
    if (holds(taken, data)) return taken;
    await countCollision(client, set);
    throw error;
  }
}

/** Another template has the same hash: raises `status.collisionCount`, so that the next attempt gets another name. */
async function countCollision(client: WorkClient, set: DaemonSet): Promise<void> {
  const live = await client.resource(DaemonSet).get(set.metadata);
  const counted = live.status?.collisionCount ?? 0;
  if (counted !== (set.status?.collisionCount ?? 0)) return; // the cache is behind: the collision is already counted
  const status = { ...(live.status as NonNullable<DaemonSet["status"]>), collisionCount: counted + 1 };
  await client.resource(DaemonSet).status.update({ ...live, status });
}

/** Merges several snapshots of one template: labels their pods with the latest one's hash, then deletes the others. */
async function dropTwins(
  { client, pods }: HistoryOptions,
  keep: ControllerRevision,
  twins: readonly ControllerRevision[],
): Promise<void> {
  const hashes = new Set(twins.map(revisionHashOf));
  for (const pod of pods) {
    if (!hashes.has(revisionHashOf(pod))) continue;
    const labels = { [revisionHashLabel]: revisionHashOf(keep) };
    await client.resource(Pod).patch(pod.metadata, { strategic: { metadata: { labels } } });
  }
  for (const twin of twins) await removeRevision(client, twin);
}

async function removeRevision(client: WorkClient, { metadata }: ControllerRevision): Promise<void> {
  await client.resource(ControllerRevision).delete(metadata).catch(unless(isNotFound));
}

/** Deletes the oldest revisions beyond `revisionHistoryLimit`. A revision that a pod still uses stays, and counts. */
export async function cleanUpHistory(options: HistoryOptions, { old }: DaemonHistory): Promise<void> {
  const { client, set, pods } = options;
  const live = new Set(pods.map(({ metadata }) => metadata.labels?.[revisionHashLabel]));
  const excess = Math.max(0, old.length - (set.spec?.revisionHistoryLimit ?? 10));
  const idle = old.filter((revision) => !live.has(revisionHashOf(revision))).toSorted(byRevision);
  for (const revision of idle.slice(0, excess)) await removeRevision(client, revision);
}
