/** The volume binder: binds claims and volumes to each other, and keeps the phase of each. */
import {
  isConflict,
  isDeleting,
  isNotFound,
  type KubeObject,
  metaNamespaceKey,
  PersistentVolume,
  PersistentVolumeClaim,
  Pod,
  StorageClass,
} from "../../api/index.js";
import { claimsOfPod } from "../../placement/volume-claims.js";
import type { KeyLoop, KeyRun, SyncResult, Wake } from "../../controller/index.js";
import type { FactoryInformer } from "../../informer/index.js";
import type { BuiltInController, ControllerContext } from "../kit/context.js";
import { objectLoop } from "../kit/loops.js";
import { type ClaimSurroundings, syncClaim } from "./claims.js";
import { syncVolume } from "./volumes.js";

const waitingPodsOfClaim = "waiting-pods-of-claim";
/** The time between two looks at a claim that waits for a change which brings no event. */
const lookAgainMs = 15_000;

export function volumeBinderController(context: ControllerContext): BuiltInController {
  const { informers } = context;
  const claims = informers.informer(PersistentVolumeClaim);
  const volumes = informers.informer(PersistentVolume);
  const classes = informers.informer(StorageClass);
  const pods = informers.informer(Pod);
  pods.addIndexers({
    [waitingPodsOfClaim]: (pod) => (pod.spec?.nodeName ? [] : claimsOfPod(pod).map(({ key }) => key)),
  });
  const around: Omit<ClaimSurroundings, "client"> = {
    recorder: context.recorderFor("persistentvolume-controller"),
    volume: (name) => volumes.indexer.get(name),
    volumes: () => volumes.indexer.list(),
    storageClass: (name) => classes.indexer.get(name),
    storageClasses: () => classes.indexer.list(),
    waitingPods: (key) => pods.indexer.byIndex(waitingPodsOfClaim, key),
  };
  const claimLoop = loopOver(context, claims, "claims", async (claim, { client }) => {
    if (isDeleting(claim)) return {};
    await syncClaim(claim, { ...around, client });
    return claim.spec?.volumeName ? {} : { requeueAfterMs: lookAgainMs };
  });
  const volumeLoop = loopOver(context, volumes, "volumes", async (volume, { client }) => {
    const claim = (key: string) => claims.indexer.get(key);
    const wakeClaim = (key: string): void => claimLoop.add(key);
    await syncVolume(volume, { client, claim, wakeClaim });
    return {};
  });
  const wakeUnbound = (wake: Wake): void => {
    for (const claim of claims.indexer.list()) if (!claim.spec?.volumeName) wake(metaNamespaceKey(claim));
  };
  claimLoop.follow(claims);
  volumeLoop.follow(volumes);
  // a change of either wakes the other
  claimLoop.watch(volumes, ({ object: { spec } }, wake) => {
    const ref = spec?.claimRef;
    if (ref === undefined) wakeUnbound(wake);
    else wake(`${ref.namespace}/${ref.name}`);
  });
  volumeLoop.watch(claims, ({ object: { spec } }, wake) => {
    if (spec?.volumeName) wake(spec.volumeName);
  });
  claimLoop.watch(classes, ({ type }, wake) => {
    if (type !== "deleted") wakeUnbound(wake);
  });
  return { loops: [claimLoop, volumeLoop] };
}

/** A conflict leads to another sync; an object that is gone needs none. */
function loopOver<T extends KubeObject>(
  context: ControllerContext,
  objects: FactoryInformer<T>,
  name: string,
  sync: (object: T, run: KeyRun) => Promise<SyncResult>,
): KeyLoop {
  return objectLoop(context, objects, {
    name,
    workers: 1,
    async sync(object, run) {
      try {
        return await sync(object, run);
      } catch (error) {
        if (isConflict(error)) return { requeueAfterMs: 0 };
        if (!isNotFound(error)) throw error;
        return {};
      }
    },
  });
}
