import { expect, test } from "vitest";
import { FakeClock } from "../../../base/index.js";
import type { ApiServer } from "../../index.js";
import { startTestServer } from "../../../testing/cluster.js";

const path = "/api/v1/namespaces/default/configmaps";
const { signal } = new AbortController();

interface Answer {
  readonly status: number;
  // oxlint-disable-next-line typescript/no-explicit-any -- tests look at whatever the server says
  readonly body: any;
}

async function ask(
  server: ApiServer,
  method: string,
  target: string,
  body?: object,
  type = "application/json",
): Promise<Answer> {
  const sent = body === undefined ? {} : { body: Buffer.from(JSON.stringify(body)) };
  const response = await server.transport()(
    { method, path: target, headers: { "content-type": type }, ...sent },
    signal,
  );
  const chunks: Uint8Array[] = [];
  if (response.body instanceof Uint8Array) chunks.push(response.body);
  else for await (const chunk of response.body) chunks.push(chunk);
  return { status: response.status, body: JSON.parse(Buffer.concat(chunks).toString()) };
}

const map = (name: string, labels: object = {}): object => ({
  apiVersion: "v1",
  kind: "ConfigMap",
  metadata: { name, labels },
});
const names = ({ body }: Answer): readonly string[] =>
  body.items.map((item: { metadata: { name: string } }) => item.metadata.name);

async function withMaps(server: ApiServer, count: number): Promise<void> {
  for (let i = 0; i < count; i++) await ask(server, "POST", path, map(`m${i}`));
}

test("pages show one revision, whatever is written between them", async () => {
  await using server = await startTestServer({ clock: new FakeClock() });
  await withMaps(server, 5);
  const first = await ask(server, "GET", `${path}?limit=2`);
  await ask(server, "DELETE", `${path}/m3`);
  await ask(server, "POST", path, map("m25"));
  const second = await ask(server, "GET", `${path}?limit=2&continue=${first.body.metadata.continue}`);
  const third = await ask(server, "GET", `${path}?limit=2&continue=${second.body.metadata.continue}`);
  expect([names(first), names(second), names(third)]).toEqual([["m0", "m1"], ["m2", "m3"], ["m4"]]);
  expect([first.body.metadata.remainingItemCount, second.body.metadata.remainingItemCount]).toEqual([3, 1]);
  expect(third.body.metadata).toEqual({ resourceVersion: first.body.metadata.resourceVersion });
});

test("a token whose revision is forgotten is answered with 410 and one that goes on from now", async () => {
  await using server = await startTestServer({ clock: new FakeClock() });
  await withMaps(server, 3);
  const first = await ask(server, "GET", `${path}?limit=1`);
  await ask(server, "POST", path, map("m9"));
  server.store.compact(server.store.revision);
  const expired = await ask(server, "GET", `${path}?limit=1&continue=${first.body.metadata.continue}`);
  expect([expired.status, expired.body.reason]).toEqual([410, "Expired"]);
  const rest = await ask(server, "GET", `${path}?continue=${expired.body.metadata.continue}`);
  expect(names(rest)).toEqual(["m1", "m2", "m9"]);
});

test("a revision of the future is waited for, and then told to be too large", async () => {
  const clock = new FakeClock();
  await using server = await startTestServer({ clock });
  const target = `${path}?resourceVersion=${server.store.revision + 1}&resourceVersionMatch=NotOlderThan`;
  const waiting = ask(server, "GET", target);
  await clock.advance(100);
  await withMaps(server, 1);
  await clock.advance(100);
  expect(names(await waiting)).toEqual(["m0"]);
  const tooFar = ask(server, "GET", `${path}?resourceVersion=999&resourceVersionMatch=NotOlderThan`);
  await clock.advance(4000);
  expect(await tooFar).toMatchObject({
    status: 504,
    body: { details: { causes: [{ reason: "ResourceVersionTooLarge" }] } },
  });
});

/** Reads a watch line by line until it ends or enough came. */
async function watchLines(
  server: ApiServer,
  target: string,
  enough: number,
  during: () => Promise<unknown>,
): Promise<readonly string[]> {
  const stop = new AbortController();
  const response = await server.transport()({ method: "GET", path: target, headers: {} }, stop.signal);
  const lines: string[] = [];
  let rest = "";
  const working = during();
  for await (const chunk of response.body as AsyncIterable<Uint8Array>) {
    const whole = (rest + Buffer.from(chunk).toString()).split("\n");
    rest = whole.pop() ?? "";
    for (const line of whole) {
      const { type, object } = JSON.parse(line) as {
        type: string;
        object: { code?: number; metadata: { name?: string; resourceVersion?: string } };
      };
      lines.push(`${type} ${object.code ?? object.metadata.name ?? object.metadata.resourceVersion}`);
    }
    if (lines.length >= enough) break;
  }
  await working;
  stop.abort();
  return lines;
}

