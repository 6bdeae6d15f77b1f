/** The volume binder: brings claims and volumes together, and says of each how it stands. */
import { isConflict, isNotFound, PersistentVolume, PersistentVolumeClaim, Pod, StorageClass } from "../../api/index.js";
import { runTogether } from "../../base/index.js";
import { deletedObject } from "../../informer/index.js";
import { claimsOf } from "../claim-protection/index.js";
import type { BuiltInController, ControllerContext, ControllerDescriptor } from "../kit/context.js";
import { KeyLoop } from "../kit/key-loop.js";
import { type ClaimSurroundings, syncClaim } from "./claims.js";
import { syncVolume } from "./volumes.js";

export const volumeBinderController: ControllerDescriptor = {
  name: "persistentvolume-binder-controller",
  aliases: ["persistentvolume-binder"],
  create: createVolumeBinder,
};

const scheduledPodsOfClaim = "scheduled-pods-of-claim";
/** How often a claim is looked at that waits for what nobody may tell of. */
const lookAgainMs = 15_000;

function createVolumeBinder(context: ControllerContext): BuiltInController {
  const { client, informers } = context;
  const claims = informers.informer(PersistentVolumeClaim);
  const volumes = informers.informer(PersistentVolume);
  const classes = informers.informer(StorageClass);
  const pods = informers.informer(Pod);
  pods.addIndexers({ [scheduledPodsOfClaim]: claimsOf });
  const around: ClaimSurroundings = {
    client,
    recorder: context.recorderFor("persistentvolume-controller"),
    volume: (name) => volumes.indexer.get(name),
    volumes: () => volumes.indexer.list(),
    storageClass: (name) => classes.indexer.get(name),
    scheduledPods: (key) => pods.indexer.byIndex(scheduledPodsOfClaim, key),
  };
  const claimLoop: KeyLoop = new KeyLoop({
    context,
    name: "claims",
    workers: 1,
    async sync(key, { signal }) {
      const claim = claims.indexer.get(key);
      if (claim === undefined || claim.metadata.deletionTimestamp !== undefined) return;
      if (await isLate(syncClaim(claim, around, signal))) claimLoop.addRateLimited(key);
      return claim.spec?.volumeName ? {} : { requeueAfterMs: lookAgainMs };
    },
  });
  const volumeLoop: KeyLoop = new KeyLoop({
    context,
    name: "volumes",
    workers: 1,
    async sync(name, { signal }) {
      const volume = volumes.indexer.get(name);
      if (volume === undefined) return;
      const claim = (key: string) => claims.indexer.get(key);
      const wakeClaim = (key: string): void => claimLoop.add(key);
      if (await isLate(syncVolume(volume, { client, claim, wakeClaim }, signal))) volumeLoop.addRateLimited(name);
    },
  });
  claimLoop.follow(claims);
  volumeLoop.follow(volumes);
  const wakeUnbound = (): void => {
    for (const claim of claims.indexer.list()) if (!claim.spec?.volumeName) claimLoop.enqueue(claim);
  };
  const wakeClaimOf = (volume: PersistentVolume | undefined): void => {
    const ref = volume?.spec?.claimRef;
    if (ref === undefined) wakeUnbound();
    else claimLoop.add(`${ref.namespace}/${ref.name}`);
  };
  volumes.addEventHandler({
    onAdd: wakeClaimOf,
    onUpdate: (_previous, volume) => wakeClaimOf(volume),
    onDelete: (gone) => wakeClaimOf(deletedObject(gone)),
  });
  const wakeVolumeOf = (claim: PersistentVolumeClaim | undefined): void => {
    if (claim?.spec?.volumeName) volumeLoop.add(claim.spec.volumeName);
  };
  claims.addEventHandler({
    onAdd: wakeVolumeOf,
    onUpdate: (_previous, claim) => wakeVolumeOf(claim),
    onDelete: (gone) => wakeVolumeOf(deletedObject(gone)),
  });
  classes.addEventHandler({ onAdd: wakeUnbound, onUpdate: wakeUnbound });
  const wakeClaimsOf = (pod: Pod): void => {
    for (const key of claimsOf(pod)) if (!claims.indexer.get(key)?.spec?.volumeName) claimLoop.add(key);
  };
  pods.addEventHandler({
    onAdd: wakeClaimsOf,
    onUpdate: (previous, pod) => {
      if (!previous.spec?.nodeName) wakeClaimsOf(pod);
    },
  });
  return {
    queues: [...claimLoop.queues, ...volumeLoop.queues],
    run: (signal) => runTogether([(ending) => claimLoop.run(ending), (ending) => volumeLoop.run(ending)], signal),
  };
}

/** Whether somebody else was first: then it is looked at again. What is gone needs nothing more. */
async function isLate(syncing: Promise<void>): Promise<boolean> {
  try {
    await syncing;
    return false;
  } catch (error) {
    if (isNotFound(error)) return false;
    if (isConflict(error)) return true;
    throw error;
  }
}
