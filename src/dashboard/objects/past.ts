/** The past of one object: reads it as it was before each of its writes, for as long as the server remembers. */
import { compareRevisions, isExpired, isGone, isRevision, type KubeObject, revisionBefore } from "../../api/index.js";
import { messageOf, Recent } from "../../base/index.js";
import type { Revision } from "../wire.js";
import { differencesOf, managerOf, writtenAt } from "./differences.js";

/** Reads the object as it was at a revision of the cluster; undefined if it was not there. */
export type ReadAt = (revision: string) => Promise<KubeObject | undefined>;

export interface PastAnswer {
  /** The newest first. */
  readonly revisions: readonly Revision[];
  /** The reason why nothing older is shown; absent if the oldest revision created the object. */
  readonly problem?: string;
}

interface Step {
  readonly revision: Revision;
  readonly before: KubeObject | undefined;
}

const mostSteps = 20;
const keptSteps = 200;

/** A page asks again with each change, and the past does not change: each write is read once. */
export class Past {
  /** By uid and revision. */
  readonly #steps = new Recent<string, Step>({ weight: keptSteps });

  /** From the given state back to its creation, write by write. */
  async before(object: KubeObject, readAt: ReadAt): Promise<PastAnswer> {
    const revisions: Revision[] = [];
    for (let now = object; ; ) {
      if (revisions.length >= mostSteps) return { revisions, problem: `the newest ${mostSteps} revisions are shown` };
      const { resourceVersion = "", uid = "" } = now.metadata;
      if (!isRevision(resourceVersion)) return { revisions, problem: "the server's revisions are not numbers" };
      let step: Step;
      try {
        step = await this.#step(`${uid}@${resourceVersion}`, now, readAt);
      } catch (error) {
        const problem =
          isExpired(error) || isGone(error) ? "the server has forgotten earlier revisions" : messageOf(error);
        return { revisions, problem };
      }
      revisions.push(step.revision);
      if (step.before === undefined) return { revisions };
      now = step.before;
    }
  }

  async #step(id: string, now: KubeObject, readAt: ReadAt): Promise<Step> {
    const known = this.#steps.get(id);
    if (known !== undefined) return known;
    const { resourceVersion: revision = "", uid } = now.metadata;
    const found = await readAt(revisionBefore(revision));
    // an earlier object of the same name has a history of its own
    const before = found?.metadata.uid === uid ? found : undefined;
    const step: Step = {
      before,
      revision: {
        revision,
        at: writtenAt(now),
        fields: [],
        writer: managerOf(before, now),
        isCreation: before === undefined,
        ...differencesOf(before, now),
      },
    };
    this.#steps.set(id, step);
    return step;
  }
}

/** Joins revisions that the journal tells of with revisions that the server remembers; the newest first. */
export function joined(told: readonly Revision[], remembered: readonly Revision[]): Revision[] {
  const byRevision = new Map(told.map((one) => [one.revision, one]));
  const all = remembered.map((one): Revision => {
    const known = byRevision.get(one.revision);
    byRevision.delete(one.revision);
    // the journal knows the run, and the time to the millisecond
    return known === undefined
      ? one
      : { ...one, ...known, writer: known.run === undefined ? one.writer : known.writer };
  });
  // remembered revisions are all there are since the oldest of them
  const oldest = remembered.at(-1);
  const older = oldest?.isCreation === true ? [] : told.filter(({ revision }) => byRevision.has(revision));
  return [...all, ...older].sort((a, b) => compareRevisions(b.revision, a.revision));
}
