import { expect, test } from "vitest";
import { type Clock, systemClock } from "../../../base/index.js";
import { startTestServer } from "../../../testing/cluster.js";
import type { ApiServer } from "../../index.js";

/** A clock by which every phase of every write takes long, so that each pauses wherever it may. */
function slowClock(): Clock {
  let nowMs = 0;
  return { ...systemClock, monotonic: () => (nowMs += 1_000) };
}

const maps = "/api/v1/namespaces/default/configmaps";
const map = (name: string, data: object = {}): object => ({
  apiVersion: "v1",
  kind: "ConfigMap",
  metadata: { name },
  data,
});

interface Answered {
  readonly data?: object;
  readonly items?: readonly unknown[];
}

interface Sent {
  readonly method: string;
  readonly path: string;
  readonly type?: string;
  readonly body?: unknown;
}

async function send(
  server: ApiServer,
  { method, path, type = "application/json", body }: Sent,
): Promise<[number, Answered]> {
  const headers = { "content-type": type };
  const bytes = body === undefined ? {} : { body: Buffer.from(JSON.stringify(body)) };
  const answer = await server.transport()({ method, path, headers, ...bytes }, new AbortController().signal);
  return [answer.status, JSON.parse(Buffer.from(answer.body as Uint8Array).toString()) as Answered];
}

test("writes that pause in every phase lose no change of each other", async () => {
  await using server = await startTestServer({ clock: slowClock() });
  await send(server, { method: "POST", path: maps, body: map("m") });
  const keys = Array.from({ length: 15 }, (_, i) => `k${i}`);
  const answers = await Promise.all(
    keys.flatMap((key) => [
      send(server, {
        method: "PATCH",
        path: `${maps}/m`,
        type: "application/merge-patch+json",
        body: { data: { [key]: "merged" } },
      }),
      send(server, {
        method: "PATCH",
        path: `${maps}/m?fieldManager=${key}`,
        type: "application/apply-patch+yaml",
        body: map("m", { [`a-${key}`]: "applied" }),
      }),
    ]),
  );
  const [, { data = {} }] = await send(server, { method: "GET", path: `${maps}/m` });
  const kept = answers.filter(([status]) => status === 200).length;
  expect(answers.filter(([status]) => status !== 200 && status !== 409)).toEqual([]);
  expect(Object.keys(data)).toHaveLength(kept);
});

test("of many creations of one name that pause, one succeeds; a quota is kept to the last object", async () => {
  await using server = await startTestServer({ clock: slowClock() });
  const twins = await Promise.all(
    Array.from({ length: 8 }, () => send(server, { method: "POST", path: maps, body: map("one") })),
  );
  expect(twins.filter(([status]) => status === 201)).toHaveLength(1);
  expect(twins.filter(([status]) => status === 409)).toHaveLength(7);
  const [, { items = [] }] = await send(server, { method: "GET", path: maps });
  const hard = { "count/configmaps": String(items.length + 3) };
  const quota = { apiVersion: "v1", kind: "ResourceQuota", metadata: { name: "q" }, spec: { hard } };
  const quotas = "/api/v1/namespaces/default/resourcequotas";
  await send(server, { method: "POST", path: quotas, body: quota });
  await send(server, {
    method: "PUT",
    path: `${quotas}/q/status`,
    body: { ...quota, status: { hard, used: { "count/configmaps": String(items.length) } } },
  });
  const more = await Promise.all(
    Array.from({ length: 12 }, (_, i) => send(server, { method: "POST", path: maps, body: map(`more-${i}`) })),
  );
  expect(more.filter(([status]) => status === 201)).toHaveLength(3);
  expect(more.filter(([status]) => status === 403)).toHaveLength(9);
});
