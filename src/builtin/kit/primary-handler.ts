/** Events of the objects that a controller works on, for those that remember something about each. */
import type { KubeObject } from "../../api/index.js";
import { deletedObject, type ResourceEventHandler } from "../../informer/index.js";

/** An object made anew under the name of another, in one step, is another object: what is known of the first is forgotten. */
export function primaryHandler<T extends KubeObject>(handler: {
  enqueue(object: T): void;
  forget(object: T): void;
}): ResourceEventHandler<T> {
  return {
    onAdd: (object) => handler.enqueue(object),
    onUpdate: (previous, object) => {
      if (previous.metadata.uid !== object.metadata.uid) handler.forget(previous);
      handler.enqueue(object);
    },
    onDelete: (gone) => {
      const object = deletedObject(gone);
      if (object === undefined) return;
      handler.forget(object);
      handler.enqueue(object);
    },
  };
}
