/** A simulated storage system: makes the volume that a claim asks for, and deletes it when it is released. */
import {
  CSIDriver,
  isAlreadyExists,
  isNotFound,
  PersistentVolume,
  PersistentVolumeClaim,
  StorageClass,
  unless,
} from "../../api/index.js";
import { defined } from "../../base/defined.js";
import type { Client, WorkClient } from "../../client/index.js";
import type { KeyRun } from "../../controller/index.js";
import { classOf, claimReference } from "../../placement/volume-claims.js";
import type { BuiltInController, ControllerContext } from "../kit/context.js";
import { keyLoop } from "../kit/loops.js";
import { provisionedBy, storageProvisioner } from "../volume-binder/plan.js";

/** The provisioner name for a StorageClass whose volumes come from here. */
export const simulatedProvisioner = "coxswain.dev/simulated";
/** The CSI driver of its volumes, whose name has to be a domain name. */
export const simulatedDriver = "simulated.coxswain.dev";

export interface SimulatedStorageOptions {
  /** Whether pods wait until their volumes are attached to their node; only with a controller that attaches them. */
  readonly attachRequired: boolean;
  readonly signal?: AbortSignal;
}

/** Creates the default StorageClass, so that claims without a class get simulated volumes, and their driver's object. */
export async function ensureSimulatedStorage(
  client: Client,
  { attachRequired, signal }: SimulatedStorageOptions,
): Promise<void> {
  const annotations = { "storageclass.kubernetes.io/is-default-class": "true" };
  const standard = {
    metadata: { name: "standard", annotations },
    provisioner: simulatedProvisioner,
    allowVolumeExpansion: true,
  };
  const driver = { metadata: { name: simulatedDriver }, spec: { attachRequired } };
  const options = defined({ signal });
  await client.resource(CSIDriver).create(driver, options).catch(unless(isAlreadyExists));
  await client.resource(StorageClass).create(standard, options).catch(unless(isAlreadyExists));
}

export function volumeProvisioner(context: ControllerContext): BuiltInController {
  const { informers } = context;
  const claims = informers.informer(PersistentVolumeClaim);
  const volumes = informers.informer(PersistentVolume);
  const classes = informers.informer(StorageClass);
  const recorder = context.recorderFor(simulatedProvisioner);
  // a claim's key contains a namespace, a volume's does not
  const loop = keyLoop(context, { name: "volume_provisioner", kind: "PersistentVolumeClaim", workers: 4, sync });
  loop.follow(claims);
  loop.follow(volumes);

  async function sync({ key, client }: KeyRun): Promise<void> {
    const claim = key.includes("/") ? claims.indexer.get(key) : undefined;
    if (claim !== undefined) return provision(claim, client);
    const volume = volumes.indexer.get(key);
    if (volume !== undefined) await reclaim(volume, client);
  }

  async function provision(claim: PersistentVolumeClaim, client: WorkClient): Promise<void> {
    const { annotations, deletionTimestamp, namespace, uid, name } = claim.metadata;
    if (claim.spec?.volumeName || deletionTimestamp !== undefined) return;
    if (annotations?.[storageProvisioner] !== simulatedProvisioner) return;
    const volumeName = `pvc-${uid}`;
    if (volumes.indexer.get(volumeName) !== undefined) return;
    const storageClass = classes.indexer.get(classOf(claim));
    const { accessModes, resources, volumeMode } = claim.spec ?? {};
    const { mountOptions, reclaimPolicy = "Delete" } = storageClass ?? {};
    const storage = resources?.requests?.["storage"] ?? "1Gi";
    recorder.normal(
      claim,
      "Provisioning",
      `External provisioner is provisioning volume for claim "${namespace}/${name}"`,
    );
    try {
      await client.resource(PersistentVolume).create({
        metadata: { name: volumeName, annotations: { [provisionedBy]: simulatedProvisioner } },
        spec: {
          capacity: { storage },
          persistentVolumeReclaimPolicy: reclaimPolicy,
          storageClassName: classOf(claim),
          claimRef: claimReference(claim),
          csi: { driver: simulatedDriver, volumeHandle: volumeName },
          ...defined({ accessModes, volumeMode: volumeMode || undefined, mountOptions }),
        },
      });
    } catch (error) {
      if (!isAlreadyExists(error)) throw error;
    }
    recorder.normal(claim, "ProvisioningSucceeded", `Successfully provisioned volume ${volumeName}`);
  }

  async function reclaim({ metadata, spec, status }: PersistentVolume, client: WorkClient): Promise<void> {
    const { name, uid = "", annotations, deletionTimestamp } = metadata;
    if (annotations?.[provisionedBy] !== simulatedProvisioner || deletionTimestamp !== undefined) return;
    if (status?.phase !== "Released" || spec?.persistentVolumeReclaimPolicy !== "Delete") return;
    await client.resource(PersistentVolume).delete(name, { preconditions: { uid } }).catch(unless(isNotFound));
  }

  return { loops: [loop] };
}
