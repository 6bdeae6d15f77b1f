/** Keeps the ControllerRevisions of a StatefulSet: the current one, the one it is updated to, and a few old ones. */
import {
  ControllerRevision,
  isAlreadyExists,
  isNotFound,
  type Pod,
  semanticEqual,
  StatefulSet,
  unless,
} from "../../api/index.js";
import type { WorkClient } from "../../client/index.js";
import {
  byRevision,
  newRevision,
  nextRevisionNumber,
  revisionHashOf,
  snapshotOf,
  templateIn,
} from "../history/revisions.js";
import { templateHash } from "../template-hash.js";

const hashLabel = "controller.kubernetes.io/hash";

export interface StatefulHistory {
  readonly current: ControllerRevision;
  readonly update: ControllerRevision;
  readonly collisionCount: number;
}

export interface StatefulHistoryOptions {
  readonly client: WorkClient;
  readonly set: StatefulSet;
  readonly revisions: readonly ControllerRevision[];
}

/** A template that the set has had before gets a new number, not a new snapshot: that is a rollback. */
export async function constructHistory(options: StatefulHistoryOptions): Promise<StatefulHistory> {
  const { client, set } = options;
  const revisions = options.revisions.toSorted(byRevision);
  const template = set.spec?.template ?? {};
  const same = revisions.filter((revision) => semanticEqual(templateIn(revision), template)).at(-1);
  const number = nextRevisionNumber(revisions);
  let update: ControllerRevision;
  let collisionCount = set.status?.collisionCount ?? 0;
  if (same === undefined) ({ update, collisionCount } = await snapshotNow(options, number));
  else if (same === revisions.at(-1)) update = same;
  else update = await client.resource(ControllerRevision).update({ ...same, revision: number });
  const current = revisions.find(({ metadata }) => metadata.name === set.status?.currentRevision) ?? update;
  return { current, update, collisionCount };
}

/** Tries other names as long as the name is taken by another template. */
async function snapshotNow(
  { client, set }: StatefulHistoryOptions,
  revision: number,
): Promise<{ update: ControllerRevision; collisionCount: number }> {
  const template = set.spec?.template ?? {};
  const data = snapshotOf(template);
  const resource = client.resource(ControllerRevision);
  const { collisionCount: counted = 0 } = set.status ?? {};
  // the label keeps the first attempt's hash, as upstream's does; only the name must be free
  const labels = { ...template.metadata?.labels, [hashLabel]: templateHash(data, counted) };
  for (let collisionCount = counted; ; collisionCount++) {
    const name = `${set.metadata.name.slice(0, 223)}-${templateHash(data, collisionCount)}`;
    try {
      const draft = newRevision({ owner: set, ownerType: StatefulSet, name, labels, data, revision });
      return { update: await resource.create(draft), collisionCount };
    } catch (error) {
      if (!isAlreadyExists(error)) throw error;
      const taken = await resource.get({ name, namespace: set.metadata.namespace ?? "" });
      if (semanticEqual(taken.data, data)) return { update: taken, collisionCount };
    }
  }
}

/** Deletes the oldest revisions beyond the limit that are neither current, nor updated to, nor used by a pod. */
export async function truncateHistory(
  options: StatefulHistoryOptions,
  { current, update }: StatefulHistory,
  pods: readonly Pod[],
): Promise<void> {
  const { client, set, revisions } = options;
  const live = new Set([current.metadata.name, update.metadata.name, ...pods.map(revisionHashOf)]);
  const idle = revisions.filter(({ metadata }) => !live.has(metadata.name)).toSorted(byRevision);
  const excess = Math.max(0, idle.length - (set.spec?.revisionHistoryLimit ?? 10));
  for (const { metadata } of idle.slice(0, excess)) {
    await client.resource(ControllerRevision).delete(metadata).catch(unless(isNotFound));
  }
}
