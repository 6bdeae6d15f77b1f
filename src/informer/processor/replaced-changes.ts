/** The changes that a whole list made, without an object for each change. */
import { isSameRevision, resourceVersionOf } from "../store/key.js";
import type { ChangeList, ObjectChange } from "./handlers.js";

/** Deletions first, then the list in its order. Lists are long and handlers slow, so waiting changes should be small. */
export class ReplacedChanges<T> implements ChangeList<T> {
  readonly #isInInitialList: boolean;
  readonly #deleted: { readonly key: string; readonly object: T }[] = [];
  /** For each object of the list, the cached object before it, or undefined. */
  readonly #previous: (T | undefined)[] = [];
  readonly #objects: T[] = [];
  #adds = 0;
  #syncs = 0;

  constructor(isInInitialList: boolean) {
    this.#isInInitialList = isInInitialList;
  }

  get length(): number {
    return this.#deleted.length + this.#objects.length;
  }

  get initialAdds(): number {
    return this.#isInInitialList ? this.#adds : 0;
  }

  get syncs(): number {
    return this.#syncs;
  }

  get deleted(): readonly { readonly key: string }[] {
    return this.#deleted;
  }

  delete(key: string, object: T): void {
    this.#deleted.push({ key, object });
  }

  put(previous: T | undefined, object: T): void {
    this.#previous.push(previous);
    this.#objects.push(object);
    if (previous === undefined) this.#adds += 1;
    else if (isSameRevision(resourceVersionOf(previous), resourceVersionOf(object))) this.#syncs += 1;
  }

  at(index: number): ObjectChange<T> | undefined {
    const deleted = this.#deleted[index];
    if (deleted !== undefined) return { type: "deleted", ...deleted, missed: true };
    const place = index - this.#deleted.length;
    if (place >= this.#objects.length) return undefined;
    const object = this.#objects[place] as T;
    const previous = this.#previous[place];
    if (previous === undefined) return { type: "added", object, initial: this.#isInInitialList };
    return changeOf(previous, object);
  }
}

/** The change from the cached state of an object to a new state. */
export function changeOf<T>(previous: T, object: T): ObjectChange<T> {
  const isSame = isSameRevision(resourceVersionOf(previous), resourceVersionOf(object));
  return { type: isSame ? "resync" : "updated", object, previous };
}
