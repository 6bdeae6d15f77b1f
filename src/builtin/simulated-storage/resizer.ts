/** The resizer of the simulated storage: a claim that asks for more gets it, with the conditions of a real driver's. */
import {
  findCondition,
  formatTime,
  isConflict,
  isNotFound,
  PersistentVolume,
  PersistentVolumeClaim,
  type PersistentVolumeClaimStatus,
  removeCondition,
  unless,
} from "../../api/index.js";
import type { KeyRun } from "../../controller/index.js";
import type { BuiltInController, ControllerContext } from "../kit/context.js";
import { objectLoop } from "../kit/loops.js";
import { provisionedBy } from "../volume-binder/plan.js";
import { wantsToGrow } from "../volume-expander/controller.js";
import { simulatedDriver, simulatedProvisioner } from "./provisioner.js";
import { defined, unlessEmpty } from "../../base/defined.js";

/** The status while the volume grows. */
function growing(status: PersistentVolumeClaimStatus, storage: string, now: number): PersistentVolumeClaimStatus {
  const time = formatTime(now);
  const condition = { type: "Resizing", status: "True", lastTransitionTime: time } as const;
  const conditions = findCondition(status.conditions, "Resizing")
    ? status.conditions
    : [...(status.conditions ?? []), condition];
  return {
    ...status,
    conditions: conditions ?? [],
    allocatedResources: { ...status.allocatedResources, storage },
    allocatedResourceStatuses: { ...status.allocatedResourceStatuses, storage: "ControllerResizeInProgress" },
  };
}

/** The status of a claim whose volume has grown. */
function grown(status: PersistentVolumeClaimStatus, storage: string): PersistentVolumeClaimStatus {
  const { conditions, allocatedResourceStatuses: states = {}, ...rest } = status;
  const { storage: _done, ...left } = states;
  return {
    ...rest,
    ...defined({
      conditions: unlessEmpty(removeCondition(conditions, "Resizing")),
      allocatedResourceStatuses: unlessEmpty(left),
    }),
    capacity: { ...status.capacity, storage },
  };
}

export function volumeResizer(context: ControllerContext): BuiltInController {
  const claims = context.informers.informer(PersistentVolumeClaim);
  const volumes = context.informers.informer(PersistentVolume);
  const recorder = context.recorderFor(`external-resizer ${simulatedDriver}`);
  const loop = objectLoop(context, claims, { name: "volume_resizer", workers: 4, sync });
  loop.follow(claims);

  async function sync(claim: PersistentVolumeClaim, { client }: KeyRun): Promise<void> {
    if (!wantsToGrow(claim) || !isOurs(claim, volumes.indexer.get(claim.spec?.volumeName ?? ""))) return;
    // a claim that was changed meanwhile wakes the key again
    await grow(claim, client).catch(unless(isNotFound, isConflict));
  }

  async function grow(claim: PersistentVolumeClaim, client: KeyRun["client"]): Promise<void> {
    const { volumeName = "", resources } = claim.spec ?? {};
    const storage = resources?.requests?.["storage"] ?? "0";
    const statuses = client.resource(PersistentVolumeClaim).status;
    recorder.normal(claim, "Resizing", `External resizer is resizing volume ${volumeName}`);
    const status = growing(claim.status ?? {}, storage, context.clock.now());
    const marked = await statuses.update({ ...claim, status });
    await client.resource(PersistentVolume).patch(volumeName, { merge: { spec: { capacity: { storage } } } });
    await statuses.update({ ...marked, status: grown(marked.status ?? {}, storage) });
    recorder.normal(claim, "VolumeResizeSuccessful", "Resize volume succeeded");
  }

  return { loops: [loop] };
}

const isOurs = ({ metadata }: PersistentVolumeClaim, volume: PersistentVolume | undefined): boolean =>
  metadata.deletionTimestamp === undefined &&
  volume?.metadata.annotations?.[provisionedBy] === simulatedProvisioner &&
  volume.spec?.claimRef?.uid === metadata.uid;
