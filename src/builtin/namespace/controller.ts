/** The namespace controller: empties a namespace that is being deleted, then removes its finalizer. */
import { isNotFound, Namespace, parseTime, Pod, unless } from "../../api/index.js";
import type { KeyRun, SyncResult } from "../../controller/index.js";
import { defaultControllerLimiter } from "../../workqueue/index.js";
import type { BuiltInController, ControllerContext } from "../kit/context.js";
import { keyLoop } from "../kit/loops.js";
import { ensureStatus, retryFresh } from "../kit/status.js";
import { deleteContent } from "./content.js";
import { deletionConditions, type DeletionProgress } from "./plan.js";

const finalizer = "kubernetes";
/** Time for every API server's admission to learn of the deletion, before the content is counted. */
const graceMs = 5_000;

export function namespaceController(context: ControllerContext): BuiltInController {
  const { informers, clock } = context;
  const delayMs = context.oneServer ? 0 : graceMs;
  const namespaces = informers.informer(Namespace);
  const limiter = defaultControllerLimiter({ clock, maxMs: 60_000 });
  const loop = keyLoop(context, { name: "namespace", kind: "Namespace", workers: 10, limiter, sync });
  loop.watch(namespaces, ({ type, object: { metadata } }, wake) => {
    if (type !== "deleted" && metadata.deletionTimestamp !== undefined) wake(metadata.name, delayMs);
  });
  const pods = informers.informer(Pod);
  // everything else waits for the last pod, which may go long before its grace period is over
  loop.watch(pods, ({ type, object: { metadata } }, wake) => {
    const { namespace = "" } = metadata;
    if (type !== "deleted" || namespaces.indexer.get(namespace)?.metadata.deletionTimestamp === undefined) return;
    if (pods.lister.namespace(namespace).list().length === 0) wake(namespace);
  });

  async function sync(run: KeyRun): Promise<SyncResult | void> {
    const { key: name, client, signal } = run;
    const live = await client.resource(Namespace).get(name).catch(unless(isNotFound));
    if (live?.metadata.deletionTimestamp === undefined) return;
    const { uid } = live.metadata;
    const terminating = await writeStatus(live, (status) => ({ ...status, phase: "Terminating" }), run);
    if ((terminating.spec?.finalizers ?? []).length === 0) return;
    const deletedForSeconds = (clock.now() - parseTime(live.metadata.deletionTimestamp)) / 1000;
    const content = await deleteContent({ client, namespace: name, deletedForSeconds, signal });
    await report(terminating, content, run);
    if (content.contentFailures.length > 0 || content.discoveryFailures.length > 0) {
      throw new Error([...content.discoveryFailures, ...content.contentFailures].join("; "));
    }
    if (content.remaining.length > 0) return { requeueAfterMs: (Math.floor(content.estimateSeconds / 2) + 1) * 1000 };
    await finalize(name, uid, run);
  }

  async function writeStatus(
    namespace: Namespace,
    change: (status: NonNullable<Namespace["status"]>) => NonNullable<Namespace["status"]>,
    run: KeyRun,
  ): Promise<Namespace> {
    const write = async (current: Namespace): Promise<Namespace> => {
      if (current.metadata.uid !== namespace.metadata.uid)
        throw new Error(`namespace ${namespace.metadata.name} was replaced`);
      return ensureStatus(run.client, Namespace, current, change(current.status ?? {}));
    };
    return retryFresh(Namespace, namespace, write, run);
  }

  async function report(namespace: Namespace, progress: DeletionProgress, run: KeyRun): Promise<void> {
    const conditions = (before: Namespace["status"]) => deletionConditions(before?.conditions, progress, clock.now());
    await writeStatus(namespace, (status) => ({ ...status, conditions: conditions(status) }), run);
  }

  /** Removes only this controller's own finalizer; others may have added theirs. */
  async function finalize(name: string, uid: string | undefined, { client }: KeyRun): Promise<void> {
    const resource = client.resource(Namespace);
    const namespace = await resource.get(name).catch(unless(isNotFound));
    if (namespace === undefined || namespace.metadata.uid !== uid) return;
    const finalizers = (namespace.spec?.finalizers ?? []).filter((one) => one !== finalizer);
    const emptied = { ...namespace, spec: { ...namespace.spec, finalizers } };
    await resource.subresource<Namespace>("finalize").update(emptied).catch(unless(isNotFound));
  }

  return { loops: [loop] };
}
