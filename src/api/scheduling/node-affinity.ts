/**
 * Node selectors and required node affinity: tells whether a node is one that the pod asks for. Pure; compiled once,
 * matched often.
 */
import type { Node, NodeSelectorRequirement, NodeSelectorTerm, PodSpec } from "../generated/core-v1.js";
import { own } from "../../base/members.js";

export type NodeMatcher = (node: Pick<Node, "metadata">) => boolean;

type Read = (node: Pick<Node, "metadata">, key: string) => string | undefined;

const label: Read = ({ metadata }, key) => own(metadata.labels, key);
/** `metadata.name` is the only field that a selector may use. */
const field: Read = ({ metadata }, key) => (key === "metadata.name" ? metadata.name : undefined);

function requirement({ key, operator, values = [] }: NodeSelectorRequirement, read: Read): NodeMatcher {
  const wanted = new Set(values);
  switch (operator) {
    case "In":
      return (node) => wanted.has(read(node, key) ?? "\0");
    case "NotIn":
      return (node) => !wanted.has(read(node, key) ?? "\0");
    case "Exists":
      return (node) => read(node, key) !== undefined;
    case "DoesNotExist":
      return (node) => read(node, key) === undefined;
    case "Gt":
    case "Lt": {
      const bound = integer(values[0]);
      return (node) => {
        const actual = integer(read(node, key));
        if (bound === undefined || actual === undefined) return false;
        return operator === "Gt" ? actual > bound : actual < bound;
      };
    }
    default:
      return () => false;
  }
}

const integer = (text: string | undefined): bigint | undefined =>
  text !== undefined && /^[+-]?[0-9]+$/.test(text) ? BigInt(text.replace("+", "")) : undefined;

/** Matches a node that meets all requirements of the term; a term without requirements matches no node. */
export function nodeSelectorTerm({ matchExpressions = [], matchFields = [] }: NodeSelectorTerm): NodeMatcher {
  const tests = [
    ...matchExpressions.map((one) => requirement(one, label)),
    ...matchFields.map((one) => requirement(one, field)),
  ];
  return tests.length === 0 ? () => false : (node) => tests.every((matches) => matches(node));
}

/** Matches a node that fits the pod's nodeSelector and, if the pod has required terms, at least one of them. */
export function requiredNodes(spec: PodSpec | undefined): NodeMatcher {
  const labels = Object.entries(spec?.nodeSelector ?? {});
  const required = spec?.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution;
  const terms = required?.nodeSelectorTerms.map(nodeSelectorTerm);
  return (node) =>
    labels.every(([key, value]) => node.metadata.labels?.[key] === value) &&
    (terms === undefined || terms.some((matches) => matches(node)));
}
