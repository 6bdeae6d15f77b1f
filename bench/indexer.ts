/** Compares the cache with client-go's: adds with two indices, updates, lookups by index and by key. */
import { spawnSync } from "node:child_process";
import { mkdirSync } from "node:fs";
import { join, resolve } from "node:path";
import { Indexer } from "../src/informer/index.js";
import { bestOf, keepBest, type Run } from "./harness.js";

interface Item {
  readonly metadata: { readonly name: string; readonly namespace: string; readonly resourceVersion: string };
  readonly node: string;
}

const count = 100_000;

/** 100 objects share a node, 1000 a namespace. */
function item(i: number, revision: number): Item {
  const metadata = { name: `item-${i}`, namespace: `ns-${i % 100}`, resourceVersion: String(revision) };
  return { metadata, node: `node-${i % 1000}` };
}

const indexers = {
  namespace: ({ metadata }: Item): readonly string[] => [metadata.namespace],
  node: ({ node }: Item): readonly string[] => [node],
};

export const run: Run = ({ log }) => {
  const items = Array.from({ length: count }, (_, i) => item(i, i));
  const newer = Array.from({ length: count }, (_, i) => item(i, count + i));
  const full = new Indexer<Item>({ indexers });
  for (const object of items) full.put(object);
  // as in the peer's program: the store's own strings, which compare by address, and equal strings at other addresses
  const keys = full.listKeys();
  const made = items.map(({ metadata }) => `${metadata.namespace}/${metadata.name}`);
  let turn = 0;
  let sink = 0;
  const operations = {
    "add with two indices"() {
      const store = new Indexer<Item>({ indexers });
      for (const object of items) store.put(object);
      return count;
    },
    update() {
      for (const object of turn++ % 2 === 0 ? newer : items) full.put(object);
      return count;
    },
    "byIndex with 100 hits"() {
      for (let i = 0; i < 1000; i++) sink += full.byIndex("node", `node-${i}`).length;
      return 1000;
    },
    "get by key"() {
      for (const key of keys) if (full.get(key) !== undefined) sink += 1;
      return count;
    },
    "get by a key made by the caller"() {
      for (const key of made) if (full.get(key) !== undefined) sink += 1;
      return count;
    },
  };
  const peer = clientGo(log);
  const ours = new Map<string, number>();
  const theirs = new Map<string, number>();
  for (let round = 1; round <= 3; round++) {
    log(`round ${round}`);
    for (const [name, operation] of Object.entries(operations)) keepBest(ours, name, bestOf(operation));
    for (const [name, time] of Object.entries(peer?.() ?? {})) keepBest(theirs, name, time);
  }
  if (sink === 0) throw new Error("nothing was found");
  const figures: Record<string, number> = {};
  const ratios: Record<string, number> = {};
  for (const [name, time] of ours) {
    figures[`${name} (1,000/s)`] = 1e6 / time;
    const peers = theirs.get(name);
    if (peers === undefined) continue;
    figures[`${name}, client-go (1,000/s)`] = 1e6 / peers;
    ratios[`${name}: faster than client-go`] = peers / time;
  }
  return { figures, ratios };
};

/** Gives nanoseconds per operation; undefined without a Go toolchain. */
function clientGo(log: (message: string) => void): (() => Readonly<Record<string, number>>) | undefined {
  const cache = resolve(".cache", "bench");
  mkdirSync(cache, { recursive: true });
  const program = join(cache, "indexer-go");
  const cwd = join("bench", "peers", "informer-go");
  const built = spawnSync("go", ["build", "-o", program, "./indexer"], { cwd, encoding: "utf8" });
  if (built.status === 0)
    return () => JSON.parse(spawnSync(program, { encoding: "utf8" }).stdout) as Record<string, number>;
  log(`no comparison with client-go: ${built.error?.message ?? built.stderr}`);
  return undefined;
}
