/**
 * A whole cluster for scenarios: server, all built-in controllers, scheduler and simulated nodes in this process, on a
 * clock that the test owns.
 */
import { Pod } from "../../src/api/index.js";
import { FakeClock, seededRandom } from "../../src/base/index.js";
import type { Client } from "../../src/client/index.js";
import { type ClusterOptions, startCluster } from "../../src/testing/cluster.js";
import { assertSound } from "./invariants.js";

export const namespace = "default";

export interface WholeCluster extends AsyncDisposable {
  readonly client: Client;
  readonly clock: FakeClock;
  /** Lets time pass, then checks every invariant of a cluster at rest. */
  settle(ms?: number): Promise<void>;
  /** Lets time pass, checking nothing. */
  pass(ms: number): Promise<void>;
  /** The objects of the namespace that are not being deleted, by name. */
  pods(labelSelector?: string): Promise<readonly Pod[]>;
  /** `Kind name Reason message`, in the order of their recording. */
  readonly events: readonly string[];
}

export async function startWholeCluster(
  nodeCount = 3,
  options: Pick<ClusterOptions<FakeClock>, "faults" | "random" | "rules"> = {},
): Promise<WholeCluster> {
  const clock = new FakeClock({ startMs: Date.UTC(2026, 0, 1) });
  const random = seededRandom(nodeCount);
  const cluster = await startCluster({ random, ...options, clock, controllers: ["*"], nodes: nodeCount });
  const { client, events } = cluster;
  const pass = (ms: number): Promise<void> => clock.pass(ms);
  await pass(10_000);
  return {
    client,
    clock,
    pass,
    events,
    async settle(ms = 3_000) {
      await pass(ms);
      await assertSound(client);
    },
    async pods(labelSelector) {
      const { items } = await client
        .resource(Pod, { namespace })
        .list(labelSelector === undefined ? {} : { labelSelector });
      return items.filter(({ metadata }) => metadata.deletionTimestamp === undefined);
    },
    [Symbol.asyncDispose]: () => cluster[Symbol.asyncDispose](),
  };
}

export const imageOf = ({ spec }: Pod): string | undefined => spec?.containers[0]?.image;

/** The pod template of these scenarios; `behaviour` are annotations of simulated nodes, without their prefix. */
export function template(app: string, image: string, behaviour: Readonly<Record<string, string>> = {}) {
  const annotations = Object.fromEntries(
    Object.entries(behaviour).map(([key, value]) => [`coxswain.dev/${key}`, value]),
  );
  return { metadata: { labels: { app }, annotations }, spec: { containers: [{ name: "c", image }] } };
}
