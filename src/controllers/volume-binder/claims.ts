/** One look at one claim: binds it to a volume that serves, or asks for one, or says what it waits for. From the binder's queue. */
import {
  deepEqual,
  metaNamespaceKey,
  PersistentVolume,
  PersistentVolumeClaim,
  type PersistentVolumeClaimStatus,
  type Pod,
  type StorageClass,
} from "../../api/index.js";
import type { Client } from "../../client/index.js";
import type { Recorder } from "../kit/context.js";
import {
  bestVolume,
  betaStorageProvisioner,
  bindCompleted,
  claimed,
  classOf,
  having,
  isClaimedBy,
  selectedNode,
  storageProvisioner,
} from "./plan.js";

export interface ClaimSurroundings {
  readonly client: Client;
  readonly recorder: Recorder;
  volume(name: string): PersistentVolume | undefined;
  volumes(): Iterable<PersistentVolume>;
  storageClass(name: string): StorageClass | undefined;
  /** Those with a node that use the claim. */
  scheduledPods(key: string): readonly Pod[];
}

const noProvisioner = "kubernetes.io/no-provisioner";

export async function syncClaim(
  claim: PersistentVolumeClaim,
  around: ClaimSurroundings,
  signal: AbortSignal,
): Promise<void> {
  if (claim.spec?.volumeName) return syncNamed(claim, around, signal);
  const className = classOf(claim);
  const storageClass = className === "" ? undefined : around.storageClass(className);
  const waits = storageClass?.volumeBindingMode === "WaitForFirstConsumer";
  const node = claim.metadata.annotations?.[selectedNode] ?? consumerNode(claim, around);
  const delayed = waits && node === undefined;
  const volume = bestVolume(claim, around.volumes(), { delayed });
  if (volume !== undefined) return bind(volume, claim, around, signal);
  const { recorder } = around;
  if (delayed) {
    recorder.normal(claim, "WaitForFirstConsumer", "waiting for first consumer to be created before binding");
  } else if (className === "") {
    const message = "no persistent volumes available for this claim and no storage class is set";
    recorder.normal(claim, "FailedBinding", message);
  } else if (storageClass === undefined) {
    recorder.warning(claim, "ProvisioningFailed", `storageclass.storage.k8s.io "${className}" not found`);
  } else if (storageClass.provisioner === noProvisioner) {
    recorder.warning(claim, "ProvisioningFailed", `no volume plugin matched name: ${noProvisioner}`);
  } else {
    await ask(
      claim,
      { provisioner: storageClass.provisioner, ...(waits && node !== undefined && { node }) },
      around,
      signal,
    );
  }
}

/** A scheduler that knows of volumes says where before it binds the pod; for one that does not, the pod's node says it. */
function consumerNode(claim: PersistentVolumeClaim, { scheduledPods }: ClaimSurroundings): string | undefined {
  return scheduledPods(metaNamespaceKey(claim))[0]?.spec?.nodeName;
}

/** The provisioner named in the claim makes the volume. */
async function ask(
  claim: PersistentVolumeClaim,
  { provisioner, node }: { readonly provisioner: string; readonly node?: string },
  { client, recorder }: ClaimSurroundings,
  signal: AbortSignal,
): Promise<void> {
  const before = claim.metadata.annotations ?? {};
  const annotations = {
    ...before,
    [betaStorageProvisioner]: provisioner,
    [storageProvisioner]: provisioner,
    ...(node === undefined ? {} : { [selectedNode]: node }),
  };
  if (!deepEqual(before, annotations)) {
    await client
      .resource(PersistentVolumeClaim)
      .update({ ...claim, metadata: { ...claim.metadata, annotations } }, { signal });
  }
  recorder.normal(
    claim,
    "ExternalProvisioning",
    `Waiting for a volume to be created either by the external provisioner '${provisioner}' or manually by the system administrator. If volume creation is delayed, please verify that the provisioner is running and correctly registered.`,
  );
}

/** A claim that names its volume: by the user's wish, or because they belong together already. */
async function syncNamed(claim: PersistentVolumeClaim, around: ClaimSurroundings, signal: AbortSignal): Promise<void> {
  const { recorder } = around;
  const name = claim.spec?.volumeName ?? "";
  const volume = around.volume(name);
  const isBound = claim.metadata.annotations?.[bindCompleted] !== undefined;
  const isOurs = volume !== undefined && (volume.spec?.claimRef === undefined || isClaimedBy(volume, claim));
  if (isOurs) return bind(volume, claim, around, signal);
  if (!isBound) {
    if (volume !== undefined)
      recorder.warning(claim, "FailedBinding", `volume "${name}" already bound to a different claim.`);
    return;
  }
  if (claim.status?.phase === "Lost") return;
  await writeClaimStatus(claim, { ...claim.status, phase: "Lost" }, around.client, signal);
  if (volume === undefined) {
    recorder.warning(claim, "ClaimLost", "Bound claim has lost its PersistentVolume. Data on the volume is lost!");
  } else {
    recorder.warning(claim, "ClaimMisbound", "Two claims are bound to the same volume, this one is bound incorrectly");
  }
}

/** The volume first: of two claims that want it, the server lets one have it. Each step may be found done already. */
async function bind(
  volume: PersistentVolume,
  claim: PersistentVolumeClaim,
  { client }: ClaimSurroundings,
  signal: AbortSignal,
): Promise<void> {
  const volumes = client.resource(PersistentVolume);
  const wanted = claimed(volume, claim);
  const held = wanted === volume ? volume : await volumes.update(wanted, { signal });
  if (held.status?.phase !== "Bound") {
    await volumes.status.update({ ...held, status: { ...held.status, phase: "Bound" } }, { signal });
  }
  const next = having(claim, held);
  const bound = next === claim ? claim : await client.resource(PersistentVolumeClaim).update(next, { signal });
  const { accessModes, capacity } = held.spec ?? {};
  // a bound claim may have been given more since
  const given = bound.status?.phase === "Bound" ? bound.status.capacity : capacity;
  const status: PersistentVolumeClaimStatus = {
    ...bound.status,
    phase: "Bound",
    ...(accessModes && { accessModes }),
    ...(given && { capacity: given }),
  };
  await writeClaimStatus(bound, status, client, signal);
}

async function writeClaimStatus(
  claim: PersistentVolumeClaim,
  status: PersistentVolumeClaimStatus,
  client: Client,
  signal: AbortSignal,
): Promise<void> {
  if (deepEqual(claim.status ?? {}, status)) return;
  await client.resource(PersistentVolumeClaim).status.update({ ...claim, status }, { signal });
}
