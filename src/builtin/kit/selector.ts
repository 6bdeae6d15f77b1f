/** Parsed label selectors of objects. Anyone may have written them, so an invalid one selects nothing. */
import { type LabelSelector, labelSelectorAsSelector, type Selector } from "../../api/index.js";
import { entriesByName } from "../../base/members.js";

/** Undefined if the selector is not valid. */
export function validSelector(selector: LabelSelector | undefined): Selector | undefined {
  try {
    return labelSelectorAsSelector(selector);
  } catch {
    return undefined;
  }
}

/**
 * The selector by which a workload claims pods. Undefined for an invalid one, and for an empty one, which would adopt
 * the whole namespace.
 */
export function claimSelector({
  spec,
}: {
  readonly spec?: { readonly selector?: LabelSelector | undefined } | undefined;
}): Selector | undefined {
  const selector = validSelector(spec?.selector);
  return selector?.isEverything ? undefined : selector;
}

/** A selector as Go prints it. */
export function goSelector(selector: LabelSelector | undefined): string {
  if (selector === undefined) return "nil";
  const labels = entriesByName(selector.matchLabels ?? {});
  const expressions = (selector.matchExpressions ?? []).map(
    ({ key, operator, values = [] }) =>
      `LabelSelectorRequirement{Key:${key},Operator:${operator},Values:[${values.join(" ")}],},`,
  );
  const shown = labels.map(([key, value]) => `${key}: ${value},`).join("");
  return `&LabelSelector{MatchLabels:map[string]string{${shown}},MatchExpressions:[]LabelSelectorRequirement{${expressions.join("")}},}`;
}
