/** The measured work on a server: the same for ours and for a real one. */
import { Agent, request } from "node:https";

export interface Access {
  readonly url: string;
  /** PEM. */
  readonly ca: string;
  readonly token?: string;
  readonly client?: { readonly cert: string; readonly key: string };
}

export interface Load {
  readonly startMs: number;
  readonly createOnePerSecond: number;
  readonly createOneMedianMs: number;
  readonly create32PerSecond: number;
  readonly getPerSecond: number;
  readonly get32PerSecond: number;
  readonly listAllMs: number;
  readonly listPageMs: number;
  readonly patchPerSecond: number;
  readonly fanOutEventsPerSecond: number;
  readonly rssMb: number;
}

export interface LoadOptions {
  readonly objects: number;
  readonly watchers: number;
  log(text: string): void;
}

export const path = "/api/v1/namespaces/default/configmaps";

export interface Http {
  send(method: string, target: string, body?: object, type?: string): Promise<Buffer>;
  watch(target: string, onChunk: (chunk: Buffer) => void): Promise<() => void>;
  close(): void;
}

export function httpOn({ url, ca, token, client }: Access): Http {
  const agent = new Agent({ keepAlive: true, maxSockets: Number.POSITIVE_INFINITY, ca, ...client });
  const { hostname, port } = new URL(url);
  const base = { host: hostname, port, agent };
  const auth: Record<string, string> = token === undefined ? {} : { authorization: `Bearer ${token}` };
  return {
    send: (method, target, body, type = "application/json") =>
      new Promise((resolve, reject) => {
        const bytes = body === undefined ? undefined : Buffer.from(JSON.stringify(body));
        const headers = {
          ...auth,
          ...(bytes === undefined ? {} : { "content-type": type, "content-length": bytes.length }),
        };
        const sent = request({ ...base, method, path: target, headers }, (response) => {
          const chunks: Buffer[] = [];
          response.on("data", (chunk: Buffer) => chunks.push(chunk));
          response.on("end", () => {
            const answer = Buffer.concat(chunks);
            if ((response.statusCode ?? 500) < 300) resolve(answer);
            else reject(new Error(`${method} ${target}: ${response.statusCode} ${answer.toString().slice(0, 300)}`));
          });
        });
        sent.on("error", reject);
        sent.end(bytes);
      }),
    watch: (target, onChunk) =>
      new Promise((resolve, reject) => {
        const sent = request({ ...base, method: "GET", path: target, headers: auth }, (response) => {
          response.on("data", onChunk);
          response.on("error", () => {});
          resolve(() => response.destroy());
        });
        sent.on("error", reject);
        sent.end();
      }),
    close: () => agent.destroy(),
  };
}

export const configMap = (name: string): object => ({
  apiVersion: "v1",
  kind: "ConfigMap",
  metadata: { name, labels: { app: `a${name.length}` } },
  data: { x: "y".repeat(850) },
});

const median = (values: readonly number[]): number =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] as number;

export async function rate(count: number, inFlight: number, once: (i: number) => Promise<unknown>): Promise<number> {
  let next = 0;
  const began = performance.now();
  await Promise.all(
    Array.from({ length: inFlight }, async () => {
      while (next < count) await once(next++);
    }),
  );
  return (count / (performance.now() - began)) * 1000;
}

export async function loadOn(access: Access, { objects, watchers, log }: LoadOptions): Promise<Load> {
  const http = httpOn(access);
  try {
    // the first thousand warm both sides up
    await rate(1000, 8, (i) => http.send("POST", path, configMap(`warm-${i}`)));
    const times: number[] = [];
    const createOne = await rate(1000, 1, async (i) => {
      const began = performance.now();
      await http.send("POST", path, configMap(`one-${i}`));
      times.push(performance.now() - began);
    });
    log("created one by one");
    const create32 = await rate(Math.max(objects - 2000, 1000), 32, (i) =>
      http.send("POST", path, configMap(`many-${i}`)),
    );
    log("created 32 at a time");
    const get = await rate(2000, 1, (i) => http.send("GET", `${path}/many-${i % 1000}`));
    const get32 = await rate(8000, 32, (i) => http.send("GET", `${path}/many-${i % 1000}`));
    const patch = await rate(1000, 1, (i) =>
      http.send("PATCH", `${path}/one-${i}`, { data: { z: String(i) } }, "application/merge-patch+json"),
    );
    const lists = await timed(5, () => http.send("GET", path));
    const pages = await timed(20, () => http.send("GET", `${path}?limit=500`));
    log("read and listed");
    const fanOut = await fanOutRate(http, watchers, access);
    return {
      startMs: 0,
      createOnePerSecond: createOne,
      createOneMedianMs: median(times),
      create32PerSecond: create32,
      getPerSecond: get,
      get32PerSecond: get32,
      patchPerSecond: patch,
      listAllMs: lists,
      listPageMs: pages,
      fanOutEventsPerSecond: fanOut,
      rssMb: 0,
    };
  } finally {
    http.close();
  }
}

async function timed(times: number, once: () => Promise<unknown>): Promise<number> {
  const taken: number[] = [];
  for (let i = 0; i < times; i++) {
    const began = performance.now();
    await once();
    taken.push(performance.now() - began);
  }
  return median(taken);
}

const newline = 10;

/** Events delivered per second while writers keep the server busy, counted by their line ends. */
async function fanOutRate(http: Http, watchers: number, access: Access): Promise<number> {
  const writes = 1000;
  const { metadata } = JSON.parse((await http.send("GET", `${path}?limit=1`)).toString()) as {
    metadata: { resourceVersion: string };
  };
  let seen = 0;
  let done = (): void => {};
  const all = new Promise<void>((resolve) => {
    done = resolve;
  });
  const expected = writes * watchers;
  const watching = httpOn(access);
  const stops: (() => void)[] = [];
  for (let i = 0; i < watchers; i++) {
    const target = `${path}?watch=1&resourceVersion=${metadata.resourceVersion}&labelSelector=fan`;
    stops.push(
      await watching.watch(target, (chunk) => {
        for (let at = chunk.indexOf(newline); at !== -1; at = chunk.indexOf(newline, at + 1)) seen++;
        if (seen >= expected) done();
      }),
    );
  }
  const object = {
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata: { labels: { fan: "out" } },
    data: { x: "y".repeat(850) },
  };
  const began = performance.now();
  await rate(writes, 32, (i) =>
    http.send("POST", path, { ...object, metadata: { ...object.metadata, name: `fan-${i}` } }),
  );
  await all;
  const events = (expected / (performance.now() - began)) * 1000;
  for (const stop of stops) stop();
  watching.close();
  return events;
}
