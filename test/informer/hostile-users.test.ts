/** Handlers, transforms, index functions and callbacks that misbehave: they harm nobody but themselves. */
import { describe, expect, test } from "vitest";
import { newExpired, newForbidden } from "../../src/api/index.js";
import { type HandlerRegistration, SharedIndexInformer, type Transform } from "../../src/informer/index.js";
import { recorder, rig } from "./informer-rig.js";
import { ModelServer, type Thing } from "./model-server.js";

const many = 600;

/** More objects than are applied at once. */
function manyThings(): ModelServer {
  const server = new ModelServer();
  for (let i = 0; i < many; i++) server.put(`t${i}`);
  return server;
}

describe("a handler that joins at any moment gets neither gap nor repetition", () => {
  for (const when of ["the first list", "a later list"])
    test(`also in the very moment in which ${when}, too long to be applied at once, comes into the cache`, async () => {
      const { clock, server, informer } = rig({}, manyThings());
      await using _ = informer.start();
      if (when === "a later list") {
        await clock.advance(0);
        server.cut(newExpired("old"));
        for (let i = 0; i < many; i++) server.put(`more${i}`);
      }
      const { seen, handler } = recorder();
      const size = informer.indexer.size;
      const advancing = clock.advance(2000);
      // the first moment that anybody but the informer has after the change
      const isBefore = (): boolean => informer.indexer.size === size;
      while (isBefore()) {
        for (let i = 0; i < 1000 && isBefore(); i++) await Promise.resolve();
        if (isBefore()) await new Promise((resolve) => setImmediate(resolve));
      }
      informer.addEventHandler(handler);
      await advancing;
      expect(seen).toHaveLength(new Set(seen).size);
      expect(seen.every((line) => line.startsWith("add "))).toBe(true);
      expect(seen).toHaveLength(server.objects.size);
    });
});

describe("a handler", () => {
  test("that removes itself in its first call gets no second one, and the others get theirs", async () => {
    const { clock, server, informer } = rig();
    server.put("a");
    server.put("b");
    const seen: string[] = [];
    const registration: HandlerRegistration = informer.addEventHandler({
      onAdd(thing) {
        seen.push(thing.metadata.name);
        registration[Symbol.dispose]();
      },
    });
    const other = recorder();
    informer.addEventHandler(other.handler);
    const running = informer.start();
    await clock.advance(0);
    server.put("c");
    await clock.advance(0);
    expect(seen).toEqual(["a"]);
    expect(other.seen).toEqual(["add a initially", "add b initially", "add c"]);
    await running[Symbol.asyncDispose]();
  });

  test("that awaits its own removal holds up nothing but itself, not even the stop", async () => {
    const { clock, server, informer } = rig();
    server.put("a");
    const registration: HandlerRegistration = informer.addEventHandler({ onAdd: () => registration.remove() });
    const other = recorder();
    informer.addEventHandler(other.handler);
    const running = informer.start();
    await clock.advance(0);
    server.put("b");
    await clock.advance(0);
    expect(other.seen).toEqual(["add a initially", "add b"]);
    await running[Symbol.asyncDispose]();
    expect(informer.isStopped).toBe(true);
  });

  test("that adds another in each of its first calls: each of them is told of everything once", async () => {
    const { clock, server, informer } = rig();
    for (const name of ["a", "b", "c"]) server.put(name);
    const added: ReturnType<typeof recorder>[] = [];
    informer.addEventHandler({
      onAdd() {
        if (added.length === 3) return;
        const next = recorder();
        added.push(next);
        informer.addEventHandler(next.handler);
      },
    });
    await using _ = informer.start();
    await clock.advance(0);
    server.put("d");
    await clock.advance(0);
    const everything = ["add a initially", "add b initially", "add c initially", "add d"];
    expect(added.map(({ seen }) => seen)).toEqual([everything, everything, everything]);
  });

  for (const [how, onAdd] of [
    [
      "throws",
      () => {
        throw new Error("no");
      },
    ],
    [
      "throws later",
      async () => {
        await Promise.resolve();
        throw new Error("no");
      },
    ],
    ["rejects with nothing", () => Promise.reject(undefined as unknown as Error)],
    // biome-ignore lint/suspicious/noThenProperty: that is the point
    [
      "gives what looks like a promise and throws",
      () => ({
        then() {
          throw new Error("no");
        },
      }),
    ],
    // biome-ignore lint/suspicious/noThenProperty: that is the point
    [
      "gives what throws when it is looked at",
      () =>
        Object.defineProperty({}, "then", {
          get() {
            throw new Error("no");
          },
        }),
    ],
  ] as [string, () => unknown][])
    test(`that ${how} is reported each time, gets each next event, and is synced in the end`, async () => {
      const { clock, server, informer, log } = rig();
      server.put("a");
      server.put("b");
      let calls = 0;
      const registration = informer.addEventHandler({ onAdd: () => (calls++, onAdd()) });
      await using _ = informer.start();
      await clock.advance(0);
      server.put("c");
      await clock.advance(0);
      expect(calls).toBe(3);
      expect(log.filter((line) => line.includes("event handler failed"))).toHaveLength(3);
      expect([registration.hasSynced, registration.pending]).toEqual([true, 0]);
    });

  test("that never returns delays nobody but itself", async () => {
    const { clock, server, informer } = rig();
    const stuck = informer.addEventHandler({ onAdd: () => new Promise(() => {}) });
    const other = recorder();
    informer.addEventHandler(other.handler);
    const running = informer.start();
    await clock.advance(0);
    for (const name of ["a", "b", "c"]) server.put(name);
    await clock.advance(0);
    expect(other.seen).toEqual(["add a", "add b", "add c"]);
    expect(stuck.pending).toBe(2);
    void stuck.remove();
    await running[Symbol.asyncDispose]();
  });
});

