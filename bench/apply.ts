/** Compares the unchanged re-apply of a Deployment with a plain update of it, through the whole embedded server, in-process. */
import { type ApiServer, startApiServer } from "../src/apiserver/index.js";
import { median, type Run } from "./harness.js";
import { deployment } from "./samples.js";

const path = "/apis/apps/v1/namespaces/default/deployments";
const rounds = 9;
const perRound = 150;

export const run: Run = async () => {
  await using server = await startApiServer();
  const send = sender(server);
  const object = deployment();
  const applied = { ...object, status: undefined };
  const apply = `${path}/web?fieldManager=owner&force=true`;
  await send("PATCH", apply, applied, "application/apply-patch+yaml");
  const live = (await send("GET", `${path}/web`)) as {
    metadata: Record<string, unknown>;
    spec: Record<string, unknown>;
  };
  const { resourceVersion: _, managedFields: __, ...metadata } = live.metadata;
  const unversioned = { ...live, metadata };
  let count = 0;
  const times = await inTurns({
    update: () => send("PUT", `${path}/web`, unversioned),
    apply: () => send("PATCH", apply, applied, "application/apply-patch+yaml"),
    change: () => send("PUT", `${path}/web`, { ...unversioned, spec: { ...live.spec, replicas: ++count % 1_000 } }),
    "applied change": () =>
      send(
        "PATCH",
        apply,
        { ...applied, spec: { ...object.spec, replicas: ++count % 1_000 } },
        "application/apply-patch+yaml",
      ),
  });
  return {
    figures: {
      "update, unchanged (µs)": times.update,
      "apply, unchanged (µs)": times.apply,
      "update with a change (µs)": times.change,
      "apply with a change (µs)": times["applied change"],
    },
    ratios: {
      "an update's share of an apply, unchanged": times.update / times.apply,
      "an update's share of an apply, with a change": times.change / times["applied change"],
    },
  };
};

function sender(
  server: ApiServer,
): (method: string, path: string, body?: object, contentType?: string) => Promise<unknown> {
  const transport = server.transport();
  const signal = new AbortController().signal;
  return async (method, url, body, contentType = "application/json") => {
    const bytes = body === undefined ? {} : { body: Buffer.from(JSON.stringify(body)) };
    const headers = body === undefined ? {} : { "content-type": contentType };
    const response = await transport({ method, path: url, headers, ...bytes }, signal);
    const text = Buffer.from(response.body as Uint8Array).toString();
    if (response.status >= 300) throw new Error(`${method} ${url}: ${text}`);
    return JSON.parse(text);
  };
}

/** Microseconds per call of each, the median of rounds in which they take turns. */
async function inTurns<Name extends string>(
  calls: Readonly<Record<Name, () => Promise<unknown>>>,
): Promise<Record<Name, number>> {
  const entries = Object.entries(calls) as [Name, () => Promise<unknown>][];
  const samples = new Map<Name, number[]>(entries.map(([name]) => [name, []]));
  for (let round = -2; round < rounds; round++) {
    for (const [name, call] of entries) {
      const start = performance.now();
      for (let i = 0; i < perRound; i++) await call();
      if (round >= 0) samples.get(name)?.push(((performance.now() - start) * 1_000) / perRound);
    }
  }
  return Object.fromEntries([...samples].map(([name, times]) => [name, median(times)])) as Record<Name, number>;
}
