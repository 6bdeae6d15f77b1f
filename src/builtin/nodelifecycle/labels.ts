/** The older labels of a node that say what the newer ones say: takes a node, gives the labels that it lacks. Pure. */
import type { Node } from "../../api/index.js";

const copies = [
  ["kubernetes.io/os", "beta.kubernetes.io/os"],
  ["kubernetes.io/arch", "beta.kubernetes.io/arch"],
] as const;

/** undefined if none is missing or differs; the newer label is the one that is right. */
export function missingLabels({ metadata: { labels = {} } }: Node): Readonly<Record<string, string>> | undefined {
  const wrong = copies.filter(([from, to]) => labels[from] !== undefined && labels[to] !== labels[from]);
  return wrong.length === 0 ? undefined : Object.fromEntries(wrong.map(([from, to]) => [to, labels[from] as string]));
}
