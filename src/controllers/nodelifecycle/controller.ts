/** Watches over nodes: marks silent ones, taints those that are not well, and tells their pods. */
import { deepEqual, formatTime, isConflict, isNotFound, Lease, Node, Pod, type Taint } from "../../api/index.js";
import { isAbortOf, TokenBucket, runTogether } from "../../base/index.js";
import { retryOnConflict } from "../../client/index.js";
import { deletedObject, type FactoryInformer } from "../../informer/index.js";
import type { BuiltInController, ControllerContext, InspectableQueue, Recorder } from "../kit/context.js";
import { KeyLoop } from "../kit/key-loop.js";
import { indexByNode, podsOnNode } from "../../controller/pods-by-node.js";
import { isReady } from "../pods/state.js";
import { isExpired, observeSigns, readyOf, type SignsOfLife, unknownConditions } from "./health.js";
import {
  hasNoExecute,
  noExecuteKey,
  notReadyKey,
  unreachableKey,
  withNoExecuteTaint,
  withNoScheduleTaints,
} from "./taints.js";
import { evictionRate, isEverythingDown, zoneOf, zonesOf } from "./zones.js";

const roundMs = 5_000;
const taintingMs = 100;
const leaseNamespace = "kube-node-lease";

export class NodeLifecycleController implements BuiltInController {
  readonly #context: ControllerContext;
  readonly #nodes: FactoryInformer<Node>;
  readonly #pods: FactoryInformer<Pod>;
  readonly #leases: FactoryInformer<Lease>;
  readonly #recorder: Recorder;
  readonly #loop: KeyLoop;
  /** By node. Leaves with the node. */
  readonly #signs = new Map<string, SignsOfLife>();
  /** The readiness at the last round, so that a change is told once. */
  readonly #readiness = new Map<string, string | undefined>();
  /** Nodes that wait for their NoExecute taint, in the order of arrival; and how fast each zone's may get it. */
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
    const sync = (name: string, { signal }: { readonly signal: AbortSignal }) => this.#syncTaints(name, signal);
    this.#loop = new KeyLoop({ context, name: "node_lifecycle_controller", workers: 8, sync });
    this.#nodes.addEventHandler({
      onAdd: (node) => {
        const { name } = node.metadata;
        this.#recorder.normal(node, "RegisteredNode", `Node ${name} event: Registered Node ${name} in Controller`);
        this.#loop.enqueue(node);
      },
      onUpdate: (_previous, node) => this.#loop.enqueue(node),
      onDelete: (gone) => {
        const node = deletedObject(gone);
        if (node === undefined) return;
        const { name } = node.metadata;
        this.#recorder.normal(node, "RemovingNode", `Node ${name} event: Removing Node ${name} from Controller`);
        for (const known of [this.#signs, this.#readiness, this.#waiting]) known.delete(name);
      },
    });
  }

  get queues(): readonly InspectableQueue[] {
    return this.#loop.queues;
  }

  async run(signal: AbortSignal): Promise<void> {
    await runTogether([(ending) => this.#loop.run(ending), (ending) => this.#watchOver(ending)], signal);
  }

  async #watchOver(signal: AbortSignal): Promise<void> {
    const { clock, log } = this.#context;
    try {
      for (;;) {
        const nextRound = clock.monotonic() + roundMs;
        await this.#round(signal).catch((error: unknown) => {
          if (isAbortOf(signal, error)) throw error;
          log.error("a round over the nodes failed", { error });
        });
        while (this.#waiting.size > 0 && clock.monotonic() + taintingMs < nextRound) {
          await this.#taintWaiting(signal);
          if (this.#waiting.size > 0) await clock.sleep(taintingMs, signal);
        }
        await clock.sleep(Math.max(0, nextRound - clock.monotonic()), signal);
      }
    } catch (error) {
      if (!isAbortOf(signal, error)) throw error;
    }
  }

  async #round(signal: AbortSignal): Promise<void> {
    const { log } = this.#context;
    const nodes = await Promise.all(
      this.#nodes.indexer.list().map(async (node) => {
        try {
          return await this.#judge(node, signal);
        } catch (error) {
          if (isAbortOf(signal, error)) throw error;
          if (!isNotFound(error)) log.warn("cannot mark a node", { node: node.metadata.name, error });
          return node;
        }
      }),
    );
    const zones = zonesOf(nodes);
    const everythingDown = isEverythingDown(zones);
    if (this.#everythingDown && !everythingDown) this.#startAnew();
    this.#everythingDown = everythingDown;
    for (const [zone, state] of zones) this.#setRate(zone, evictionRate(state));
    for (const node of nodes) await this.#handleReadiness(node, everythingDown, signal);
  }

  /** After a fault of our own every node gets its whole time again. */
  #startAnew(): void {
    const seenAt = this.#context.clock.now();
    for (const [name, signs] of this.#signs) this.#signs.set(name, { ...signs, seenAt });
  }

  #setRate(zone: string, rate: number): void {
    if (this.#buckets.get(zone)?.rate === rate) return;
    const { clock } = this.#context;
    this.#buckets.set(zone, {
      rate,
      bucket: new TokenBucket({ ratePerSecond: rate, burst: rate === 0 ? 0 : 1, clock }),
    });
  }

  /** The node as it is after this look: silent ones are marked. */
  async #judge(node: Node, signal: AbortSignal): Promise<Node> {
    const { clock, client } = this.#context;
    const { name } = node.metadata;
    const now = clock.now();
    const signs = observeSigns(this.#signs.get(name), node, this.#leases.indexer.get(`${leaseNamespace}/${name}`), now);
    this.#signs.set(name, signs);
    if (!isExpired(node, signs, now)) return node;
    // the cache of leases may be what is late, not the node
    const live = await this.#liveRenewal(name, signal);
    if (live !== signs.renewal) return node;
    const conditions = unknownConditions(node, now);
    if (conditions === node.status?.conditions) return node;
    const changed = conditions.filter((condition) => !node.status?.conditions?.includes(condition));
    return client.resource(Node).status.patch(name, { strategic: { status: { conditions: changed } } }, { signal });
  }

  async #liveRenewal(name: string, signal: AbortSignal): Promise<string | undefined> {
    try {
      const lease = await this.#context.client.resource(Lease, { namespace: leaseNamespace }).get(name, { signal });
      return lease.spec?.renewTime;
    } catch (error) {
      if (isNotFound(error)) return undefined;
      throw error;
    }
  }

  async #handleReadiness(node: Node, everythingDown: boolean, signal: AbortSignal): Promise<void> {
    const { name } = node.metadata;
    const status = readyOf(node)?.status;
    const before = this.#readiness.get(name);
    this.#readiness.set(name, status);
    if (before === "True" && status !== "True") {
      this.#recorder.normal(node, "NodeNotReady", `Node ${name} status is now: NodeNotReady`);
    }
    if (status !== "True" && status !== undefined) await this.#markPods(name, signal);
    const key = noExecuteKey(node);
    if (key === undefined || everythingDown) {
      this.#waiting.delete(name);
      await this.#writeTaints(node, (live) => withNoExecuteTaint(live, undefined, this.#context.clock.now()), signal);
    } else if (hasNoExecute(node, key === notReadyKey ? unreachableKey : notReadyKey)) {
      // it has waited once already
      await this.#writeTaints(node, (live) => withNoExecuteTaint(live, key, this.#context.clock.now()), signal);
    } else if (!hasNoExecute(node, key)) {
      this.#waiting.add(name);
    }
  }

  /** A pod on a node that is not well is not ready, whatever its last word was. */
  async #markPods(node: string, signal: AbortSignal): Promise<void> {
    const { client, clock, log } = this.#context;
    for (const pod of podsOnNode(this.#pods.indexer, node)) {
      if (!isReady(pod)) continue;
      const condition = { type: "Ready", status: "False", lastTransitionTime: formatTime(clock.now()) };
      try {
        await client
          .resource(Pod)
          .status.patch(pod.metadata, { strategic: { status: { conditions: [condition] } } }, { signal });
        this.#recorder.warning(pod, "NodeNotReady", "Node is not ready");
      } catch (error) {
        if (isAbortOf(signal, error)) throw error;
        if (!isNotFound(error)) log.warn("cannot mark a pod as not ready", { pod: pod.metadata.name, error });
      }
    }
  }

  async #taintWaiting(signal: AbortSignal): Promise<void> {
    for (const name of this.#waiting) {
      const node = this.#nodes.indexer.get(name);
      const key = node === undefined ? undefined : noExecuteKey(node);
      if (node === undefined || key === undefined) {
        this.#waiting.delete(name);
        continue;
      }
      if (!this.#buckets.get(zoneOf(node))?.bucket.tryTake()) continue;
      await this.#writeTaints(node, (live) => withNoExecuteTaint(live, key, this.#context.clock.now()), signal);
      this.#waiting.delete(name);
    }
  }

  async #syncTaints(name: string, signal: AbortSignal): Promise<void> {
    const node = this.#nodes.indexer.get(name);
    if (node === undefined) return;
    const now = this.#context.clock.now();
    await this.#writeTaints(node, (live) => withNoScheduleTaints(live, now), signal);
  }

  /** Taints are one list that several write: each change is made on the list as it is. */
  async #writeTaints(node: Node, change: (node: Node) => readonly Taint[], signal: AbortSignal): Promise<void> {
    if (deepEqual(change(node), node.spec?.taints ?? [])) return;
    const resource = this.#context.client.resource(Node);
    let current = node;
    try {
      await retryOnConflict(
        async () => {
          const taints = change(current);
          if (deepEqual(taints, current.spec?.taints ?? [])) return;
          const { resourceVersion } = current.metadata;
          try {
            await resource.patch(
              current.metadata.name,
              { merge: { metadata: { resourceVersion }, spec: { taints } } },
              { signal },
            );
          } catch (error) {
            if (isConflict(error)) current = await resource.get(current.metadata.name, { signal });
            throw error;
          }
        },
        { signal, clock: this.#context.clock, random: this.#context.random },
      );
    } catch (error) {
      if (!isNotFound(error)) throw error;
    }
  }
}
