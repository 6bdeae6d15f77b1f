/** The permitted differences between our controllers and the real kube-controller-manager, each with its reason. */

export interface KnownDifference {
  /** Matches the whole line: `scenario: checkpoint: what`. */
  readonly line: RegExp;
  /** Permitted only where the side beside the real one runs these controllers; absent: everywhere. */
  readonly controllers?: "real";
  readonly why: string;
}

export const knownDifferences: readonly KnownDifference[] = [
  {
    line: /ConfigMap kube-root-ca\.crt\.metadata\.annotations\.kubernetes\.io\/description:/,
    why: "the note on the published certificate is in our own words",
  },
  {
    line: /(EndpointSlice|Endpoints) .*annotations.*last-change-trigger-time/,
    why: "whether the last write to a slice had a cause with a time depends on how many changes it brought at once",
  },
  {
    line: /Deployment web\.status\.conditions\.\d\.message: ours .*<two>.*, real .*<one>.* has successfully progressed/,
    why: "the real controller keeps the old set's name when its first status write for the new set is refused",
  },
  {
    line: /DaemonSet agent .* SuccessfulDelete (once|often): Deleted pod: agent-~/,
    why: "the real controller sometimes tells a pod twice to go, before it has seen that it does",
  },
  {
    line: /only (real: .* SuccessfulDelete often|ours: .* SuccessfulDelete once): Delete Pod db-\d+ in StatefulSet db /,
    why: "the same of the real StatefulSet controller",
  },
  {
    line: /only (real|ours): .* SuccessfulDelete (once|often): Delete Pod db-\d+ in StatefulSet db /,
    controllers: "real",
    why: "the same where it runs on both sides",
  },
  {
    line: /only (real|ours): event StatefulSet db .*FailedUpdate .*the object has been modified/,
    why: "the real controller sometimes stumbles over its own last write to a claim; ours waits until it has seen it",
  },
  {
    line: /service-made-anew: .*FailedToUpdateEndpointSlices .*failed to delete web-~ .* not found/,
    why: "a service's old slice is deleted by the garbage collector and by whoever serves its namesake: one of them may be late",
  },
  {
    line: /node-ranges: .*event Node range-\w+ .*CIDRAssignmentFailed/,
    why: "the real controller takes a second range for a node before it has seen that the node has one; ours waits",
  },
];
