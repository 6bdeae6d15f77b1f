/** A change that the server itself makes to one object (binding, eviction, allocation): no validation, but the same races. */
import { deepEqual, type KubeObject, newNotFound } from "../../../api/index.js";
import { ExpectationError, type Stored } from "../../storage/storage.js";
import { type Endpoint, resourceOf, storageKey } from "../endpoint.js";
import type { RequestScope } from "../scope.js";

/** `change` gets the stored object and gives the new one; it is called again after a lost race, and may throw to refuse. */
export async function modifyObject(
  endpoint: Endpoint,
  { namespace, name }: { readonly namespace: string; readonly name: string },
  scope: RequestScope,
  change: (object: KubeObject) => KubeObject,
): Promise<Stored> {
  const { store } = scope.machinery;
  for (;;) {
    const current = store.get(endpoint.collection, storageKey(namespace, name));
    if (current === undefined) throw newNotFound(resourceOf(endpoint), name);
    const object = change(current.object);
    if (scope.dryRun || deepEqual(object, current.object)) return current;
    try {
      const { collection, key, revision: expected } = current;
      const { revision, stored } = store.commit([{ type: "put", collection, key, expected, object }]);
      await store.settled(revision);
      return stored[0] as Stored;
    } catch (error) {
      if (!(error instanceof ExpectationError)) throw error;
    }
  }
}
