/** Where our controllers' results differ from the real kube-controller-manager's, and why that is right or must be. */

export interface KnownDifference {
  /** Of the whole line: `scenario: checkpoint: what`. */
  readonly line: RegExp;
  readonly why: string;
}

export const knownDifferences: readonly KnownDifference[] = [];