describe("callbacks that throw", () => {
  test("the watch error handler: what failed is tried again all the same", async () => {
    const server = new ModelServer({ supportsWatchList: false });
    server.refuse = () => newForbidden({ group: "", resource: "things" }, "", "no");
    const { clock, informer, log } = rig(
      {
        onWatchError() {
          throw new Error("out of order");
        },
      },
      server,
    );
    const running = informer.start();
    await clock.advance(10_000);
    server.refuse = undefined;
    await clock.advance(60_000);
    expect(informer.hasSynced).toBe(true);
    expect(log.some((line) => line.includes("out of order"))).toBe(true);
    await running[Symbol.asyncDispose]();
  });
});

describe("an index function", () => {
  for (const [how, valuesOf] of [
    [
      "throws",
      () => {
        throw new Error("no");
      },
    ],
    ["gives nothing", () => undefined],
    ["gives a text", () => "x"],
  ] as [string, () => never][])
    test(`that ${how} is reported; the object is cached and told of, and other indices have it`, async () => {
      const { clock, server, informer, log } = rig({ indexers: { bad: valuesOf, good: () => ["x"] } });
      const { seen, handler } = recorder();
      informer.addEventHandler(handler);
      server.put("a");
      await using _ = informer.start();
      await clock.advance(0);
      server.put("b");
      server.put("a", 1);
      server.remove("b");
      await clock.advance(0);
      expect(seen).toEqual(["add a initially", "add b", "update a 0→1", "delete b"]);
      expect([informer.indexer.indexKeys("good", "x"), informer.indexer.listIndexFuncValues("bad")]).toEqual([
        ["default/a"],
        [],
      ]);
      expect(log.some((line) => line.includes("index function failed"))).toBe(true);
    });
});

