/** Watches nodes: marks silent ones, taints unhealthy ones, and marks their pods as not ready. */
import { deepEqual, isNotFound, Lease, metaNamespaceKey, Node, Pod, type Taint, unless } from "../../api/index.js";
import { isAbortOf, TokenBucket, runTogether } from "../../base/index.js";
import type { FactoryInformer } from "../../informer/index.js";
import type { KeyLoop, SyncResult } from "../../controller/index.js";
import type { BuiltInController, ControllerContext, Recorder } from "../kit/context.js";
import { objectLoop, runLoops } from "../kit/loops.js";
import { retryFresh } from "../kit/status.js";
import { indexByNode, podsOnNode } from "../../placement/pods-by-node.js";
import { missingLabels } from "./labels.js";
import { markNotReady, type Working } from "./mark-pods.js";
import { type ClockReading, isSilent, observeSigns, readyOf, type SignsOfLife, unknownConditions } from "./health.js";
import {
  hasNoExecute,
  isReadyAndUntainted,
  noExecuteKey,
  notReadyKey,
  unreachableKey,
  withNoExecuteTaint,
  withNoScheduleTaints,
} from "./taints.js";
import { evictionRate, isEverythingDown, zoneOf, zonesOf } from "./zones.js";

const roundMs = 5_000;
const taintingMs = 100;
const markedAtOnce = 8;
const leaseNamespace = "kube-node-lease";

export class NodeLifecycleController implements BuiltInController {
  readonly #context: ControllerContext;
  readonly #nodes: FactoryInformer<Node>;
  readonly #pods: FactoryInformer<Pod>;
  readonly #leases: FactoryInformer<Lease>;
  readonly #recorder: Recorder;
  readonly #loop: KeyLoop;
  /** By node; an entry is removed with its node. */
  readonly #signs = new Map<string, SignsOfLife>();
  /** Pods that were just bound: their node may already be unhealthy. */
  readonly #bound: KeyLoop;
  /** Nodes with pods that could not be marked yet. */
  readonly #toRetry = new Set<string>();
  /** Nodes that wait for their NoExecute taint, in the order of arrival; and the rate limit of each zone. */
  readonly #waiting = new Set<string>();
  readonly #buckets = new Map<string, { readonly rate: number; readonly bucket: TokenBucket }>();
  #everythingDown = false;

