/** The volume binder: brings claims and volumes together, and says of each how it stands. */
import {
  isConflict,
  isNotFound,
  type KubeObject,
  PersistentVolume,
  PersistentVolumeClaim,
  Pod,
  StorageClass,
} from "../../api/index.js";
import { runTogether } from "../../base/index.js";
import { claimsOfPod } from "../../placement/volume-claims.js";
import { deletedObject, type FactoryInformer } from "../../informer/index.js";
import type { SyncContext } from "../../workqueue/index.js";
import type { BuiltInController, ControllerContext, ControllerDescriptor } from "../kit/context.js";
import { KeyLoop, type SyncOutcome } from "../kit/key-loop.js";
import { type ClaimSurroundings, syncClaim } from "./claims.js";
import { syncVolume } from "./volumes.js";

export const volumeBinderController: ControllerDescriptor = {
  name: "persistentvolume-binder-controller",
  aliases: ["persistentvolume-binder"],
  create: createVolumeBinder,
};

const waitingPodsOfClaim = "waiting-pods-of-claim";
/** How often a claim is looked at that waits for what nobody may tell of. */
const lookAgainMs = 15_000;

function createVolumeBinder(context: ControllerContext): BuiltInController {
  const { client, informers } = context;
  const claims = informers.informer(PersistentVolumeClaim);
  const volumes = informers.informer(PersistentVolume);
  const classes = informers.informer(StorageClass);
  const pods = informers.informer(Pod);
  pods.addIndexers({
    [waitingPodsOfClaim]: (pod) => (pod.spec?.nodeName ? [] : claimsOfPod(pod).map(({ key }) => key)),
  });
  const around: ClaimSurroundings = {
    client,
    recorder: context.recorderFor("persistentvolume-controller"),
    volume: (name) => volumes.indexer.get(name),
    volumes: () => volumes.indexer.list(),
    storageClass: (name) => classes.indexer.get(name),
    storageClasses: () => classes.indexer.list(),
    waitingPods: (key) => pods.indexer.byIndex(waitingPodsOfClaim, key),
  };
  const claimLoop: KeyLoop = loopOver(context, "claims", async (key, { signal }) => {
    const claim = claims.indexer.get(key);
    if (claim === undefined || claim.metadata.deletionTimestamp !== undefined) return {};
    await syncClaim(claim, around, signal);
    return claim.spec?.volumeName ? {} : { requeueAfterMs: lookAgainMs };
  });
  const volumeLoop = loopOver(context, "volumes", async (name, { signal }) => {
    const volume = volumes.indexer.get(name);
    const claim = (key: string) => claims.indexer.get(key);
    const wakeClaim = (key: string): void => claimLoop.add(key);
    if (volume !== undefined) await syncVolume(volume, { client, claim, wakeClaim }, signal);
    return {};
  });
  const wakeUnbound = (): void => {
    for (const claim of claims.indexer.list()) if (!claim.spec?.volumeName) claimLoop.enqueue(claim);
  };
  claimLoop.follow(claims);
  volumeLoop.follow(volumes);
  // each is told of the other
  onChange(volumes, ({ spec }) => {
    const ref = spec?.claimRef;
    if (ref === undefined) wakeUnbound();
    else claimLoop.add(`${ref.namespace}/${ref.name}`);
  });
  onChange(claims, ({ spec }) => {
    if (spec?.volumeName) volumeLoop.add(spec.volumeName);
  });
  classes.addEventHandler({ onAdd: wakeUnbound, onUpdate: wakeUnbound });
  return {
    queues: [...claimLoop.queues, ...volumeLoop.queues],
    run: (signal) => runTogether([(ending) => claimLoop.run(ending), (ending) => volumeLoop.run(ending)], signal),
  };
}

/** If somebody else was first it is looked at again; what is gone needs nothing more. */
function loopOver(
  context: ControllerContext,
  name: string,
  sync: (key: string, context: SyncContext) => Promise<SyncOutcome>,
): KeyLoop {
  const loop: KeyLoop = new KeyLoop({
    context,
    name,
    workers: 1,
    async sync(key, syncContext) {
      try {
        return await sync(key, syncContext);
      } catch (error) {
        if (isConflict(error)) loop.addRateLimited(key);
        else if (!isNotFound(error)) throw error;
        return {};
      }
    },
  });
  return loop;
}

function onChange<T extends KubeObject>(informer: FactoryInformer<T>, handle: (object: T) => void): void {
  informer.addEventHandler({
    onAdd: handle,
    onUpdate: (_previous, object) => handle(object),
    onDelete: (gone) => {
      const object = deletedObject(gone);
      if (object !== undefined) handle(object);
    },
  });
}
