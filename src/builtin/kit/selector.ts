/** Selectors that objects carry, parsed: what anybody may have written, so an invalid one selects nothing. */
import { type LabelSelector, labelSelectorAsSelector, type Selector } from "../../api/index.js";

/** undefined if it is not valid. */
export function validSelector(selector: LabelSelector | undefined): Selector | undefined {
  try {
    return labelSelectorAsSelector(selector);
  } catch {
    return undefined;
  }
}

/** What a workload claims: undefined for an invalid selector, and for an empty one, which would adopt the whole namespace. */
export function claimSelector({
  spec,
}: {
  readonly spec?: { readonly selector?: LabelSelector | undefined } | undefined;
}): Selector | undefined {
  const selector = validSelector(spec?.selector);
  return selector?.isEverything ? undefined : selector;
}
