/** Protection of what claims lean on: a PersistentVolume stays while it is bound, a VolumeAttributesClass while a claim or volume names it. */
import {
  type KubeObject,
  PersistentVolume,
  PersistentVolumeClaim,
  type ResourceType,
  VolumeAttributesClass,
} from "../../api/index.js";
import { deletedObject } from "../../informer/index.js";
import type { BuiltInController, ControllerContext, ControllerDescriptor } from "../kit/context.js";
import { KeyLoop } from "../kit/key-loop.js";
import { unlessNotFound } from "../kit/missing.js";

export const volumeProtectionController: ControllerDescriptor = {
  name: "persistentvolume-protection-controller",
  aliases: ["pv-protection"],
  create: (context) =>
    protect(context, {
      kind: PersistentVolume,
      finalizer: "kubernetes.io/pv-protection",
      queue: "pvprotection",
      isUsed: ({ status }) => status?.phase === "Bound",
    }).loop,
};

const claimsOfClass = "claims-of-attributes-class";
const volumesOfClass = "volumes-of-attributes-class";

export const attributesClassProtectionController: ControllerDescriptor = {
  name: "volumeattributesclass-protection-controller",
  aliases: ["vac-protection"],
  create: createClassProtection,
};

/** Wanted, had, or on the way to being had. */
function classesOf({ spec, status }: PersistentVolumeClaim): string[] {
  const named = [
    spec?.volumeAttributesClassName,
    status?.currentVolumeAttributesClassName,
    status?.modifyVolumeStatus?.targetVolumeAttributesClassName,
  ];
  return [...new Set(named.filter((name): name is string => name !== undefined && name !== ""))];
}

const classesOfVolume = ({ spec }: PersistentVolume): string[] =>
  spec?.volumeAttributesClassName ? [spec.volumeAttributesClassName] : [];

function createClassProtection(context: ControllerContext): BuiltInController {
  const { informers } = context;
  const claims = informers.informer(PersistentVolumeClaim);
  const volumes = informers.informer(PersistentVolume);
  claims.addIndexers({ [claimsOfClass]: classesOf });
  volumes.addIndexers({ [volumesOfClass]: classesOfVolume });
  const { loop, wake } = protect(context, {
    kind: VolumeAttributesClass,
    finalizer: "kubernetes.io/vac-protection",
    queue: "vacprotection",
    isUsed: ({ metadata: { name } }) =>
      claims.indexer.byIndex(claimsOfClass, name).length + volumes.indexer.byIndex(volumesOfClass, name).length > 0,
  });
  const wakeOfClaim = (claim: PersistentVolumeClaim | undefined): void => {
    for (const name of claim === undefined ? [] : classesOf(claim)) wake(name);
  };
  const wakeOfVolume = (volume: PersistentVolume | undefined): void => {
    for (const name of volume === undefined ? [] : classesOfVolume(volume)) wake(name);
  };
  claims.addEventHandler({ onUpdate: wakeOfClaim, onDelete: (gone) => wakeOfClaim(deletedObject(gone)) });
  volumes.addEventHandler({ onUpdate: wakeOfVolume, onDelete: (gone) => wakeOfVolume(deletedObject(gone)) });
  return loop;
}

interface Protection<T extends KubeObject> {
  readonly kind: ResourceType<T>;
  readonly finalizer: string;
  readonly queue: string;
  readonly isUsed: (object: T) => boolean;
}

interface Protected {
  readonly loop: BuiltInController;
  /** Looks again at the object of this name, if it is on its way out. */
  wake(name: string): void;
}

/** Gives the finalizer to whatever lacks it, and takes it from what is being deleted once nobody uses it. */
function protect<T extends KubeObject>(
  context: ControllerContext,
  { kind, finalizer, queue, isUsed }: Protection<T>,
): Protected {
  const { client, informers } = context;
  const objects = informers.informer(kind);
  const loop = new KeyLoop({ context, name: queue, workers: 1, sync });
  const isProtected = ({ metadata }: T): boolean => (metadata.finalizers ?? []).includes(finalizer);
  const isGoing = ({ metadata }: T): boolean => metadata.deletionTimestamp !== undefined;
  const consider = (object: T): void => {
    if (isProtected(object) === isGoing(object)) loop.enqueue(object);
  };
  objects.addEventHandler({ onAdd: consider, onUpdate: (_previous, object) => consider(object) });

  async function sync(key: string, { signal }: { readonly signal: AbortSignal }): Promise<void> {
    const object = objects.indexer.get(key);
    if (object === undefined || isProtected(object) !== isGoing(object) || (isGoing(object) && isUsed(object))) return;
    const others = (object.metadata.finalizers ?? []).filter((one) => one !== finalizer);
    const finalizers = isGoing(object) ? others : [...others, finalizer];
    await client
      .resource(kind)
      .update({ ...object, metadata: { ...object.metadata, finalizers } }, { signal })
      .catch(unlessNotFound);
  }

  const wake = (name: string): void => {
    const object = objects.indexer.get(name);
    if (object !== undefined && isGoing(object)) loop.enqueue(object);
  };
  return { loop, wake };
}
