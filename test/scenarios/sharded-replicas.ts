/** Managers that share the objects of one program, on one server and a virtual clock. */
import { onTestFinished } from "vitest";
import { ConfigMap, Namespace, Secret } from "../../src/api/index.js";
import { FakeClock, type Running, type Transport } from "../../src/base/index.js";
import { Client } from "../../src/client/index.js";
import type { ControllerOptions } from "../../src/controller/index.js";
import { Manager, type ManagerOptions, type Runnable, type ShardingOptions } from "../../src/manager/index.js";
import { startTestServer } from "../../src/testing/cluster.js";
import { map, mirror, secretFor } from "./mirror.js";

export const lease = { namespace: "kube-system", name: "group" };

/** A replica that notes the keys that it reconciles, and the keys that are being reconciled by all at this moment. */
export interface Replica {
  readonly name: string;
  readonly manager: Manager;
  readonly running: Running;
  readonly ran: string[];
  cut: boolean;
}

export async function setup(sharding: Partial<ShardingOptions> = {}) {
  const clock = new FakeClock();
  const server = await startTestServer({ clock });
  onTestFinished(() => server[Symbol.asyncDispose]());
  const direct = new Client({ transport: server.transport(), clock });
  const replicas: Replica[] = [];
  const underWay = new Set<string>();
  const doubles: string[] = [];
  const start = async (
    name: string,
    change: Partial<ControllerOptions<ConfigMap>> & {
      readonly manager?: Partial<ManagerOptions>;
      readonly runnable?: Runnable;
      /** Awaited before each request of the replica. */
      readonly before?: (path: string) => Promise<void>;
    } = {},
  ): Promise<Replica> => {
    const { manager: more, runnable, before, ...controller } = change;
    const transport: Transport = async (request, signal) => {
      if (replica.cut) throw new Error("no route");
      await before?.(request.path);
      return server.transport()(request, signal);
    };
    const client = new Client({ transport, clock, retry: { maxRetries: 0 } as object });
    const manager = await Manager.create({
      client,
      clock,
      sharding: { lease, shards: 8, identity: name, ...sharding },
      ...more,
    });
    const ran: string[] = [];
    manager.controller(
      mirror({
        async reconcile({ object, client: writer, request, clock: own }) {
          const key = request.namespace ?? "";
          if (underWay.has(key)) doubles.push(key);
          underWay.add(key);
          ran.push(key);
          await writer.apply(secretFor(object));
          await own.sleep(50, new AbortController().signal);
          underWay.delete(key);
        },
        ...controller,
      }),
    );
    if (runnable !== undefined) manager.add(runnable);
    const replica: Replica = { name, manager, ran, running: manager.start(), cut: false };
    replicas.push(replica);
    onTestFinished(async () => {
      replica.cut = false;
      await stop(replica);
    });
    return replica;
  };
  const stop = async ({ running }: Replica): Promise<void> => {
    const stopped = running[Symbol.asyncDispose]();
    await clock.pass(20_000);
    await stopped;
  };
  const namespaces = Array.from({ length: 12 }, (_, i) => `tenant-${i}`);
  for (const name of namespaces) await direct.resource(Namespace).create({ metadata: { name } });
  const touch = async (text: string): Promise<void> => {
    for (const namespace of namespaces)
      await direct
        .resource(ConfigMap, { namespace })
        .apply({ ...map("m", text), metadata: { name: "m", namespace } } as never, { fieldManager: "test" });
  };
  const texts = async (): Promise<unknown[]> =>
    (await direct.resource(Secret).list()).items.map(({ data }) => atob(data?.["text"] ?? ""));
  const held = (): number[] => replicas.map(({ manager }) => manager.sharder?.held.length ?? 0);
  return { clock, server, direct, start, stop, touch, texts, held, doubles, namespaces };
}

export const all = (text: string): string[] => Array(12).fill(text) as string[];
