/** The volume claims of a StatefulSet's pods: made before the pod, kept or given away by the retention policy. */
import {
  deepEqual,
  isAlreadyExists,
  type OwnerReference,
  PersistentVolumeClaim,
  Pod,
  StatefulSet,
} from "../../api/index.js";
import type { Client } from "../../client/index.js";
import type { ReadonlyStore } from "../../informer/index.js";
import type { Recorder } from "../kit/context.js";
import { messageOf } from "../pods/pod-control.js";
import { claimsOf, podNameOf } from "./identity.js";

/** Who the claim goes with: nobody, the whole set, or the pod that is scaled away. Pure. */
export function retentionOwners(set: StatefulSet, pod: Pod | undefined, condemned: boolean): readonly OwnerReference[] {
  const { whenDeleted = "Retain", whenScaled = "Retain" } = set.spec?.persistentVolumeClaimRetentionPolicy ?? {};
  const reference = (
    kind: string,
    apiVersion: string,
    { name, uid }: { name: string; uid?: string },
  ): OwnerReference => ({
    apiVersion,
    kind,
    name,
    uid: uid ?? "",
    controller: true,
    blockOwnerDeletion: true,
  });
  if (condemned && whenScaled === "Delete" && pod !== undefined) return [reference("Pod", "v1", pod.metadata)];
  return whenDeleted === "Delete" ? [reference("StatefulSet", "apps/v1", set.metadata)] : [];
}

/** The claim's owners with ours put right and others' left alone. */
export function withRetention(
  owners: readonly OwnerReference[],
  set: StatefulSet,
  wanted: readonly OwnerReference[],
  podName: string,
): readonly OwnerReference[] {
  const ours = ({ kind, uid, name }: OwnerReference): boolean =>
    (kind === "StatefulSet" && uid === set.metadata.uid) || (kind === "Pod" && name === podName);
  return [...owners.filter((owner) => !ours(owner)), ...wanted];
}

export interface ClaimKeeper {
  /** Makes what is missing; gives the revision of the last write, if there was one. */
  ensure(set: StatefulSet, ordinal: number, signal: AbortSignal): Promise<void>;
  /** Brings the owners of a pod's claims in line with the policy. */
  retain(
    set: StatefulSet,
    target: { ordinal: number; pod: Pod | undefined; condemned: boolean },
    signal: AbortSignal,
  ): Promise<void>;
  /** A claim that goes with an earlier pod of this name: a new pod must not be given it. */
  hasStaleClaim(set: StatefulSet, ordinal: number, livePod: (name: string) => Pod | undefined): boolean;
}

export function claimKeeper(
  client: Client,
  claims: ReadonlyStore<PersistentVolumeClaim>,
  recorder: Recorder,
  onWrite: (set: StatefulSet, claim: PersistentVolumeClaim) => void,
): ClaimKeeper {
  const resource = client.resource(PersistentVolumeClaim);
  const cached = (set: StatefulSet, name: string | undefined): PersistentVolumeClaim | undefined =>
    claims.get(`${set.metadata.namespace}/${name}`);
  return {
    async ensure(set, ordinal, signal) {
      const wanted = retentionOwners(set, undefined, false);
      for (const draft of claimsOf(set, ordinal)) {
        const { name } = draft.metadata;
        if (cached(set, name) !== undefined) continue;
        const subject = `Claim ${name} Pod ${podNameOf(set, ordinal)} in StatefulSet ${set.metadata.name}`;
        try {
          const metadata = wanted.length === 0 ? draft.metadata : { ...draft.metadata, ownerReferences: wanted };
          onWrite(set, await resource.create({ ...draft, metadata }, { signal }));
          recorder.normal(set, "SuccessfulCreate", `Create ${subject} success`);
        } catch (error) {
          if (isAlreadyExists(error)) continue;
          recorder.warning(set, "FailedCreate", `Create ${subject} failed error: ${messageOf(error)}`);
          throw error;
        }
      }
    },
    async retain(set, { ordinal, pod, condemned }, signal) {
      const wanted = retentionOwners(set, pod, condemned);
      for (const { metadata } of claimsOf(set, ordinal)) {
        const claim = cached(set, metadata.name);
        if (claim === undefined) continue;
        const before = claim.metadata.ownerReferences ?? [];
        const ownerReferences = withRetention(before, set, wanted, podNameOf(set, ordinal));
        if (deepEqual(before, ownerReferences)) continue;
        onWrite(set, await resource.update({ ...claim, metadata: { ...claim.metadata, ownerReferences } }, { signal }));
      }
    },
    hasStaleClaim(set, ordinal, livePod) {
      return claimsOf(set, ordinal).some(({ metadata }) =>
        (cached(set, metadata.name)?.metadata.ownerReferences ?? []).some(
          ({ kind, name, uid }) => kind === Pod.kind && livePod(name)?.metadata.uid !== uid,
        ),
      );
    },
  };
}
