/**
 * HTTP as the client speaks it beside node:http, node:http2 and undici, each under the same client: small gets, uploads, a long
 * list and a watch, over HTTP/1.1 with and without TLS and over HTTP/2. The transports take turns in one process; the server runs in
 * another. BENCH_ITEMS sets the list's length; --only=http,https,h2 chooses.
 */
import { spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { Deployment } from "../src/api/generated/apps-v1.js";
import { ConfigMap } from "../src/api/generated/core-v1.js";
import { Client } from "../src/client/index.js";
import { median, type Report, type Run } from "./harness.js";
import { http2PeersOf, loadUndici, peersOf } from "./http/peers.js";

const items = Number(process.env["BENCH_ITEMS"] ?? 5_000);
const rounds = Number(process.env["BENCH_ROUNDS"] ?? 9);
const upload = { metadata: { name: "bench" }, data: { text: "x".repeat(900 * 1024) } };

/** Each does a batch of work. */
const work: Readonly<Record<string, (client: Client) => Promise<void>>> = {
  "small gets, 1 at a time": (client) => getMany(client, 1, 400),
  "small gets, 32 at a time": (client) => getMany(client, 32, 1_500),
  "uploads of 900 KB": async (client) => {
    for (let each = 0; each < 20; each++) await client.resource(ConfigMap, { namespace: "default" }).create(upload);
  },
  [`a list of ${items}`]: async (client) => {
    const { items: found } = await client.resource(Deployment).list();
    if (found.length !== items) throw new Error(`found ${found.length} of ${items}`);
  },
  [`a watch of ${items} events`]: async (client) => {
    let seen = 0;
    const { signal } = new AbortController();
    for await (const _ of client.resource(Deployment).watch({ resourceVersion: "0", signal })) seen++;
    if (seen !== items) throw new Error(`saw ${seen} of ${items}`);
  },
};

async function getMany(client: Client, inFlight: number, count: number): Promise<void> {
  let left = count;
  const maps = client.resource(ConfigMap, { namespace: "default" });
  const worker = async (): Promise<void> => {
    while (left-- > 0) await maps.get("bench");
  };
  await Promise.all(Array.from({ length: inFlight }, worker));
}

export const run: Run = async ({ log, only }) => {
  const figures: Record<string, number> = {};
  const ratios: Record<string, number> = {};
  const undici = loadUndici(log);
  await using server = await startServer();
  for (const [protocol, url] of Object.entries(server.urls)) {
    if (only !== undefined && !only.includes(protocol)) continue;
    const target = { server: new URL(url), ca: server.ca };
    await using peers = protocol === "h2" ? http2PeersOf(target) : peersOf(target, undici);
    const clients = new Map([...peers.transports].map(([name, transport]) => [name, new Client({ transport })]));
    for (const [title, job] of Object.entries(work)) {
      const what = `${protocol}, ${title}`;
      const samples = await takeTurns(clients, job);
      const ours = samples.get("ours") as Sample;
      for (const [name, { ms, cpuMs }] of samples) {
        figures[`${what}, ${name} (ms)`] = ms;
        figures[`${what}, ${name} (CPU ms)`] = cpuMs;
        if (name === "ours") continue;
        ratios[`${what}: time, better than ${name}`] = ms / ours.ms;
        ratios[`${what}: CPU, better than ${name}`] = cpuMs / ours.cpuMs;
      }
      log(`${what}: done`);
    }
  }
  return { figures, ratios } satisfies Report;
};

interface Sample {
  readonly ms: number;
  readonly cpuMs: number;
}

async function takeTurns(
  clients: ReadonlyMap<string, Client>,
  job: (client: Client) => Promise<void>,
): Promise<ReadonlyMap<string, Sample>> {
  const samples = new Map<string, Sample[]>([...clients.keys()].map((name) => [name, []]));
  for (let round = -2; round < rounds; round++) {
    for (const [name, client] of clients) {
      const sample = await timed(() => job(client));
      if (round >= 0) samples.get(name)?.push(sample);
    }
  }
  return new Map(
    [...samples].map(([name, all]) => [
      name,
      { ms: median(all.map(({ ms }) => ms)), cpuMs: median(all.map(({ cpuMs }) => cpuMs)) },
    ]),
  );
}

async function timed(job: () => Promise<void>): Promise<Sample> {
  const cpu = process.cpuUsage();
  const start = performance.now();
  await job();
  const ms = performance.now() - start;
  const { user, system } = process.cpuUsage(cpu);
  return { ms, cpuMs: (user + system) / 1000 };
}

interface Serving extends AsyncDisposable {
  readonly urls: Readonly<Record<string, string>>;
  readonly ca: string;
}

async function startServer(): Promise<Serving> {
  const program = fileURLToPath(new URL("./http/server.js", import.meta.url));
  const child = spawn(process.execPath, [program, `${items}`], { stdio: ["pipe", "pipe", "inherit"] });
  const { value } = await createInterface({ input: child.stdout })[Symbol.asyncIterator]().next();
  return {
    ...(JSON.parse(String(value)) as Omit<Serving, keyof AsyncDisposable>),
    async [Symbol.asyncDispose]() {
      const ended = new Promise((settle) => child.once("close", settle));
      child.stdin.end();
      await ended;
    },
  };
}