  constructor(context: ControllerContext) {
    this.#context = context;
    this.#nodes = context.informers.informer(Node);
    this.#pods = context.informers.informer(Pod);
    this.#leases = context.informers.informer(Lease, { namespace: leaseNamespace });
    indexByNode(this.#pods);
    this.#recorder = context.recorderFor("node-controller");
    this.#loop = objectLoop(context, this.#nodes, {
      name: "node_lifecycle_controller",
      workers: 8,
      sync: (node, run) => this.#syncTaints(node, run),
    });
    this.#bound = objectLoop(context, this.#pods, {
      name: "node_lifecycle_controller_pods",
      workers: 4,
      sync: (pod, run) => this.#syncBound(pod, run),
    });
    this.#bound.watch(this.#pods, (change, wake) => {
      const isBound = change.type === "updated" && change.object.spec?.nodeName !== change.previous.spec?.nodeName;
      if ((change.type === "added" || isBound) && this.#isToBeMarked(change.object))
        wake(metaNamespaceKey(change.object));
    });
    this.#loop.watch(this.#nodes, ({ type, object: node }, wake) => {
      const { name } = node.metadata;
      if (type !== "deleted") wake(name);
      if (type === "added") {
        this.#recorder.normal(node, "RegisteredNode", `Node ${name} event: Registered Node ${name} in Controller`);
      } else if (type === "deleted") {
        this.#recorder.normal(node, "RemovingNode", `Node ${name} event: Removing Node ${name} from Controller`);
        for (const known of [this.#signs, this.#toRetry, this.#waiting]) known.delete(name);
      }
    });
  }

  get loops(): readonly KeyLoop[] {
    return [this.#loop, this.#bound];
  }

  async run(signal: AbortSignal): Promise<void> {
    await runTogether([(ending) => runLoops(this.loops, ending), (ending) => this.#watchOver(ending)], signal);
  }

  async #watchOver(signal: AbortSignal): Promise<void> {
    const { clock, random, log } = this.#context;
    const client = this.#context.client.during({ signal, write: (_call, send) => send() });
    const round: Working = { client, clock, random, log, signal };
    try {
      for (;;) {
        const nextRound = clock.monotonic() + roundMs;
        await this.#round(round).catch((error: unknown) => {
          if (isAbortOf(signal, error)) throw error;
          log.error("a round over the nodes failed", { error });
        });
        while (this.#waiting.size > 0 && clock.monotonic() + taintingMs < nextRound) {
          await this.#taintWaiting(round);
          if (this.#waiting.size > 0) await clock.sleep(taintingMs, signal);
        }
        await clock.sleep(Math.max(0, nextRound - clock.monotonic()), signal);
      }
    } catch (error) {
      if (!isAbortOf(signal, error)) throw error;
    }
  }

  async #round(working: Working): Promise<void> {
    const nodes = await this.#judgeAll(this.#nodes.indexer.list(), working);
    const zones = zonesOf(nodes);
    const everythingDown = isEverythingDown(zones);
    if (this.#everythingDown && !everythingDown) this.#startAnew();
    this.#everythingDown = everythingDown;
    for (const zone of new Set(nodes.map(zoneOf))) this.#setRate(zone, evictionRate(zones.get(zone)));
    for (const node of nodes) {
      if (isReadyAndUntainted(node) && !this.#waiting.has(node.metadata.name)) continue;
      const handle = () => this.#handleReadiness(node, everythingDown, working);
      await this.#try("cannot change the taints of a node", node, handle, working);
    }
  }

  /** The nodes as they are after silent ones were marked, a few at a time, as upstream: a server limits its writes. */
  async #judgeAll(nodes: readonly Node[], working: Working): Promise<readonly Node[]> {
    const judged = [...nodes];
    const unwell = nodes.flatMap((node, index) => (this.#isWell(node, working) ? [] : [index]));
    const work = async (): Promise<void> => {
      for (let index = unwell.pop(); index !== undefined; index = unwell.pop()) {
        const node = nodes[index] as Node;
        const marked = await this.#try("cannot mark a node", node, () => this.#judge(node, working), working);
        judged[index] = marked ?? node;
      }
    };
    await Promise.all(Array.from({ length: markedAtOnce }, work));
    return judged;
  }

  /** A node that cannot be written does not stop the others: the next round tries it again. */
  async #try<T>(
    complaint: string,
    { metadata }: Node,
    work: () => Promise<T>,
    working: Working,
  ): Promise<T | undefined> {
    try {
      return await work();
    } catch (error) {
      if (isAbortOf(working.signal, error)) throw error;
      if (!isNotFound(error)) this.#context.log.warn(complaint, { node: metadata.name, error });
      return undefined;
    }
  }

  /** After an outage of the whole cluster, every node gets its full grace period again. */
  #startAnew(): void {
    const seenAtMs = this.#context.clock.monotonic();
    for (const [name, signs] of this.#signs) this.#signs.set(name, { ...signs, seenAtMs });
  }

  #setRate(zone: string, rate: number): void {
    if (this.#buckets.get(zone)?.rate === rate) return;
    const { clock } = this.#context;
    this.#buckets.set(zone, {
      rate,
      bucket: new TokenBucket({ ratePerSecond: rate, burst: rate === 0 ? 0 : 1, clock }),
    });
  }

  /** Whether a round has nothing to do for the node, which is so for nearly all of them. */
  #isWell(node: Node, { clock }: Working): boolean {
    const now = { wallMs: clock.now(), steadyMs: clock.monotonic() };
    return !this.#toRetry.has(node.metadata.name) && !isSilent(node, this.#observe(node, now), now);
  }

  #observe(node: Node, now: ClockReading): SignsOfLife {
    const { name } = node.metadata;
    const before = this.#signs.get(name);
    const signs = observeSigns(before, node, this.#leases.indexer.get(`${leaseNamespace}/${name}`), now);
    if (signs !== before) this.#signs.set(name, signs);
    return signs;
  }

  /** Marks the node if it is silent, and gives the node as it is then. */
  async #judge(node: Node, working: Working): Promise<Node> {
    const { clock, client } = working;
    const { name } = node.metadata;
    const now = { wallMs: clock.now(), steadyMs: clock.monotonic() };
    const signs = this.#observe(node, now);
    if (!isSilent(node, signs, now)) {
      if (this.#toRetry.has(name) && readyOf(node)?.status !== "True") await this.#markPods(name, working);
      else this.#toRetry.delete(name);
      return node;
    }
    const conditions = unknownConditions(node, now.wallMs);
    if (conditions === node.status?.conditions) {
      if (this.#toRetry.has(name)) await this.#markPods(name, working);
      return node;
    }
    // the cache of leases may be late, not the node
    const live = await this.#liveRenewal(name, working);
    if (live !== undefined && live !== signs.renewal) return node;
    const changed = conditions.filter((condition) => !node.status?.conditions?.includes(condition));
    const marked = await client.resource(Node).status.patch(name, { strategic: { status: { conditions: changed } } });
    // a kubelet that itself reports its node as not ready also updates its pods
    if (readyOf(node)?.status === "True") {
      this.#recorder.normal(marked, "NodeNotReady", `Node ${name} status is now: NodeNotReady`);
      await this.#markPods(name, working);
    }
    return marked;
  }

  async #liveRenewal(name: string, { client }: Working): Promise<string | undefined> {
    const leases = client.resource(Lease, { namespace: leaseNamespace });
    return (await leases.getOrUndefined(name))?.spec?.renewTime;
  }

  async #handleReadiness(node: Node, everythingDown: boolean, working: Working): Promise<void> {
    const { name } = node.metadata;
    const key = noExecuteKey(node);
    if (key === undefined || everythingDown) {
      this.#waiting.delete(name);
      await this.#writeTaints(node, (live) => withNoExecuteTaint(live, undefined, this.#context.clock.now()), working);
    } else if (hasNoExecute(node, key === notReadyKey ? unreachableKey : notReadyKey)) {
      // it has already waited for its other NoExecute taint
      await this.#writeTaints(node, (live) => withNoExecuteTaint(live, key, this.#context.clock.now()), working);
    } else if (!hasNoExecute(node, key)) {
      this.#waiting.add(name);
    }
  }

  async #markPods(node: string, working: Working): Promise<void> {
    const all = await markNotReady(podsOnNode(this.#pods.indexer, node), working, this.#recorder);
    if (all) this.#toRetry.delete(node);
    else this.#toRetry.add(node);
  }

  /**
   * Enqueues a pod that was bound to a node which is not ready, to be marked. A node that becomes unready later marks
   * all its pods then.
   */
  #isToBeMarked({ spec }: Pod): boolean {
    if (!spec?.nodeName) return false;
    const node = this.#nodes.indexer.get(spec.nodeName);
    return node === undefined || readyOf(node)?.status !== "True";
  }

  async #syncBound(pod: Pod, working: Working): Promise<SyncResult | void> {
    const node = this.#nodes.indexer.get(pod.spec?.nodeName ?? "");
    const ready = node === undefined ? undefined : readyOf(node)?.status;
    if (ready === undefined || ready === "True") return;
    const all = await markNotReady([pod], working, this.#recorder);
    return all ? undefined : { requeueAfterMs: 0 };
  }

  async #taintWaiting(working: Working): Promise<void> {
    for (const name of this.#waiting) {
      const node = this.#nodes.indexer.get(name);
      const key = node === undefined ? undefined : noExecuteKey(node);
      if (node === undefined || key === undefined) {
        this.#waiting.delete(name);
        continue;
      }
      if (!this.#buckets.get(zoneOf(node))?.bucket.tryTake()) continue;
      const taint = async (): Promise<void> => {
        await this.#writeTaints(node, (live) => withNoExecuteTaint(live, key, this.#context.clock.now()), working);
        this.#waiting.delete(name);
      };
      // a node that cannot be written waits for its zone's next turn
      await this.#try("cannot taint a node", node, taint, working);
    }
  }

  async #syncTaints(node: Node, working: Working): Promise<void> {
    const now = this.#context.clock.now();
    await this.#writeTaints(node, (live) => withNoScheduleTaints(live, now), working);
    const labels = missingLabels(node);
    if (labels === undefined) return;
    await working.client.resource(Node).patch(node.metadata.name, { strategic: { metadata: { labels } } });
  }

  /** Several components write the list of taints: each change is applied to the current list. */
  async #writeTaints(node: Node, change: (node: Node) => readonly Taint[], working: Working): Promise<void> {
    if (deepEqual(change(node), node.spec?.taints ?? [])) return;
    const write = async (current: Node): Promise<void> => {
      const taints = change(current);
      if (deepEqual(taints, current.spec?.taints ?? [])) return;
      const { name, resourceVersion } = current.metadata;
      const merge = { metadata: { resourceVersion }, spec: { taints } };
      await working.client.resource(Node).patch(name, { merge });
    };
    await retryFresh(Node, node, write, working).catch(unless(isNotFound));
  }
}
