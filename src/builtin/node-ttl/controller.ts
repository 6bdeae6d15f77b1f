/** The TTL controller: tells each node, by an annotation, how long its kubelet may keep Secrets without asking again. */
import { isNotFound, Node, unless } from "../../api/index.js";
import type { BuiltInController, ControllerContext } from "../kit/context.js";
import { objectLoop } from "../kit/loops.js";

const annotation = "node.alpha.kubernetes.io/ttl";

/** Neighbouring sizes overlap, so that a cluster whose size swings a little does not change the time on every node. */
const sizes = [
  { min: 0, max: 100, seconds: 0 },
  { min: 90, max: 500, seconds: 15 },
  { min: 450, max: 1_000, seconds: 30 },
  { min: 900, max: 2_000, seconds: 60 },
  { min: 1_800, max: Number.POSITIVE_INFINITY, seconds: 300 },
] as const;

/** The seconds for a cluster of a size, which depend on the sizes before. */
export class CacheSeconds {
  #nodes = 0;
  /** Invariant: the number of nodes is within `sizes[#step]`. */
  #step = 0;

  get seconds(): number {
    return sizes[this.#step]?.seconds ?? 0;
  }

  nodeCame(): void {
    this.#nodes += 1;
    if (this.#nodes > (sizes[this.#step]?.max ?? 0)) this.#step += 1;
  }

  nodeWent(): void {
    this.#nodes -= 1;
    if (this.#nodes < (sizes[this.#step]?.min ?? 0)) this.#step -= 1;
  }
}

export function nodeTtlController(context: ControllerContext): BuiltInController {
  const nodes = context.informers.informer(Node);
  const cache = new CacheSeconds();
  const loop = objectLoop(context, nodes, {
    name: "ttlcontroller",
    workers: 5,
    async sync(node, { key, client }) {
      const wanted = String(cache.seconds);
      if (node.metadata.annotations?.[annotation] === wanted) return;
      const strategic = { metadata: { annotations: { [annotation]: wanted } } };
      await client.resource(Node).patch(key, { strategic }).catch(unless(isNotFound));
    },
  });
  // other nodes hear of a new size with their next report, as upstream
  loop.watch(nodes, ({ type, object }, wake) => {
    if (type === "added") cache.nodeCame();
    if (type === "deleted") return cache.nodeWent();
    wake(object.metadata.name);
  });
  return { loops: [loop] };
}
