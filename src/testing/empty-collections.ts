/** Takes a server of this process; tells its clients which collections have no objects, and when the first one has come. */
import type { ResourceType } from "../api/index.js";
import type { ApiServer } from "../apiserver/index.js";
import { abortReason, onAbort } from "../base/index.js";
import type { EmptyCollection } from "../client/index.js";

/** Undefined for a collection that has objects, or that this server does not keep. */
export function emptyCollectionsOf(
  server: Pick<ApiServer, "store" | "registry">,
): (type: ResourceType) => EmptyCollection | undefined {
  const { store } = server;
  return ({ group, version, plural }) => {
    const collection = server.registry.endpoint(group, version, plural)?.collection;
    if (collection === undefined || store.count(collection) > 0) return undefined;
    // an object that was deleted since the last settled revision may still be told of
    const after = store.settledRevision;
    if (after !== store.revision) return undefined;
    return {
      resourceVersion: String(after),
      filled: (signal) =>
        new Promise((resolve, reject) => {
          if (signal.aborted) return reject(abortReason(signal));
          const watch = store.watch({ collection, prefix: "", after }, () => {
            watch[Symbol.dispose]();
            aborting[Symbol.dispose]();
            resolve();
          });
          const aborting = onAbort(signal, (reason) => {
            watch[Symbol.dispose]();
            reject(reason);
          });
        }),
    };
  };
}
