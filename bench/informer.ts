/**
 * Compares informers with others, in one run: a canned server streams 10,000 pods of 4.35 KB, then 50,000 changes.
 * Client-go is built if a Go toolchain is found, kube-rs if cargo is, @kubernetes/client-node is installed on demand;
 * without them the figures are ours alone.
 */
import { type ChildProcess, fork, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync } from "node:fs";
import { join, resolve } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { median, type Run } from "./harness.js";

interface Result {
  readonly objectsPerSecond: number;
  readonly eventsPerSecond: number;
  /** Depends less on the machine's load than the rates do. */
  readonly cpuMicrosPerObject: number;
  readonly cpuMicrosPerEvent: number;
  readonly bytesPerObject: number;
  readonly rssMegabytes: number;
  readonly peakToSteady?: number;
  readonly stallMs?: number;
}

const objects = 10_000;
const events = 50_000;
const cache = resolve(".cache", "bench");
const here = (name: string): string => fileURLToPath(new URL(name, import.meta.url));

export const run: Run = async ({ log, only }) => {
  mkdirSync(cache, { recursive: true });
  const results = new Map<string, Result>();
  const isWanted = (name: string): boolean => only === undefined || only.some((part) => name.includes(part));
  const measure = async (name: string, work: () => Promise<Result>, rounds = 1): Promise<void> => {
    if (!isWanted(name)) return;
    const measured: Result[] = [];
    for (let round = 0; round < rounds; round++) measured.push(await work());
    const result = medianOf(measured);
    results.set(name, result);
    log(
      `${name}: ${Object.entries(result)
        .map(([label, value]) => `${label} ${Math.round(value * 10) / 10}`)
        .join(", ")}`,
    );
  };
  await using small = await cannedServer(objects, events);
  const ours = (...args: readonly (string | number)[]) => oursOn(small.url, [objects, events, ...args]);
  // the server's first answer is slower than all others
  await oursOn(small.url, [objects, 0]);
  await measure("ours", () => ours(), 3);
  await measure("ours, listing", () => ours(1, "metadata", "list"));
  await measure("ours, reading everything", () => ours(1, "everything"));
  await measure("ours, 10 handlers", () => ours(10));
  await measure("ours, 100 handlers", () => ours(100));
  const go = isWanted("client-go protobuf") || isWanted("client-go JSON") ? buildGoPeer(log) : undefined;
  if (go !== undefined) {
    await measure("client-go protobuf", () => goProtobuf(go, small.url), 3);
    await measure("client-go JSON", () => output(spawn(go, [small.url, `${objects}`, `${events}`, "json"])));
    await measure("client-go dynamic", () => output(spawn(go, [small.url, `${objects}`, `${events}`, "dynamic"])));
  }
  const rust = isWanted("kube-rs") ? buildRustPeer(log) : undefined;
  if (rust !== undefined) {
    const args = [small.url, `${objects}`, `${events}`];
    await measure("kube-rs", () => output(spawn(rust, args, { stdio: ["ignore", "pipe", "inherit"] })), 3);
  }
  const node = isWanted("client-node") ? installNodePeer(log) : undefined;
  if (node !== undefined) {
    const program = resolve("bench", "peers", "informer-node", "main.mjs");
    const args = ["--expose-gc", program, small.url, `${objects}`, `${events}`];
    await measure("client-node", () =>
      output(spawn(process.execPath, args, { cwd: node, stdio: ["ignore", "pipe", "inherit"] })),
    );
  }
  const many = "ours, 100,000 objects";
  if (isWanted(`${many}, listing`)) {
    await using large = await cannedServer(100_000, 0);
    await measure(many, () => oursOn(large.url, [100_000, 0]));
    await measure(`${many}, listing`, () => oursOn(large.url, [100_000, 0, 1, "metadata", "list"]));
  }
  log(`\n${table(results)}`);
  return report(results);
};

/** The median of each field by itself, so that one disturbance does not affect all. */
function medianOf(results: readonly Result[]): Result {
  const [first] = results;
  if (first === undefined) throw new Error("nothing was measured");
  const fields = Object.keys(first) as (keyof Result)[];
  return Object.fromEntries(
    fields.map((field) => [field, median(results.map((result) => result[field] ?? 0))]),
  ) as unknown as Result;
}

const columns: readonly (readonly [title: string, keyof Result, factor: number])[] = [
  ["objects/s", "objectsPerSecond", 1],
  ["events/s", "eventsPerSecond", 1],
  ["KB/object", "bytesPerObject", 1 / 1024],
  ["RSS MB", "rssMegabytes", 1],
  ["peak/steady", "peakToSteady", 1],
  ["stall ms", "stallMs", 1],
];

/** The rows side by side, for people. */
function table(results: ReadonlyMap<string, Result>): string {
  const rows = [...results].map(([name, result]) => [
    name,
    ...columns.map(([, field, factor]) => {
      const value = (result[field] ?? 0) * factor;
      return value === 0 ? "–" : value.toLocaleString("en", { maximumFractionDigits: value < 100 ? 2 : 0 });
    }),
  ]);
  const all = [["", ...columns.map(([title]) => title)], ...rows];
  const widths = all[0]?.map((_, column) => Math.max(...all.map((row) => row[column]?.length ?? 0))) ?? [];
  return all
    .map((row) =>
      row.map((cell, i) => (i === 0 ? cell.padEnd(widths[i] ?? 0) : cell.padStart(widths[i] ?? 0))).join("  "),
    )
    .join("\n");
}

