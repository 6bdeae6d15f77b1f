/** Objects of the store as authentication and authorization read them: the same few again at every request. */
import { getOrMake } from "../../base/containers/recent.js";
import type { KubeObject } from "../../api/index.js";
import type { Store, Stored } from "../storage/contract.js";

export interface DecodedObjects {
  /** The current object; undefined if there is none. */
  get<T extends KubeObject>(collection: string, key: string): T | undefined;
  /** The object of a version. */
  of<T extends KubeObject>(stored: Stored): T;
}

/** Decodes each version once, and keeps the object as long as the store keeps the version: decoding takes longer than deciding. */
export function decodedObjects(store: Store): DecodedObjects {
  const decoded = new WeakMap<Stored, KubeObject>();
  const of = <T extends KubeObject>(stored: Stored): T => {
    const object = getOrMake(decoded, stored, () => stored.object);
    return object as T;
  };
  return {
    of,
    get<T extends KubeObject>(collection: string, key: string): T | undefined {
      const stored = store.get(collection, key);
      return stored === undefined ? undefined : of<T>(stored);
    },
  };
}
