import { describe, expect, test } from "vitest";
import { rig } from "../../test/informer/informer-rig.js";

describe("hasSynced", () => {
  test("means processed, not listed: it is false while the list is only queued", async () => {
    const { clock, server, informer } = rig();
    server.put("a");
    const states: boolean[] = [];
    informer.addEventHandler({ onAdd: () => void states.push(informer.hasSynced) });
    expect(informer.hasSynced).toBe(false);
    await using _ = informer.start();
    await clock.advance(0);
    expect(informer.hasSynced).toBe(true);
    expect(states).toEqual([true]);
  });

  test("of a registration waits until each initial add has been handled", async () => {
    const { clock, server, informer } = rig();
    server.put("a");
    server.put("b");
    const release: (() => void)[] = [];
    const slow = informer.addEventHandler({ onAdd: () => new Promise<void>((resolve) => release.push(resolve)) });
    const quick = informer.addEventHandler({});
    await using _ = informer.start();
    await clock.advance(0);
    expect([informer.hasSynced, quick.hasSynced, slow.hasSynced]).toEqual([true, true, false]);
    let waited = false;
    const waiting = slow.waitForSync({ signal: new AbortController().signal }).then(() => {
      waited = true;
    });
    release.shift()?.();
    await clock.advance(0);
    expect([slow.hasSynced, waited]).toEqual([false, false]);
    release.shift()?.();
    await clock.advance(0);
    await waiting;
    expect(slow.hasSynced).toBe(true);
  });

  test("is never true if the informer is stopped before", async () => {
    const { clock, server, informer } = rig();
    server.refuse = () => new Error("down");
    const running = informer.start();
    const waiting = informer.waitForSync({ signal: AbortSignal.abort(new Error("enough")) });
    await expect(waiting).rejects.toThrow("enough");
    await clock.advance(0);
    await running[Symbol.asyncDispose]();
    expect([informer.hasSynced, informer.isStopped]).toEqual([false, true]);
  });

  test("a handler that throws on an initial add becomes synced all the same", async () => {
    const { clock, server, informer } = rig();
    server.put("a");
    const registration = informer.addEventHandler({
      onAdd() {
        throw new Error("no");
      },
    });
    await using _ = informer.start();
    await clock.advance(0);
    expect(registration.hasSynced).toBe(true);
  });
});

describe("life", () => {
  test("starts once, and cannot be started again after the stop", async () => {
    const { informer } = rig();
    const running = informer.start();
    expect(() => informer.start()).toThrow("was started already");
    await running[Symbol.asyncDispose]();
    expect(() => informer.start()).toThrow("was started already");
    expect(informer.isStopped).toBe(true);
  });

  test("after the stop no handler and no indexer can be added, but handlers can be removed", async () => {
    const { informer } = rig();
    const registration = informer.addEventHandler({});
    await informer.start()[Symbol.asyncDispose]();
    expect(() => informer.addEventHandler({})).toThrow("was stopped");
    expect(() => informer.addIndexers({ x: () => [] })).toThrow("was stopped");
    await registration.remove();
  });

  test("stopping waits for the handlers' last calls, and drops what waits", async () => {
    const { clock, server, informer } = rig();
    const seen: string[] = [];
    const held: (() => void)[] = [];
    informer.addEventHandler({
      async onAdd(thing) {
        await new Promise<void>((resolve) => held.push(resolve));
        seen.push(thing.metadata.name);
      },
    });
    const running = informer.start();
    await clock.advance(0);
    server.put("a");
    server.put("b");
    await clock.advance(0);
    let stopped = false;
    const stopping = running[Symbol.asyncDispose]().then(() => {
      stopped = true;
    });
    await clock.advance(0);
    expect(stopped).toBe(false);
    held[0]?.();
    await stopping;
    expect(seen).toEqual(["a"]);
    expect(clock.pendingTimers).toBe(0);
  });

  test("indexers can be added before and after the start", async () => {
    const { clock, server, informer } = rig({ indexers: { first: () => ["x"] } });
    server.put("a", 3);
    informer.addIndexers({ second: () => ["y"] });
    await using _ = informer.start();
    await clock.advance(0);
    informer.addIndexers({ byValue: (thing) => [String(thing.spec?.value)] });
    for (const [name, value] of [
      ["first", "x"],
      ["second", "y"],
      ["byValue", "3"],
    ] as const)
      expect(informer.indexer.indexKeys(name, value)).toEqual(["default/a"]);
  });

  test("a frozen cache refuses changes", async () => {
    const { clock, server, informer } = rig({ freeze: true });
    server.put("a", 1);
    await using _ = informer.start();
    await clock.advance(0);
    const thing = informer.indexer.get("default/a") as { spec: { value: number } };
    expect(() => {
      thing.spec.value = 2;
    }).toThrow(TypeError);
  });
});
