/** A program that keeps a server busy: writers that change objects as fast as they can, and watchers that are told of it. */
import { type Access, configMap, httpOn, path } from "../apiserver/load.js";

interface Task {
  readonly access: readonly Access[];
  readonly writers: number;
  readonly watchers: number;
}

process.once("message", (task: Task) => void make(task));

async function make({ access, writers, watchers }: Task): Promise<void> {
  const clients = access.map(httpOn);
  const client = (i: number): (typeof clients)[number] => clients[i % clients.length] as (typeof clients)[number];
  const { metadata } = JSON.parse((await client(0).send("GET", `${path}?limit=1`)).toString()) as {
    metadata: { resourceVersion: string };
  };
  let [events, writes, stopped] = [0, 0, false];
  const target = `${path}?watch=1&resourceVersion=${metadata.resourceVersion}`;
  const count = (chunk: Buffer): void => {
    for (const byte of chunk) if (byte === 10) events++;
  };
  for (let i = 0; i < watchers; i++) await client(i).watch(target, count);
  const began = performance.now();
  const write = async (i: number): Promise<void> => {
    await client(i).send("POST", path, configMap(`noise-${i}`));
    while (!stopped) {
      const change = { data: { z: String(writes++) } };
      await client(i).send("PATCH", `${path}/noise-${i}`, change, "application/merge-patch+json");
    }
  };
  const all = Array.from({ length: writers }, (_, i) => write(i));
  process.send?.("begun");
  process.once("message", () => {
    stopped = true;
    const seconds = (performance.now() - began) / 1000;
    void Promise.all(all).then(() => process.send?.({ writes, events, seconds }, () => process.exit(0)));
  });
}
