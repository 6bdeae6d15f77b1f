/** A whole cluster in this process on real or on virtual time, with the waits that both need. */
import { Node, Pod } from "../../src/api/index.js";
import { FakeClock, Lifetime, systemClock } from "../../src/base/index.js";
import type { Client } from "../../src/client/index.js";
import { SharedInformerFactory } from "../../src/informer/index.js";
import { startCluster } from "../../src/testing/index.js";
import { type IsEnough, startInProcess, told } from "./in-process.js";

export interface Stage extends AsyncDisposable {
  readonly client: Client;
  /** Milliseconds on the cluster's clock. */
  now(): number;
  /** Lets this time pass on the cluster's clock. */
  pass(ms: number): Promise<void>;
  /** Does the work, and resolves once `isEnough` holds of the nodes, or of the pods. */
  nodesUntil(isEnough: IsEnough, work?: () => Promise<unknown>): Promise<void>;
  podsUntil(isEnough: IsEnough, work?: () => Promise<unknown>): Promise<void>;
}

export async function onRealTime(nodes: number): Promise<Stage> {
  const cluster = await startInProcess(nodes);
  const { client, informers } = cluster;
  return {
    client,
    now: () => systemClock.monotonic(),
    pass: (ms) => systemClock.sleep(ms, new AbortController().signal),
    nodesUntil: (isEnough, work) => told(informers.informer(Node), isEnough, work),
    podsUntil: (isEnough, work) => told(informers.informer(Pod), isEnough, work),
    [Symbol.asyncDispose]: () => cluster[Symbol.asyncDispose](),
  };
}

/** The step in which virtual time passes while something is waited for. */
const stepMs = 250;

export async function onVirtualTime(nodes: number): Promise<Stage> {
  const lifetime = new Lifetime();
  const clock = new FakeClock();
  const { client } = lifetime.use(await startCluster({ clock, controllers: ["*"], nodes }));
  const informers = new SharedInformerFactory(client, { clock });
  const [nodeInformer, podInformer] = [informers.informer(Node), informers.informer(Pod)];
  informers.start({ signal: new AbortController().signal });
  lifetime.defer(() => informers.shutdown());
  const settled = async (work: Promise<unknown>): Promise<void> => {
    let isOver = false;
    const over = work.finally(() => (isOver = true));
    while (!isOver) await clock.advance(stepMs);
    await over;
  };
  return {
    client,
    now: () => clock.monotonic(),
    pass: (ms) => clock.advance(ms),
    nodesUntil: (isEnough, work) => settled(told(nodeInformer, isEnough, work)),
    podsUntil: (isEnough, work) => settled(told(podInformer, isEnough, work)),
    [Symbol.asyncDispose]: () => lifetime[Symbol.asyncDispose](),
  };
}