function report(results: ReadonlyMap<string, Result>): {
  figures: Record<string, number>;
  ratios: Record<string, number>;
} {
  const figures: Record<string, number> = {};
  const ratios: Record<string, number> = {};
  const mine = results.get("ours");
  for (const [name, result] of results) {
    figures[`${name}: objects synced (1/s)`] = result.objectsPerSecond;
    if (result.eventsPerSecond > 0) figures[`${name}: events (1/s)`] = result.eventsPerSecond;
    figures[`${name}: CPU per object synced (µs)`] = result.cpuMicrosPerObject;
    if (result.eventsPerSecond > 0) figures[`${name}: CPU per event (µs)`] = result.cpuMicrosPerEvent;
    figures[`${name}: heap per object (KB)`] = result.bytesPerObject / 1024;
    figures[`${name}: RSS after sync (MB)`] = result.rssMegabytes;
    if (result.peakToSteady !== undefined) figures[`${name}: peak heap to steady heap`] = result.peakToSteady;
    if (result.stallMs !== undefined) figures[`${name}: longest stall of the loop (ms)`] = result.stallMs;
    if (mine === undefined || name.startsWith("ours")) continue;
    ratios[`objects synced: faster than ${name}`] = mine.objectsPerSecond / result.objectsPerSecond;
    ratios[`events: faster than ${name}`] = mine.eventsPerSecond / result.eventsPerSecond;
    ratios[`CPU per object: less than ${name}`] = result.cpuMicrosPerObject / mine.cpuMicrosPerObject;
    ratios[`CPU per event: less than ${name}`] = result.cpuMicrosPerEvent / mine.cpuMicrosPerEvent;
    ratios[`heap per object: less than ${name}`] = result.bytesPerObject / mine.bytesPerObject;
  }
  return { figures, ratios };
}

async function cannedServer(count: number, changes: number): Promise<{ readonly url: string } & AsyncDisposable> {
  const child = fork(here("./informer/server.js"), [`${count}`, `${changes}`], {
    stdio: ["ignore", "pipe", "inherit", "ipc"],
    execArgv: ["--max-old-space-size=8192"],
  });
  const url = `http://127.0.0.1:${await firstLine(child)}`;
  return {
    url,
    async [Symbol.asyncDispose]() {
      child.disconnect();
      await once(child, "exit");
    },
  };
}

/** Peak and stalls come from a run of their own, because watching for them slows the other figures down. */
async function oursOn(url: string, args: readonly (string | number)[]): Promise<Result> {
  const run = (...more: readonly string[]): Promise<Result> => {
    const program = [here("./informer/ours.js"), url, ...args.map(String), ...more];
    return output(spawn(process.execPath, ["--expose-gc", ...program], { stdio: ["ignore", "pipe", "inherit"] }));
  };
  return { ...(await run("watched")), ...(await run()) };
}

async function goProtobuf(go: string, url: string): Promise<Result> {
  const serving = spawn(go, [url, `${objects}`, `${events}`, "serve-protobuf"], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  try {
    const local = `http://127.0.0.1:${await firstLine(serving)}`;
    return await output(
      spawn(go, [local, `${objects}`, `${events}`, "protobuf"], { stdio: ["ignore", "pipe", "inherit"] }),
    );
  } finally {
    serving.kill();
  }
}

async function firstLine(child: ChildProcess): Promise<string> {
  if (child.stdout === null) throw new Error("the child's output is not piped");
  for await (const line of createInterface({ input: child.stdout })) return line;
  throw new Error("the child ended without a word");
}

async function output(child: ChildProcess): Promise<Result> {
  return JSON.parse(await firstLine(child)) as Result;
}

function buildGoPeer(log: (message: string) => void): string | undefined {
  const program = join(cache, "informer-go");
  const cwd = join("bench", "peers", "informer-go");
  const built = spawnSync("go", ["build", "-o", program, "."], { cwd, encoding: "utf8" });
  if (built.status === 0) return program;
  log(`no comparison with client-go: ${built.error?.message ?? built.stderr}`);
  return undefined;
}

function buildRustPeer(log: (message: string) => void): string | undefined {
  const target = join(cache, "informer-rs");
  const cwd = join("bench", "peers", "informer-rs");
  const built = spawnSync("cargo", ["build", "--release", "--quiet", "--target-dir", target], {
    cwd,
    encoding: "utf8",
  });
  if (built.status === 0) return join(target, "release", "informer-rs");
  log(`no comparison with kube-rs: ${built.error?.message ?? built.stderr}`);
  return undefined;
}

/** The folder in which the package is installed. */
function installNodePeer(log: (message: string) => void): string | undefined {
  const folder = join(cache, "client-node-1.4");
  mkdirSync(folder, { recursive: true });
  if (existsSync(join(folder, "node_modules", "@kubernetes", "client-node"))) return folder;
  const args = ["install", "--no-save", "--no-package-lock", "--prefix", folder, "@kubernetes/client-node@1.4.0"];
  const installed = spawnSync("npm", args, { cwd: folder, encoding: "utf8" });
  if (installed.status === 0) return folder;
  log(`no comparison with client-node: ${installed.error?.message ?? installed.stderr}`);
  return undefined;
}
