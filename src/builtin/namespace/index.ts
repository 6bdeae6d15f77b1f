/** The namespace controller: empties a namespace that is being deleted, then lets it go. */
import { deepEqual, Namespace, parseTime, Pod } from "../../api/index.js";
import { retryOnConflict } from "../../client/index.js";
import { deletedObject } from "../../informer/index.js";
import { bucket, itemExponentialFailure, maxOf } from "../../workqueue/index.js";
import type { BuiltInController, ControllerContext, ControllerDescriptor } from "../kit/context.js";
import { unlessNotFound } from "../kit/missing.js";
import { KeyLoop, type SyncOutcome } from "../kit/key-loop.js";
import { deleteContent } from "./content.js";
import { deletionConditions, type Progress } from "./plan.js";

const finalizer = "kubernetes";
/** Lets the admission of every server learn that the namespace goes, before its content is counted. */
const graceMs = 5_000;

export const namespaceController: ControllerDescriptor = {
  name: "namespace-controller",
  aliases: ["namespace"],
  create: (context) => createNamespaceController(context, context.oneServer ? 0 : graceMs),
};

function createNamespaceController(context: ControllerContext, delayMs: number): BuiltInController {
  const { client, informers, clock, random } = context;
  const namespaces = informers.informer(Namespace);
  const limiter = maxOf(
    itemExponentialFailure({ baseMs: 5, maxMs: 60_000 }),
    bucket({ ratePerSecond: 10, burst: 100, clock }),
  );
  const loop = new KeyLoop({ context, name: "namespace", workers: 10, limiter, sync });
  const consider = (namespace: Namespace): void => {
    if (namespace.metadata.deletionTimestamp !== undefined) loop.addAfter(namespace.metadata.name, delayMs);
  };
  namespaces.addEventHandler({ onAdd: consider, onUpdate: (_previous, namespace) => consider(namespace) });
  const pods = informers.informer(Pod);
  pods.addEventHandler({
    // everything else waits for the last pod, which may go long before its grace period is over
    onDelete(gone) {
      const namespace = deletedObject(gone)?.metadata.namespace ?? "";
      if (namespaces.indexer.get(namespace)?.metadata.deletionTimestamp === undefined) return;
      if (pods.indexer.byIndex("namespace", namespace).length === 0) loop.add(namespace);
    },
  });
  const resource = client.resource(Namespace);

  async function sync(name: string, { signal }: { readonly signal: AbortSignal }): Promise<SyncOutcome | void> {
    const live = await resource.get(name, { signal }).catch(unlessNotFound);
    if (live?.metadata.deletionTimestamp === undefined) return;
    const { uid } = live.metadata;
    const terminating = await writeStatus(live, (status) => ({ ...status, phase: "Terminating" }), signal);
    if ((terminating.spec?.finalizers ?? []).length === 0) return;
    const deletedForSeconds = (clock.now() - parseTime(live.metadata.deletionTimestamp)) / 1000;
    const content = await deleteContent({ client, namespace: name, deletedForSeconds, signal });
    await report(terminating, content, signal);
    if (content.contentFailures.length > 0 || content.discoveryFailures.length > 0) {
      throw new Error([...content.discoveryFailures, ...content.contentFailures].join("; "));
    }
    if (content.remaining.length > 0) return { requeueAfterMs: (Math.floor(content.estimateSeconds / 2) + 1) * 1000 };
    await finalize(name, uid, signal);
  }

  async function writeStatus(
    namespace: Namespace,
    change: (status: NonNullable<Namespace["status"]>) => NonNullable<Namespace["status"]>,
    signal: AbortSignal,
  ): Promise<Namespace> {
    let current = namespace;
    return retryOnConflict(
      async () => {
        const status = change(current.status ?? {});
        if (deepEqual(status, current.status)) return current;
        try {
          return await resource.status.update({ ...current, status }, { signal });
        } catch (error) {
          const fresh = await resource.get(namespace.metadata.name, { signal });
          if (fresh.metadata.uid !== namespace.metadata.uid)
            throw new Error(`namespace ${namespace.metadata.name} was replaced`, { cause: error });
          current = fresh;
          throw error;
        }
      },
      { signal, clock, random },
    );
  }

  async function report(namespace: Namespace, progress: Progress, signal: AbortSignal): Promise<void> {
    const conditions = (before: Namespace["status"]) => deletionConditions(before?.conditions, progress, clock.now());
    await writeStatus(namespace, (status) => ({ ...status, conditions: conditions(status) }), signal);
  }

  /** Drops our own finalizer only; others may have theirs. */
  async function finalize(name: string, uid: string | undefined, signal: AbortSignal): Promise<void> {
    const namespace = await resource.get(name, { signal }).catch(unlessNotFound);
    if (namespace === undefined || namespace.metadata.uid !== uid) return;
    const finalizers = (namespace.spec?.finalizers ?? []).filter((one) => one !== finalizer);
    const emptied = { ...namespace, spec: { ...namespace.spec, finalizers } };
    await resource.subresource<Namespace>("finalize").update(emptied, { signal }).catch(unlessNotFound);
  }

  return loop;
}
