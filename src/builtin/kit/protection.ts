/** Protection by a finalizer: what is told to go stays while somebody uses it. Shared by the controllers of claims, volumes and classes. */
import type { KubeObject, ResourceType } from "../../api/index.js";
import type { BuiltInController, ControllerContext } from "./context.js";
import { KeyLoop } from "./key-loop.js";
import { unlessNotFound } from "./missing.js";

export interface Protection<T extends KubeObject> {
  readonly kind: ResourceType<T>;
  readonly finalizer: string;
  readonly queue: string;
  /** Asked only of what is being deleted. */
  readonly isUsed: (object: T, signal: AbortSignal) => boolean | Promise<boolean>;
}

export interface Protected {
  readonly loop: BuiltInController;
  /** Looks again at the object with this key, if it is on its way out. */
  wake(key: string): void;
}

/** Gives the finalizer to whatever lacks it, and takes it from what is being deleted once nobody uses it. */
export function protect<T extends KubeObject>(
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
    if (object === undefined || isProtected(object) !== isGoing(object)) return;
    if (isGoing(object) && (await isUsed(object, signal))) return;
    const others = (object.metadata.finalizers ?? []).filter((one) => one !== finalizer);
    const finalizers = isGoing(object) ? others : [...others, finalizer];
    await client
      .resource(kind)
      .update({ ...object, metadata: { ...object.metadata, finalizers } }, { signal })
      .catch(unlessNotFound);
  }

  const wake = (key: string): void => {
    const object = objects.indexer.get(key);
    if (object !== undefined && isGoing(object)) loop.enqueue(object);
  };
  return { loop, wake };
}
