/** Hears of an informer's objects in one form, an ObjectChange. From informers; to the queues of controllers. */
import { type KubeObject, sameRevision } from "../../api/index.js";
import { DeletedFinalStateUnknown, type FactoryInformer, type HandlerRegistration } from "../../informer/index.js";
import type { ObjectChange } from "./change.js";

export interface ListenOptions {
  /** Whose handler it is, for people. */
  readonly name: string;
  /** Told of an object that was deleted while nobody watched, and of which only the key is known. */
  readonly lost?: (key: string) => void;
}

export function listen<T extends KubeObject>(
  informer: FactoryInformer<T>,
  tell: (change: ObjectChange<T>) => void,
  { name, lost }: ListenOptions,
): HandlerRegistration {
  return informer.addEventHandler(
    {
      onAdd: (object, initial) => tell({ type: "added", object, initial }),
      onUpdate: (previous, object) =>
        tell(sameRevision(previous, object) ? { type: "resync", object } : { type: "updated", previous, object }),
      onDelete(deleted) {
        const object = deleted instanceof DeletedFinalStateUnknown ? deleted.object : deleted;
        if (object !== undefined) tell({ type: "deleted", object });
        else if (deleted instanceof DeletedFinalStateUnknown) lost?.(deleted.key);
      },
    },
    { name },
  );
}
