import { describe, expect, test } from "vitest";
import { ConfigMap } from "../../api/index.js";
import { FakeClock, type HttpRequest, type Transport } from "../../base/index.js";
import { Client } from "../../client/index.js";
import { SharedInformerFactory } from "../factory.js";

/** A server that says what it is told, chunk by chunk, and then nothing more until it is left. */
function canned(...chunks: readonly string[]): { readonly transport: Transport; readonly requests: HttpRequest[] } {
  const requests: HttpRequest[] = [];
  const transport: Transport = async (request, signal) => {
    requests.push(request);
    return {
      status: 200,
      headers: { "content-type": "application/json" },
      body: (async function* () {
        for (const chunk of chunks) {
          yield Buffer.from(chunk);
          await new Promise((resolve) => setImmediate(resolve));
        }
        await new Promise((_, reject) => signal.addEventListener("abort", () => reject(signal.reason as Error)));
      })(),
    };
  };
  return { transport, requests };
}

const map = (name: string, revision: number, rest = '"data":{"k":"v"}'): string =>
  `{"kind":"ConfigMap","apiVersion":"v1","metadata":{"name":"${name}","namespace":"n","resourceVersion":"${revision}","managedFields":[{"manager":"m"}]},${rest}}`;
const event = (type: string, object: string): string => `{"type":"${type}","object":${object}}\n`;
const end =
  '{"type":"BOOKMARK","object":{"kind":"ConfigMap","apiVersion":"v1","metadata":{"resourceVersion":"9","annotations":{"k8s.io/initial-events-end":"true"}}}}\n';

async function cachedFrom(body: string) {
  const { transport, requests } = canned(body);
  const clock = new FakeClock();
  const factory = new SharedInformerFactory(new Client({ transport, clock }), { clock, namespace: "n" });
  const informer = factory.informer(ConfigMap);
  const running = factory.start();
  for (let turn = 0; turn < 5; turn++) await clock.advance(0);
  await running[Symbol.asyncDispose]();
  return { informer, requests };
}

describe("a list-watch from a client", () => {
  test("asks for the initial objects as a stream, and caches them without managedFields", async () => {
    const { informer, requests } = await cachedFrom(event("ADDED", map("a", 5)) + end);
    expect(requests[0]?.path).toMatch(/^\/api\/v1\/namespaces\/n\/configmaps\?/);
    expect(Object.fromEntries(new URL(requests[0]?.path ?? "", "http://x").searchParams)).toMatchObject({
      watch: "true",
      sendInitialEvents: "true",
      resourceVersionMatch: "NotOlderThan",
      allowWatchBookmarks: "true",
    });
    expect(informer.indexer.list()).toEqual([
      {
        kind: "ConfigMap",
        apiVersion: "v1",
        metadata: { name: "a", namespace: "n", resourceVersion: "5" },
        data: { k: "v" },
      },
    ]);
    expect(informer.lastStoreSyncResourceVersion).toBe("9");
  });

  test("one bad object is skipped, and neither ends the stream nor keeps the others out", async () => {
    const bad = map("bad", 6, '"data":{"k":}');
    const { informer, requests } = await cachedFrom(
      event("ADDED", map("a", 5)) + event("ADDED", bad) + end + event("MODIFIED", bad) + event("ADDED", map("b", 10)),
    );
    expect(informer.indexer.listKeys().sort()).toEqual(["n/a", "n/b"]);
    expect(requests).toHaveLength(1);
    expect(informer.hasSynced).toBe(true);
  });

  test("an object that comes again at the revision that is cached stays the same object", async () => {
    const { transport } = canned(event("ADDED", map("a", 5)) + end, event("MODIFIED", map("a", 5)));
    const clock = new FakeClock();
    const factory = new SharedInformerFactory(new Client({ transport, clock }), { clock });
    const pairs: boolean[] = [];
    factory.informer(ConfigMap).addEventHandler({ onUpdate: (old, now) => void pairs.push(old === now) });
    const running = factory.start();
    for (let turn = 0; turn < 5; turn++) await clock.advance(0);
    await running[Symbol.asyncDispose]();
    expect(pairs).toEqual([true]);
  });
});
