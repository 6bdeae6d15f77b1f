/** Oracles that users write: states that must always hold, must never be, or must have been once. Checked at every revision. */
import type { Oracle, StateView } from "../oracle.js";

/** A check of one revision: false, or a message about the fault, is a violation. */
export type Check = (view: StateView) => boolean | string | undefined;

const failed = (result: boolean | string | undefined): boolean => result === false || typeof result === "string";

const said = (result: boolean | string | undefined, otherwise: string): string =>
  typeof result === "string" ? result : otherwise;

/** The check holds at every revision. */
export function always(name: string, check: Check): Oracle {
  return {
    name,
    watch: () => ({
      see(view) {
        const result = check(view);
        return failed(result) ? said(result, `does not hold as of revision ${view.revision}`) : undefined;
      },
    }),
  };
}

/** The state does not occur at any revision. */
export function never(name: string, isThere: (view: StateView) => boolean): Oracle {
  return always(name, (view) => (isThere(view) ? `is there as of revision ${view.revision}` : true));
}

/** The check holds in the end, after the last fault. */
export function eventually(name: string, check: Check): Oracle {
  return {
    name,
    watch: () => ({
      finish(view) {
        const result = check(view);
        return failed(result) ? said(result, "does not hold in the end") : undefined;
      },
    }),
  };
}
