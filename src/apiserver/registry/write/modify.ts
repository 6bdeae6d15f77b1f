/**
 * A change that the server itself makes to one object (binding, eviction, allocation): without validation, but with the
 * same retries.
 */
import { inOneGo } from "../../../base/index.js";
import { deepEqual, formatTime, type KubeObject, newNotFound } from "../../../api/index.js";
import { ExpectationError, type Stored } from "../../storage/contract.js";
import { type Endpoint, resourceOf, storageKey } from "../../contracts/endpoint.js";
import type { RequestScope } from "../../contracts/scope.js";

function owned(
  endpoint: Endpoint,
  object: KubeObject,
  { old, subresource, scope }: { readonly old: KubeObject; readonly subresource: string; readonly scope: RequestScope },
): KubeObject {
  const time = formatTime(scope.machinery.clock.now());
  const request = { manager: scope.manager, apiVersion: object.apiVersion, subresource, time };
  return inOneGo(endpoint.fieldManager.update(old, object, request));
}

/**
 * `change` gets the stored object and gives the new one; it is called again after a lost race, and may throw to refuse.
 * With `ownedAs` the change is recorded as the requester's, at that subresource.
 */
export async function modifyObject(
  endpoint: Endpoint,
  { namespace, name, ownedAs }: { readonly namespace: string; readonly name: string; readonly ownedAs?: string },
  scope: RequestScope,
  change: (object: KubeObject) => KubeObject,
): Promise<Stored> {
  const { store } = scope.machinery;
  for (;;) {
    const current = store.get(endpoint.collection, storageKey(namespace, name));
    if (current === undefined) throw newNotFound(resourceOf(endpoint), name);
    const changed = change(current.object);
    const object =
      ownedAs === undefined ? changed : owned(endpoint, changed, { old: current.object, subresource: ownedAs, scope });
    if (scope.dryRun || deepEqual(object, current.object)) return current;
    try {
      const { collection, key, revision: expected } = current;
      const { revision, stored } = store.commit([{ type: "put", collection, key, expected, object }]);
      if (revision > store.settledRevision) await store.settled(revision);
      return stored[0] as Stored;
    } catch (error) {
      if (!(error instanceof ExpectationError)) throw error;
    }
  }
}
