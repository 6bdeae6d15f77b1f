/** The same for one kind and one handler, without a factory: takes a list and a watch, gives a cache and calls. */
import { type Client, DeletedFinalStateUnknown, Pod } from "coxswain";
import { listWatchOf, newInformer } from "coxswain/informer";
import { byNode, changed, nameOf, podIndexers, podState } from "./describe.js";
import type { Print } from "./shared.js";

/** Runs until the signal aborts. */
export async function watchPods(client: Client, print: Print, signal: AbortSignal): Promise<void> {
  const { store, controller } = newInformer<Pod>(
    listWatchOf(client, Pod),
    { indexers: podIndexers },
    {
      onAdd(pod) {
        const node = pod.spec?.nodeName;
        const beside = node ? ` (pod ${store.indexKeys(byNode, node).length} of that node)` : "";
        print(`pod ${nameOf(pod)}: added, ${podState(pod)}${beside}`);
      },
      onUpdate(old, now) {
        const line = changed("pod", podState, { old, now });
        if (line !== undefined) print(line);
      },
      onDelete(pod) {
        const name = pod instanceof DeletedFinalStateUnknown ? pod.key : nameOf(pod);
        print(`pod ${name}: deleted, ${store.size} left`);
      },
    },
  );
  await using running = controller.start({ signal });
  await running.done;
}
