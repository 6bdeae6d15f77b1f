/** Protects a PersistentVolume while it is bound, and a VolumeAttributesClass while a claim or volume names it. */
import { type KubeObject, PersistentVolume, PersistentVolumeClaim, VolumeAttributesClass } from "../../api/index.js";
import type { ObjectChange } from "../../controller/index.js";
import type { BuiltInController, ControllerContext } from "../kit/context.js";
import { protect } from "./protect.js";

export function volumeProtection(context: ControllerContext): BuiltInController {
  return protect(context, {
    kind: PersistentVolume,
    finalizer: "kubernetes.io/pv-protection",
    queue: "pvprotection",
    isUsed: ({ status }) => status?.phase === "Bound",
  });
}

const claimsOfClass = "claims-of-attributes-class";
const volumesOfClass = "volumes-of-attributes-class";

/** The classes that a claim asks for, has, or is being changed to. */
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

export function attributesClassProtection(context: ControllerContext): BuiltInController {
  const { informers } = context;
  const claims = informers.informer(PersistentVolumeClaim);
  const volumes = informers.informer(PersistentVolume);
  claims.addIndexers({ [claimsOfClass]: classesOf });
  volumes.addIndexers({ [volumesOfClass]: classesOfVolume });
  const classes = protect(context, {
    kind: VolumeAttributesClass,
    finalizer: "kubernetes.io/vac-protection",
    queue: "vacprotection",
    isUsed: ({ metadata: { name } }) =>
      claims.indexer.byIndex(claimsOfClass, name).length + volumes.indexer.byIndex(volumesOfClass, name).length > 0,
  });
  // a class that an object no longer names may be free now
  const named = <T extends KubeObject>(change: ObjectChange<T>, namesIn: (object: T) => string[]): string[] =>
    change.type === "updated" ? [...namesIn(change.previous), ...namesIn(change.object)] : namesIn(change.object);
  classes.wakeOn(claims, (change) => named(change, classesOf));
  classes.wakeOn(volumes, (change) => named(change, classesOfVolume));
  return classes;
}
