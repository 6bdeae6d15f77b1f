/** Compares the work queues with client-go's: the same operations on the same keys, the two programs taking turns. */
import { spawnSync } from "node:child_process";
import { mkdirSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { DelayingQueue, itemExponentialFailure, priorityOrder, Queue, type Work } from "../src/workqueue/index.js";
import { bestOf, keepBest, type Run } from "./harness.js";

const repeats = 100_000;
const keys = Array.from({ length: 100_000 }, (_, i) => `default/foo-${i}`);
const key = keys[0] as string;
/** Hashes every key once, as a cache does with real keys. */
const cached = new Map(keys.map((each) => [each, true]));

function drain(queue: { tryGet(): Work<string> | undefined }): void {
  for (let work = queue.tryGet(); work !== undefined; work = queue.tryGet()) work.done();
}

const limiter = itemExponentialFailure({ baseMs: 5, maxMs: 1_000_000 });

const operations = {
  "add+get+done": () => {
    const queue = new Queue<string>();
    for (let i = 0; i < repeats; i++) {
      queue.add(key);
      queue.tryGet()?.done();
    }
    return repeats;
  },
  "add 100,000 then drain": () => {
    const queue = new Queue<string>();
    for (const each of keys) queue.add(each);
    drain(queue);
    return keys.length;
  },
  "duplicate add": () => {
    const queue = new Queue<string>();
    for (let i = 0; i < repeats; i++) queue.add(key);
    return repeats;
  },
  "addAfter of 100,000 keys": () => {
    const queue = new DelayingQueue<string>();
    for (const each of keys) queue.addAfter(each, 3_600_000);
    queue.shutDown();
    return keys.length;
  },
  "limiter when+forget": () => {
    for (let i = 0; i < repeats; i++) {
      limiter.when(key);
      limiter.forget(key);
    }
    return repeats;
  },
} as const;

/** Operations that client-go does not have. */
const alone = {
  "by priority, add 100,000 then drain": () => {
    const queue = new Queue<string>({ order: priorityOrder() });
    for (let i = 0; i < keys.length; i++) queue.add(keys[i] as string, { priority: i % 3 });
    drain(queue);
    return keys.length;
  },
} as const;

export const run: Run = ({ log }) => {
  if (cached.size !== keys.length) throw new Error("keys must differ");
  const peer = buildPeer(log);
  const ours = new Map<string, number>();
  const theirs = new Map<string, number>();
  for (let round = 1; round <= 4; round++) {
    log(`round ${round}`);
    for (const [name, operation] of Object.entries({ ...operations, ...alone }))
      keepBest(ours, name, bestOf(operation));
    for (const [name, time] of Object.entries(peer?.() ?? {})) keepBest(theirs, name, time);
  }
  const figures: Record<string, number> = {};
  const ratios: Record<string, number> = {};
  for (const [name, time] of ours) {
    figures[`${name} (M/s)`] = 1_000 / time;
    const peers = theirs.get(name);
    if (peers === undefined) continue;
    figures[`${name}, client-go (M/s)`] = 1_000 / peers;
    ratios[`${name}: faster than client-go`] = peers / time;
  }
  return { figures, ratios };
};

/** Undefined without a Go toolchain; the figures are then ours alone. */
function buildPeer(log: (message: string) => void): (() => Record<string, number>) | undefined {
  const source = join("bench", "peers", "workqueue-go");
  const program = resolve(".cache", "bench", "workqueue-go");
  mkdirSync(dirname(program), { recursive: true });
  const built = spawnSync("go", ["build", "-o", program, "."], { cwd: source, encoding: "utf8" });
  if (built.status !== 0) {
    log(`no comparison: ${built.error?.message ?? built.stderr}`);
    return undefined;
  }
  return () => JSON.parse(spawnSync(program, { encoding: "utf8" }).stdout) as Record<string, number>;
}
