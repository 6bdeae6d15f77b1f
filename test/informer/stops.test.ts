/** Stopping at any moment: it ends soon, there are no requests or events afterwards, and nothing stays open. */
import { describe, expect, test } from "vitest";
import { newExpired, newForbidden, newInternalError, newTooManyRequests } from "../../src/api/index.js";
import { FakeClock } from "../../src/base/index.js";
import { SharedIndexInformer } from "../../src/informer/index.js";
import { bookmarkAt, ModelServer, type Thing } from "./model-server.js";

/**
 * The number of moments at which an informer is stopped: after 0, 1, 2, … microtasks, each of which may be a place
 * where it waits.
 */
const moments = 90;

interface Scene {
  readonly server?: ModelServer;
  readonly prepare?: (server: ModelServer) => void;
  /** Happens once the informer runs, before microtasks are counted. */
  readonly then?: (server: ModelServer, clock: FakeClock) => Promise<void> | void;
}

const puts = (count: number) => (server: ModelServer) => {
  for (let i = 0; i < count; i++) server.put(`t${i}`);
};

const never = <T>(): Promise<T> => new Promise<T>(() => {});

const scenes: Readonly<Record<string, () => Scene>> = {
  "while it streams the first list": () => ({ prepare: puts(3) }),
  "while it lists": () => ({ server: new ModelServer({ supportsWatchList: false }), prepare: puts(3) }),
  "while it lists page by page": () => ({
    server: new ModelServer({ supportsWatchList: false, pages: true }),
    prepare: puts(1100),
  }),
  "while a long list comes into the cache": () => ({ prepare: puts(700) }),
  "while it falls back from streaming to listing": () => ({
    prepare(server) {
      puts(2)(server);
      server.refuse = ({ options }) =>
        "sendInitialEvents" in options ? newForbidden({ group: "", resource: "things" }, "", "no") : undefined;
    },
  }),
  "while events come": () => ({
    prepare: puts(2),
    async then(server, clock) {
      await clock.advance(0);
      for (let i = 0; i < 5; i++) server.put(`new${i}`);
      server.bookmark();
      server.remove("t0");
    },
  }),
  "while the watch ends and is opened again": () => ({
    prepare: puts(2),
    async then(server, clock) {
      await clock.advance(2000);
      server.cut();
      server.put("late");
    },
  }),
  "while it waits after 429": () => ({
    prepare: (server) => (server.refuse = () => newTooManyRequests("later", 1)),
  }),
  "while it waits after a failed list": () => ({
    server: new ModelServer({ supportsWatchList: false }),
    prepare: (server) => (server.refuse = () => newInternalError("down")),
  }),
  "while it waits after 410, and lists anew": () => ({
    prepare: puts(2),
    async then(server, clock) {
      await clock.advance(2000);
      server.cut(newExpired("old"));
      await clock.advance(0);
      void clock.advance(800);
    },
  }),
  "while a list is answered that never comes": () => ({
    server: new ModelServer({ supportsWatchList: false }),
    prepare: (server) => (server.list = never),
  }),
  "while a watch is opened that never is": () => ({ prepare: (server) => (server.watch = never) }),
  "while it is two batches behind": () => ({
    async then(server, clock) {
      await clock.advance(0);
      const open = server.open[0];
      for (let i = 0; i < 2500; i++) open?.send(bookmarkAt(200 + i));
    },
  }),
};

describe("an informer that is stopped at any moment", () => {
  for (const [when, scene] of Object.entries(scenes))
    test(when, async () => {
      for (let moment = 0; moment < moments; moment++) {
        const { server = new ModelServer(), prepare, then } = scene();
        prepare?.(server);
        const clock = new FakeClock();
        const informer = new SharedIndexInformer<Thing>({ source: server, clock, resyncPeriodMs: 30_000 });
        let calls = 0;
        const slow = async (): Promise<void> => {
          calls += 1;
          await Promise.resolve();
        };
        informer.addEventHandler({ onAdd: slow, onUpdate: slow, onDelete: slow });
        informer.addEventHandler({ onAdd: () => void calls++ });
        const running = informer.start();
        await then?.(server, clock);
        for (let i = 0; i < moment; i++) await Promise.resolve();
        await running[Symbol.asyncDispose]();
        const after = [server.calls.length, calls, informer.indexer.size];
        server.put("after");
        server.bookmark();
        for (let turn = 0; turn < 3; turn++) await new Promise((resolve) => setImmediate(resolve));
        expect([server.calls.length, calls, informer.indexer.size], `moment ${moment}`).toEqual(after);
        expect(server.open, `moment ${moment}`).toEqual([]);
        expect([clock.pendingTimers, informer.isStopped, informer.reflector?.phase], `moment ${moment}`).toEqual([
          0,
          true,
          "stopped",
        ]);
      }
    });
});

test("what is still queued when the informer is stopped is never processed", async () => {
  const server = new ModelServer();
  const clock = new FakeClock();
  const informer = new SharedIndexInformer<Thing>({ source: server, clock });
  const running = informer.start();
  await clock.advance(0);
  const open = server.open[0];
  // two changes of one object are two batches: the second is taken in a later turn than the first
  for (let value = 0; value < 50; value++) open?.send({ type: "MODIFIED", object: server.put("a", value) });
  let waited = 0;
  while (informer.queued === 0 && waited++ < 1000) await Promise.resolve();
  expect(informer.queued).toBeGreaterThan(0);
  const stopping = running[Symbol.asyncDispose]();
  const cached = informer.indexer.get("default/a");
  await stopping;
  expect(informer.indexer.get("default/a")).toBe(cached);
});
