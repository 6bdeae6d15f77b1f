/** The one error of all patches. */

/**
 * - `malformed`: the patch itself is not a patch of its type (a server answers 400).
 * - `inapplicable`: a good patch that does not fit this document (422).
 * - `too-large`: over a limit on operations or growth (413).
 * - `unmergeable`: patch and document disagree about the types that the schema declares (500, as upstream does).
 */
export type PatchFailure = "malformed" | "inapplicable" | "too-large" | "unmergeable";

export class PatchError extends Error {
  override readonly name = "PatchError";
  readonly failure: PatchFailure;

  constructor(failure: PatchFailure, message: string, options?: ErrorOptions) {
    super(message, options);
    this.failure = failure;
  }
}
