/** The older labels of a node, which repeat newer ones: takes a node, gives the labels to set. Pure. */
import type { Node } from "../../api/index.js";

const copies = [
  ["kubernetes.io/os", "beta.kubernetes.io/os"],
  ["kubernetes.io/arch", "beta.kubernetes.io/arch"],
] as const;

/** Undefined if none is missing or different; the newer label is the right one. */
export function missingLabels({ metadata: { labels = {} } }: Node): Readonly<Record<string, string>> | undefined {
  const wrong = copies.filter(([from, to]) => labels[from] !== undefined && labels[to] !== labels[from]);
  return wrong.length === 0 ? undefined : Object.fromEntries(wrong.map(([from, to]) => [to, labels[from] as string]));
}