describe("a transform", () => {
  const withTransform = (transform: Transform<Thing>, streaming: boolean) =>
    rig(
      { transform, backoff: { baseMs: 10, factor: 1, capMs: 10, jitter: 0 } },
      new ModelServer({ supportsWatchList: streaming }),
    );

  for (const streaming of [true, false]) {
    test(`that gives nothing for an object keeps it out, and nothing else, streaming: ${streaming}`, async () => {
      const forgetful = ((thing) => (thing.metadata.name === "bad" ? undefined : thing)) as Transform<Thing>;
      const { clock, server, informer } = withTransform(forgetful, streaming);
      server.put("bad");
      server.put("a");
      await using _ = informer.start();
      await clock.advance(0);
      server.put("bad", 1);
      server.put("b");
      await clock.advance(0);
      expect(informer.indexer.listKeys()).toEqual(["default/a", "default/b"]);
      expect(informer.hasSynced).toBe(true);
    });

    test(`that takes the revision away in place does not keep the reflector from going on, streaming: ${streaming}`, async () => {
      const { clock, server, informer } = withTransform((thing) => {
        delete (thing.metadata as { resourceVersion?: string }).resourceVersion;
        return thing;
      }, streaming);
      await using _ = informer.start();
      await clock.advance(1500);
      server.put("a");
      await clock.advance(0);
      server.cut();
      await clock.advance(0);
      expect(server.calls.at(-1)?.options.resourceVersion).toBe("101");
    });

    test(`that makes something else of objects, for which there is a key function, streaming: ${streaming}`, async () => {
      const server = new ModelServer({ supportsWatchList: streaming });
      server.put("a");
      const clock = rig().clock;
      const informer = new SharedIndexInformer<Thing>({
        source: server,
        clock,
        transform: ((thing: Thing) => thing.metadata?.name ?? thing) as never,
        key: (name) => name as never,
      });
      const seen: unknown[] = [];
      informer.addEventHandler({ onAdd: (name) => seen.push(name), onDelete: (name) => seen.push(["gone", name]) });
      await using _ = informer.start();
      await clock.advance(0);
      const listedAt = informer.lastStoreSyncResourceVersion;
      server.put("b");
      await clock.advance(0);
      // an object without metadata has no revision
      expect([informer.indexer.listKeys(), informer.lastStoreSyncResourceVersion]).toEqual([["a", "b"], listedAt]);
      server.remove("a");
      await clock.advance(0);
      expect([seen, informer.indexer.list()]).toEqual([["a", "b", ["gone", "a"]], ["b"]]);
      server.cut(newExpired("old"));
      server.put("c");
      await clock.advance(2000);
      expect([informer.indexer.listKeys(), informer.lastStoreSyncResourceVersion]).toEqual([
        ["b", "c"],
        String(server.revision),
      ]);
    });

    test(`that renames objects: they are cached under their new name, whichever way they came, streaming: ${streaming}`, async () => {
      const rename: Transform<Thing> = (thing) =>
        thing.metadata.name.startsWith("new-")
          ? thing
          : { ...thing, metadata: { ...thing.metadata, name: `new-${thing.metadata.name}` } };
      const { clock, server, informer } = withTransform(rename, streaming);
      server.put("a");
      server.put("b");
      await using _ = informer.start();
      await clock.advance(0);
      server.put("a", 1);
      server.remove("b");
      await clock.advance(0);
      expect(informer.indexer.listKeys()).toEqual(["default/new-a"]);
    });
  }

  test("that throws in a list keeps the cache from being called synced, until it no longer does", async () => {
    let broken = true;
    const { clock, server, informer } = withTransform((thing) => {
      if (broken) throw new Error("cannot");
      return thing;
    }, false);
    server.put("a");
    await using _ = informer.start();
    await clock.advance(100);
    expect([informer.hasSynced, informer.indexer.size]).toEqual([false, 0]);
    expect(informer.reflector?.lastError).toEqual(new Error("cannot"));
    broken = false;
    await clock.advance(100);
    expect([informer.hasSynced, informer.indexer.size]).toEqual([true, 1]);
  });
});

test("waiting for an informer that was stopped before it had synced ends, and says so", async () => {
  const server = new ModelServer({ supportsWatchList: false });
  server.list = () => new Promise(() => {});
  const { clock, informer } = rig({ name: "things" }, server);
  const { signal } = new AbortController();
  const running = informer.start();
  const waiting = informer.waitForSync({ signal });
  await clock.advance(0);
  await running[Symbol.asyncDispose]();
  await expect(waiting).rejects.toThrow("informer things was stopped before it had synced");
  await expect(informer.waitForSync({ signal })).rejects.toThrow("informer things was stopped before it had synced");
});
