/** The answers of nodes to pods that are alike: a node is asked again only after it has changed. */
import { Recent } from "../../base/containers/recent.js";
import type { NodeInfo } from "../state/node-info.js";
import { type PodInfo, placementKey } from "../state/pod-info.js";
import type { Rating, Score } from "../scores/score.js";
import type { FitTest, Refused } from "../filters/filter.js";

/** The kinds of pods whose answers are kept; each takes some tens of bytes for each node. */
const kindsKept = 32;

/** The answers for the filters and scores of one profile. */
export class Answers {
  readonly #kinds = new Recent<string, AnswersToKind>({ weight: kindsKept });

  /** The answers to pods like this one. */
  to(pod: PodInfo): AnswersToKind {
    const key = placementKey(pod);
    if (key === undefined) return new AnswersToKind();
    const known = this.#kinds.get(key);
    if (known !== undefined) return known;
    const answers = new AnswersToKind();
    this.#kinds.set(key, answers);
    return answers;
  }
}

/**
 * Columns of answers, by the slots of nodes.
 * Invariant: an answer counts only for the version of the node that stands beside it. No two nodes of a cluster, nor two
 * states of a node, have the same version.
 */
export class AnswersToKind {
  readonly #verdicts: Column<Refused | undefined> = { versions: [], values: [] };
  readonly #ratings = new Map<string, Column<number>>();

  /** As `test`, whose outcome depends on the node alone. */
  refusal(node: NodeInfo, test: FitTest): Refused | undefined {
    const { versions, values } = this.#verdicts;
    const { slot, version } = node;
    if (versions[slot] === version) return values[slot];
    const refused = test(node);
    keep(this.#verdicts, node, refused);
    return refused;
  }

  /** As `rating.rate` of each node; it depends on the node alone. */
  ratings({ name }: Score, rating: Rating, nodes: readonly NodeInfo[]): readonly number[] {
    const column = this.#ratings.get(name) ?? { versions: [], values: [] };
    this.#ratings.set(name, column);
    const { versions, values } = column;
    return nodes.map((node) => {
      const { slot, version } = node;
      if (versions[slot] === version) return values[slot] as number;
      const rated = rating.rate(node);
      keep(column, node, rated);
      return rated;
    });
  }
}

interface Column<T> {
  readonly versions: number[];
  readonly values: T[];
}

function keep<T>({ versions, values }: Column<T>, { slot, version }: NodeInfo, value: T): void {
  while (versions.length <= slot) {
    versions.push(0);
    values.push(value);
  }
  versions[slot] = version;
  values[slot] = value;
}
