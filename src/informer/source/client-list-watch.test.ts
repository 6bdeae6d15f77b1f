import { describe, expect, test } from "vitest";
import { ConfigMap } from "../../api/index.js";
import { FakeClock, type HttpRequest, type Transport } from "../../base/index.js";
import { Client } from "../../client/index.js";
import { type FactoryOptions, SharedInformerFactory } from "../factory.js";
import { type InformerOptions, SharedIndexInformer } from "../shared-informer.js";
import { cacheDecoder, listWatchOf } from "./client-list-watch.js";

/** A server that sends the given chunks, and then nothing more until the client leaves. */
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

async function cachedFrom(body: string, options: FactoryOptions = {}) {
  const { transport, requests } = canned(body);
  const clock = new FakeClock();
  const factory = new SharedInformerFactory(new Client({ transport, clock }), { clock, namespace: "n", ...options });
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

describe("objects that are decoded late", () => {
  /** A cache that was filled by a stream of one object, with these options. */
  async function cachedWith(options: Partial<InformerOptions<ConfigMap>>) {
    const { transport } = canned(
      event("ADDED", map("a", 5)) + end,
      event("MODIFIED", map("a", 10, '"data":{"k":"w"}')),
    );
    const clock = new FakeClock();
    const source = listWatchOf(new Client({ transport, clock }), ConfigMap, { decode: cacheDecoder(ConfigMap) });
    const informer = new SharedIndexInformer<ConfigMap>({ source, clock, ...options });
    const running = informer.start();
    for (let turn = 0; turn < 8; turn++) await clock.advance(0);
    await clock.advance(1000);
    await running[Symbol.asyncDispose]();
    return informer.indexer.get("n/a");
  }

  test("a transform may change them in place", async () => {
    const cached = await cachedWith({
      transform(object) {
        const draft = object as { data?: unknown; metadata: { labels?: Record<string, string> } };
        delete draft.data;
        draft.metadata.labels = { seen: "yes" };
        return object;
      },
    });
    expect(cached).toEqual({
      kind: "ConfigMap",
      apiVersion: "v1",
      metadata: { name: "a", namespace: "n", resourceVersion: "10", labels: { seen: "yes" } },
    });
    expect(JSON.parse(JSON.stringify(cached))).toEqual(cached);
  });
});

describe("labels of objects that are alike", () => {
  const labelled = (name: string): string =>
    map(name, 5).replace('"managedFields"', '"labels":{"app":"web"},"managedFields"');
  const alike = ["a-1", "a-2", "a-3"].map((name) => event("ADDED", labelled(name))).join("") + end;
  async function labelsWith(options: FactoryOptions): Promise<readonly (object | undefined)[]> {
    const { informer } = await cachedFrom(alike, options);
    return ["n/a-2", "n/a-3"].map((key) => informer.indexer.get(key)?.metadata.labels);
  }

  test("are one in a cache, and frozen: whoever changes what it must not fails, and harms no other", async () => {
    const [second, third] = await labelsWith({});
    expect(second).toEqual({ app: "web" });
    expect(third).toBe(second);
    expect(Object.isFrozen(second)).toBe(true);
  });

  test("are each their own where a transform may change them", async () => {
    const [second, third] = await labelsWith({ transform: (object) => object, freeze: false });
    expect(third).toEqual(second);
    expect(third).not.toBe(second);
    expect(Object.isFrozen(second)).toBe(false);
  });
});
