/** Where our answers differ from a real server's, and why. docs/compatibility.md says the same in words. */

export interface KnownDifference {
  readonly step: RegExp;
  readonly why: string;
}

export const knownDifferences: readonly KnownDifference[] = [];
