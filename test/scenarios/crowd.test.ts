import { expect, test } from "vitest";
import { startTestServer } from "../../src/testing/cluster.js";
import { ask } from "../ask.js";

const full = process.env["COXSWAIN_FULL"] === "1";

const maps = "/api/v1/namespaces/default/configmaps";
const lineEnd = 10;

/** The number of events that a watch has shown once it has shown this many, or has ended. */
async function eventsOf(body: AsyncIterable<Uint8Array>, wanted: number): Promise<number> {
  let seen = 0;
  for await (const chunk of body) {
    for (let at = chunk.indexOf(lineEnd); at !== -1; at = chunk.indexOf(lineEnd, at + 1)) seen++;
    if (seen >= wanted) break;
  }
  return seen;
}

test.skipIf(!full)(
  "beside 64 writers of 30 KB objects every one of 550 watchers sees every write, and those that read late too (skipped without COXSWAIN_FULL)",
  async () => {
    await using server = await startTestServer();
    const transport = server.transport();
    const stopping = new AbortController();
    const { metadata } = await ask(server, "GET", maps);
    const path = `${maps}?watch=1&resourceVersion=${metadata.resourceVersion}`;
    const watching = Array.from({ length: 550 }, async () => {
      const { status, body } = await transport({ method: "GET", path, headers: {} }, stopping.signal);
      expect(status).toBe(200);
      return body as AsyncIterable<Uint8Array>;
    });
    const bodies = await Promise.all(watching);
    const [writers, each] = [64, 2];
    const wanted = writers * each;
    const eager = bodies.slice(50).map((body) => eventsOf(body, wanted));
    const pad = "x".repeat(30 * 1024);
    const write = async (writer: number): Promise<void> => {
      for (let i = 0; i < each; i++) {
        const made = { metadata: { name: `m-${writer}-${i}` }, data: { pad } };
        expect((await ask(server, "POST", maps, made)).code).toBe(201);
      }
    };
    await Promise.all(Array.from({ length: writers }, (_, writer) => write(writer)));
    const late = bodies.slice(0, 50).map((body) => eventsOf(body, wanted));
    const seen = await Promise.all([...eager, ...late]);
    expect(new Set(seen)).toEqual(new Set([wanted]));
    stopping.abort();
  },
  120_000,
);
