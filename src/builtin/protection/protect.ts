/** Protection by a finalizer: an object that is being deleted stays while it is used. For claims, volumes and classes. */
import {
  isDeleting,
  isNotFound,
  type KubeObject,
  metaNamespaceKey,
  type ResourceType,
  unless,
} from "../../api/index.js";
import type { KeyLoop, KeyRun, ObjectChange } from "../../controller/index.js";
import type { FactoryInformer } from "../../informer/index.js";
import type { ControllerContext } from "../kit/context.js";
import { objectLoop } from "../kit/loops.js";

export interface Protection<T extends KubeObject> {
  readonly kind: ResourceType<T>;
  readonly finalizer: string;
  readonly queue: string;
  /** Called only for an object that is being deleted. */
  readonly isUsed: (object: T, run: KeyRun) => boolean | Promise<boolean>;
}

export interface Protected {
  readonly loops: readonly [KeyLoop];
  /** Changes of this kind wake the objects with these keys, if they are on their way out. */
  wakeOn<U extends KubeObject>(
    informer: FactoryInformer<U>,
    keysOf: (change: ObjectChange<U>) => Iterable<string>,
  ): void;
}

/** Adds the finalizer to every object that lacks it, and removes it from an object that is being deleted once it is unused. */
export function protect<T extends KubeObject>(
  context: ControllerContext,
  { kind, finalizer, queue, isUsed }: Protection<T>,
): Protected {
  const objects = context.informers.informer(kind);
  const loop = objectLoop(context, objects, { name: queue, workers: 1, sync });
  const isProtected = ({ metadata }: T): boolean => (metadata.finalizers ?? []).includes(finalizer);
  loop.watch(objects, ({ type, object }, wake) => {
    if (type !== "deleted" && isProtected(object) === isDeleting(object)) wake(metaNamespaceKey(object));
  });

  async function sync(object: T, run: KeyRun): Promise<void> {
    if (isProtected(object) !== isDeleting(object)) return;
    if (isDeleting(object) && (await isUsed(object, run))) return;
    const others = (object.metadata.finalizers ?? []).filter((one) => one !== finalizer);
    const finalizers = isDeleting(object) ? others : [...others, finalizer];
    const next = { ...object, metadata: { ...object.metadata, finalizers } };
    await run.client.resource(kind).update(next).catch(unless(isNotFound));
  }

  const isOnItsWay = (key: string): boolean => {
    const object = objects.indexer.get(key);
    return object !== undefined && isDeleting(object);
  };
  return {
    loops: [loop],
    wakeOn: (informer, keysOf) =>
      loop.watch(informer, (change, wake) => {
        for (const key of keysOf(change)) if (isOnItsWay(key)) wake(key);
      }),
  };
}
