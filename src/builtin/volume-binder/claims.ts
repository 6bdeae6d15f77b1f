/** Processes one claim: binds it to a matching volume, or asks a provisioner for one, or reports the reason why it waits. */
import {
  deepEqual,
  metaNamespaceKey,
  PersistentVolume,
  PersistentVolumeClaim,
  type PersistentVolumeClaimStatus,
  type Pod,
  type StorageClass,
} from "../../api/index.js";
import type { WorkClient } from "../../client/index.js";
import {
  bestVolume,
  bindCompleted,
  claimed,
  classOf,
  isClaimedBy,
  mismatch,
  noProvisioner,
  saysNoClass,
  selectedNode,
  waitsForConsumer,
} from "../../placement/volume-claims.js";
import type { Recorder } from "../kit/context.js";
import { ensureStatus } from "../kit/status.js";
import { betaStorageProvisioner, defaultClass, having, storageProvisioner } from "./plan.js";
import { defined } from "../../base/defined.js";

export interface ClaimSurroundings {
  readonly client: WorkClient;
  readonly recorder: Recorder;
  volume(name: string): PersistentVolume | undefined;
  volumes(): Iterable<PersistentVolume>;
  storageClass(name: string): StorageClass | undefined;
  storageClasses(): readonly StorageClass[];
  /** Pods without a node that use the claim. */
  waitingPods(key: string): readonly Pod[];
}

export function syncClaim(claim: PersistentVolumeClaim, around: ClaimSurroundings): Promise<void> {
  if (claim.metadata.annotations?.[bindCompleted] !== undefined) return syncBound(claim, around);
  return claim.spec?.volumeName ? syncNamed(claim, around) : syncUnbound(claim, around);
}

/** A claim that waits for its first consumer gets no new volume before the scheduler has chosen the node. */
async function syncUnbound(claim: PersistentVolumeClaim, around: ClaimSurroundings): Promise<void> {
  const className = classOf(claim);
  const storageClass = className === "" ? undefined : around.storageClass(className);
  const delayed = waitsForConsumer(storageClass);
  const volume = bestVolume(claim, around.volumes(), { delayed });
  if (volume !== undefined) return bind(volume, claim, around);
  const given = saysNoClass(claim) ? defaultClass(around.storageClasses()) : undefined;
  if (given !== undefined) {
    const spec = { ...claim.spec, storageClassName: given.metadata.name };
    await around.client.resource(PersistentVolumeClaim).update({ ...claim, spec });
    return;
  }
  const { recorder } = around;
  if (delayed && claim.metadata.annotations?.[selectedNode] === undefined) {
    const { reason, message } = whatItWaitsFor(around.waitingPods(metaNamespaceKey(claim)));
    recorder.normal(claim, reason, message);
  } else if (className === "") {
    const message = "no persistent volumes available for this claim and no storage class is set";
    recorder.normal(claim, "FailedBinding", message);
  } else if (storageClass === undefined) {
    recorder.warning(claim, "ProvisioningFailed", `storageclass.storage.k8s.io "${className}" not found`);
  } else if (storageClass.provisioner === noProvisioner) {
    recorder.warning(claim, "ProvisioningFailed", `no volume plugin matched name: ${noProvisioner}`);
  } else {
    await ask(claim, storageClass.provisioner, around);
  }
}

function whatItWaitsFor(pods: readonly Pod[]): { readonly reason: string; readonly message: string } {
  const names = pods.map(({ metadata }) => metadata.name);
  if (names.length === 0) {
    return { reason: "WaitForFirstConsumer", message: "waiting for first consumer to be created before binding" };
  }
  const message = `waiting for ${names.length === 1 ? "pod" : "pods"} ${names.join(",")} to be scheduled`;
  return { reason: "WaitForPodScheduled", message };
}

/** Names the provisioner in the claim; it then makes the volume. */
async function ask(
  claim: PersistentVolumeClaim,
  provisioner: string,
  { client, recorder }: ClaimSurroundings,
): Promise<void> {
  const before = claim.metadata.annotations ?? {};
  const annotations = { ...before, [betaStorageProvisioner]: provisioner, [storageProvisioner]: provisioner };
  if (!deepEqual(before, annotations)) {
    await client.resource(PersistentVolumeClaim).update({ ...claim, metadata: { ...claim.metadata, annotations } });
  }
  recorder.normal(
    claim,
    "ExternalProvisioning",
    `Waiting for a volume to be created either by the external provisioner '${provisioner}' or manually by the system administrator. If volume creation is delayed, please verify that the provisioner is running and correctly registered.`,
  );
}

/** Handles a claim whose user names the volume. */
async function syncNamed(claim: PersistentVolumeClaim, around: ClaimSurroundings): Promise<void> {
  const name = claim.spec?.volumeName ?? "";
  const volume = around.volume(name);
  if (volume === undefined) return;
  const isFree = volume.spec?.claimRef === undefined;
  const why = isFree ? mismatch(volume, claim) : undefined;
  if (why !== undefined) {
    around.recorder.warning(claim, "VolumeMismatch", `Cannot bind to requested volume "${name}": ${why}`);
  } else if (isFree || isClaimedBy(volume, claim)) {
    await bind(volume, claim, around);
  } else {
    around.recorder.warning(claim, "FailedBinding", `volume "${name}" already bound to a different claim.`);
  }
}

const lostReference = "Bound claim has lost reference to PersistentVolume. Data on the volume is lost!";
const lostVolume = "Bound claim has lost its PersistentVolume. Data on the volume is lost!";
const misbound = "Two claims are bound to the same volume, this one is bound incorrectly";

async function syncBound(claim: PersistentVolumeClaim, around: ClaimSurroundings): Promise<void> {
  const { volumeName } = claim.spec ?? {};
  const volume = volumeName ? around.volume(volumeName) : undefined;
  const ref = volume?.spec?.claimRef;
  if (volume !== undefined && (ref === undefined || ref.uid === claim.metadata.uid)) {
    return bind(volume, claim, around);
  }
  if (claim.status?.phase === "Lost") return;
  await ensureStatus(around.client, PersistentVolumeClaim, claim, { ...claim.status, phase: "Lost" });
  if (volume !== undefined) around.recorder.warning(claim, "ClaimMisbound", misbound);
  else around.recorder.warning(claim, "ClaimLost", volumeName ? lostVolume : lostReference);
}

/** Writes the volume first: of two claims that want it, the server lets only one win. Each step may already be done. */
async function bind(
  volume: PersistentVolume,
  claim: PersistentVolumeClaim,
  { client }: ClaimSurroundings,
): Promise<void> {
  const volumes = client.resource(PersistentVolume);
  const wanted = claimed(volume, claim);
  const held = wanted === volume ? volume : await volumes.update(wanted);
  await ensureStatus(client, PersistentVolume, held, { ...held.status, phase: "Bound" });
  const next = having(claim, held);
  const bound = next === claim ? claim : await client.resource(PersistentVolumeClaim).update(next);
  const { accessModes, capacity } = held.spec ?? {};
  // a bound claim may have got a larger capacity since
  const given = bound.status?.phase === "Bound" ? bound.status.capacity : capacity;
  const status: PersistentVolumeClaimStatus = {
    ...bound.status,
    phase: "Bound",
    ...defined({ accessModes, capacity: given }),
  };
  await ensureStatus(client, PersistentVolumeClaim, bound, status);
}
