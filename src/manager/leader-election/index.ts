/** leader-election: one of several processes leads at a time, and the writes of the others do not reach the server. */
export type { CoordinatedElection } from "./candidacy.js";
export type { EndedTerm } from "./ended-term.js";
export { type ElectionRules, problemWith, termEndsAt } from "./election.js";
export {
  defaultIdentity,
  type LeaderCallbacks,
  LeaderElector,
  type LeaderElectorOptions,
  type LeaderTerm,
} from "./elector.js";
export { fencedTransport, NotLeaderError, type TermSource } from "./fence.js";
export {
  type CandidateClient,
  type LeaseClient,
  leaseClient,
  type LeaseName,
  type LeaseSpec,
  newLease,
} from "./lease.js";