test("an object that enters or leaves the selection is shown as added or deleted", async () => {
  await using server = await startTestServer({ clock: new FakeClock() });
  await ask(server, "POST", path, map("a", { app: "x" }));
  const patch = (labels: object): Promise<Answer> =>
    ask(server, "PATCH", `${path}/a`, { metadata: { labels } }, "application/merge-patch+json");
  const target = `${path}?watch=1&labelSelector=app%3Dx&resourceVersion=${server.store.revision}`;
  const lines = await watchLines(server, target, 4, async () => {
    await patch({ other: "1" });
    await patch({ app: "y" });
    await patch({ other: "2" });
    await patch({ app: "x" });
    await ask(server, "DELETE", `${path}/a`);
  });
  expect(lines.slice(0, 4)).toEqual(["MODIFIED a", "DELETED a", "ADDED a", "DELETED a"]);
});

test("too old ⇒ 410 in-stream, and the watch ends", async () => {
  await using server = await startTestServer({ clock: new FakeClock() });
  await withMaps(server, 3);
  server.store.compact(server.store.revision);
  expect(await watchLines(server, `${path}?watch=1&resourceVersion=1`, 9, async () => {})).toEqual(["ERROR 410"]);
});

test("a bookmark's revision is never ahead of what was delivered; one comes every minute and shortly before the end", async () => {
  const clock = new FakeClock();
  await using server = await startTestServer({ clock });
  const start = server.store.revision;
  const target = `${path}?watch=1&allowWatchBookmarks=true&timeoutSeconds=100&resourceVersion=${start}`;
  const lines = await watchLines(server, target, 9, async () => {
    await withMaps(server, 1);
    await clock.advance(101_000);
  });
  expect(lines).toEqual(["ADDED m0", `BOOKMARK ${start + 1}`, `BOOKMARK ${start + 1}`]);
});

const turns = async (): Promise<void> => {
  for (let i = 0; i < 8; i++) await new Promise<void>((resolve) => setImmediate(resolve));
};

const large = (name: string): object => ({ ...map(name), data: { x: "y".repeat(400_000) } });

test("a watch that has much to catch up on gets all of it, as it reads", async () => {
  await using server = await startTestServer({ clock: new FakeClock() });
  const from = server.store.revision;
  const all = Array.from({ length: 45 }, (_, i) => `ADDED m${i}`);
  for (let i = 0; i < 45; i++) await ask(server, "POST", path, large(`m${i}`));
  expect(await watchLines(server, `${path}?watch=1&resourceVersion=${from}`, 45, async () => {})).toEqual(all);
});

/** Opens a watch without reading it; `rest` reads it to its end. */
async function openWatch(server: ApiServer, target: string): Promise<{ rest(): Promise<readonly string[]> }> {
  const response = await server.transport()({ method: "GET", path: target, headers: {} }, signal);
  return {
    async rest() {
      const chunks: Uint8Array[] = [];
      for await (const chunk of response.body as AsyncIterable<Uint8Array>) chunks.push(chunk);
      const lines = Buffer.concat(chunks).toString().trimEnd().split("\n");
      return lines.map((line) => {
        const { type, object } = JSON.parse(line) as { type: string; object: { code?: number; data?: { n?: string } } };
        return `${type} ${object.code ?? object.data?.n}`;
      });
    },
  };
}

async function rewrite(server: ApiServer, times: number): Promise<void> {
  for (let i = 0; i < times; i++) {
    await ask(server, "PATCH", `${path}/big`, { data: { n: String(i) } }, "application/merge-patch+json");
    await turns();
  }
}

test("a reader that pauses misses nothing, though the store would keep less", async () => {
  const clock = new FakeClock();
  await using server = await startTestServer({ clock });
  const from = server.store.revision;
  const slow = await openWatch(server, `${path}?watch=1&timeoutSeconds=50&resourceVersion=${from}`);
  await ask(server, "POST", path, large("big"));
  await rewrite(server, 60);
  expect(server.store.compacted).toBe(from + 1);
  const reading = slow.rest();
  // all that is left is read before time goes on
  for (let i = 0; i < 60; i++) await turns();
  await clock.advance(50_000);
  expect(await reading).toEqual(["ADDED undefined", ...Array.from({ length: 60 }, (_, i) => `MODIFIED ${i}`)]);
});

test("a reader that has not read for a minute is told 410 when its history goes, and holds nobody's memory", async () => {
  const clock = new FakeClock();
  await using server = await startTestServer({ clock });
  const slow = await openWatch(server, `${path}?watch=1&resourceVersion=${server.store.revision}`);
  await ask(server, "POST", path, large("big"));
  await rewrite(server, 30);
  await clock.advance(61_000);
  await rewrite(server, 30);
  expect(server.store.revision - server.store.compacted).toBeLessThan(45);
  expect(await slow.rest()).toEqual(["ADDED undefined", "ERROR 410"]);
});
