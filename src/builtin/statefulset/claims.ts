/** The volume claims of a StatefulSet's pods: created before the pod, and kept or deleted by the retention policy. */
import { isAlreadyExists, PersistentVolumeClaim, type StatefulSet } from "../../api/index.js";
import type { WorkClient } from "../../client/index.js";
import type { ReadonlyStore } from "../../informer/index.js";
import type { Recorder } from "../kit/context.js";
import { serverWords } from "../pods/pod-control.js";
import { claimsOf } from "./identity.js";
import { type ClaimingPod, hasItsOwners, hasOtherController, ownersOf, retentionOwners } from "./retention.js";

export interface MemberPod extends ClaimingPod {
  readonly ordinal: number;
}

export interface ClaimKeeper {
  /** Creates missing claims. Throws for a claim that is being deleted: it must be gone before a new one is made. */
  ensure(set: StatefulSet, pod: MemberPod): Promise<void>;
  /** Brings the owners of a pod's claims in line with the policy. */
  retain(set: StatefulSet, pod: MemberPod): Promise<void>;
}

export function claimKeeper(
  client: WorkClient,
  claims: ReadonlyStore<PersistentVolumeClaim>,
  recorder: Recorder,
): ClaimKeeper {
  const resource = client.resource(PersistentVolumeClaim);
  const cached = (set: StatefulSet, name: string | undefined): PersistentVolumeClaim | undefined =>
    claims.get(`${set.metadata.namespace}/${name}`);
  return {
    async ensure(set, pod) {
      const wanted = retentionOwners(set, pod);
      const failures: Error[] = [];
      for (const draft of claimsOf(set, pod.ordinal)) {
        const { name } = draft.metadata;
        const claim = cached(set, name);
        if (claim?.metadata.deletionTimestamp !== undefined) failures.push(new Error(`pvc ${name} is being deleted`));
        if (claim !== undefined) continue;
        const within = `Pod ${pod.name} in StatefulSet ${set.metadata.name}`;
        try {
          const metadata = wanted.length === 0 ? draft.metadata : { ...draft.metadata, ownerReferences: wanted };
          await resource.create({ ...draft, metadata });
          recorder.normal(set, "SuccessfulCreate", `Create Claim ${name} ${within} success`);
        } catch (error) {
          const message = serverWords(error);
          failures.push(new Error(`failed to create PVC ${name}: ${message}`, { cause: error }));
          if (isAlreadyExists(error)) continue;
          recorder.warning(set, "FailedCreate", `Create Claim ${name} for ${within} failed error: ${message}`);
        }
      }
      if (failures.length === 1) throw failures[0] as Error;
      if (failures.length > 1) throw new AggregateError(failures, `[${failures.map(serverWords).join(", ")}]`);
    },
    async retain(set, pod) {
      for (const { metadata } of claimsOf(set, pod.ordinal)) {
        const claim = cached(set, metadata.name);
        if (claim === undefined) continue;
        if (hasOtherController(claim, set, pod)) {
          // "manging" is upstream's spelling
          const message = `PersistentVolumeClaim ${metadata.name} has a conflicting OwnerReference that acts as a manging controller, the retention policy is ignored for this claim`;
          recorder.warning(set, "ConflictingController", message);
        }
        if (hasItsOwners(claim, set, pod)) continue;
        try {
          const ownerReferences = ownersOf(claim, set, pod);
          const next = { ...claim, metadata: { ...claim.metadata, ownerReferences } };
          await resource.update(next);
        } catch (error) {
          const message = `could not update claim ${metadata.name} for delete policy ownerRefs: ${serverWords(error)}`;
          throw new Error(message, { cause: error });
        }
      }
    },
  };
}
