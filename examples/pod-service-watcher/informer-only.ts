/** The same for one kind and one handler, without a factory: takes a list and a watch, gives a cache and calls. */
import { type Client, DeletedFinalStateUnknown, Pod } from "coxswain";
import { listWatchOf, SharedIndexInformer } from "coxswain/informer";
import { byNode, changed, nameOf, podIndexers, podState } from "./describe.js";
import type { Print } from "./shared.js";

/** Runs until the signal aborts. */
export async function watchPods(client: Client, print: Print, signal: AbortSignal): Promise<void> {
  const informer = new SharedIndexInformer<Pod>({ source: listWatchOf(client, Pod), indexers: podIndexers });
  const { indexer } = informer;
  informer.addEventHandler({
    onAdd(pod) {
      const node = pod.spec?.nodeName;
      const beside = node ? ` (pod ${indexer.indexKeys(byNode, node).length} of that node)` : "";
      print(`pod ${nameOf(pod)}: added, ${podState(pod)}${beside}`);
    },
    onUpdate(old, now) {
      const line = changed("pod", podState, { old, now });
      if (line !== undefined) print(line);
    },
    onDelete(pod) {
      const name = pod instanceof DeletedFinalStateUnknown ? pod.key : nameOf(pod);
      print(`pod ${name}: deleted, ${indexer.size} left`);
    },
  });
  await using running = informer.start({ signal });
  await running.done;
}
