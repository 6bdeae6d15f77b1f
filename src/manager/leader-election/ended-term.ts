/** The record of a term that is over, for people who ask why a process does not lead. */
/** The end of a term. */
export interface EndedTerm {
  readonly epoch: number;
  /** Milliseconds since the epoch of the clock. */
  readonly at: number;
  /** `lost`: another took the lease, or it could not be renewed in time. `replaced`: the coordinator prefers another. */
  readonly why: "stopped" | "lost" | "replaced";
  /** The error of the last attempt to renew, if that failed. */
  readonly failure: unknown;
}
