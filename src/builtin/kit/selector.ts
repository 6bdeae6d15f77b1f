/** Parsed label selectors of objects. Anyone may have written them, so an invalid one selects nothing. */
import { type LabelSelector, labelSelectorAsSelector, type Selector } from "../../api/index.js";

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
