import { describe, expect, test } from "vitest";
import type { Thing } from "../../test/informer/model-server.js";
import { FakeClock } from "../base/index.js";
import type { ResourceEventHandler } from "./processor/handlers.js";
import { recorder, rig } from "../../test/informer/informer-rig.js";

describe("a handler", () => {
  test("that throws is reported with its name, and gets the next event", async () => {
    const { clock, server, informer, log } = rig();
    const seen: string[] = [];
    informer.addEventHandler(
      {
        onAdd(thing) {
          seen.push(thing.metadata.name);
          throw new Error("broken handler");
        },
      },
      { name: "fragile" },
    );
    await using _ = informer.start();
    await clock.advance(0);
    server.put("a");
    server.put("b");
    await clock.advance(0);
    expect(seen).toEqual(["a", "b"]);
    expect(log.filter((line) => line.includes("fragile"))).toHaveLength(2);
  });

  test("that is async sees changes one at a time, possibly merged; others are not held up", async () => {
    const { clock, server, informer } = rig();
    const release: (() => void)[] = [];
    const slow: string[] = [];
    informer.addEventHandler({
      async onAdd(thing) {
        slow.push(`begin ${thing.metadata.name}`);
        await new Promise<void>((resolve) => release.push(resolve));
        slow.push(`end ${thing.metadata.name}`);
      },
    });
    const { seen, handler } = recorder();
    informer.addEventHandler(handler);
    await using _ = informer.start();
    await clock.advance(0);
    server.put("a");
    server.put("b");
    await clock.advance(0);
    expect(seen).toEqual(["add a", "add b"]);
    expect(slow).toEqual(["begin a"]);
    release.shift()?.();
    await clock.advance(0);
    expect(slow).toEqual(["begin a", "end a", "begin b"]);
    release.shift()?.();
  });

  test("a slow handler delays nobody but itself: its backlog is measured, and it is told of", async () => {
    const { clock, server, informer, log } = rig();
    const held: (() => void)[] = [];
    const slow = informer.addEventHandler({ onAdd: () => new Promise<void>((resolve) => held.push(resolve)) });
    const { seen, handler } = recorder();
    informer.addEventHandler(handler);
    await using _ = informer.start();
    await clock.advance(0);
    const falling = (): number => log.filter((line) => line.includes("falling behind")).length;
    for (let i = 0; i < 2000; i++) server.put(`t${i}`);
    for (let turn = 0; turn < 20; turn++) await clock.advance(0);
    // many changes at once are no alarm yet
    expect(falling()).toBe(0);
    await clock.advance(10_000);
    for (let i = 2000; i < 5000; i++) server.put(`t${i}`);
    for (let turn = 0; turn < 20; turn++) await clock.advance(0);
    held[0]?.();
    expect(seen).toHaveLength(5000);
    expect(informer.indexer.size).toBe(5000);
    expect(slow.pending).toBe(4999);
    expect(falling()).toBeGreaterThanOrEqual(1);
    slow[Symbol.dispose]();
  });

  test("that joins late gets every object as an initial add, then each change, with neither gap nor repetition", async () => {
    const { clock, server, informer } = rig();
    for (const name of ["a", "b"]) server.put(name, 1);
    await using _ = informer.start();
    await clock.advance(0);
    const { seen, handler } = recorder();
    server.put("c", 1);
    const registration = informer.addEventHandler(handler);
    expect(registration.hasSynced).toBe(false);
    server.put("a", 2);
    server.remove("b");
    await clock.advance(0);
    expect(seen).toEqual(["add a initially", "add b initially", "add c", "update a 1→2", "delete b"]);
    expect(registration.hasSynced).toBe(true);
  });

  test("that is removed gets nothing more: what waited is dropped, the call under way completes", async () => {
    const { clock, server, informer } = rig();
    const held: (() => void)[] = [];
    const seen: string[] = [];
    const registration = informer.addEventHandler({
      async onAdd(thing) {
        seen.push(`begin ${thing.metadata.name}`);
        await new Promise<void>((resolve) => held.push(resolve));
        seen.push(`end ${thing.metadata.name}`);
      },
    });
    await using _ = informer.start();
    await clock.advance(0);
    server.put("a");
    server.put("b");
    await clock.advance(0);
    let removed = false;
    const removing = registration.remove().then(() => {
      removed = true;
    });
    await clock.advance(0);
    expect(removed).toBe(false);
    held[0]?.();
    await removing;
    server.put("c");
    await clock.advance(0);
    expect(seen).toEqual(["begin a", "end a"]);
    expect(informer.handlers).toEqual([]);
  });

  test("may be registered twice, each time on its own; removing it twice does nothing", async () => {
    const { clock, server, informer } = rig();
    const { seen, handler } = recorder();
    const first = informer.addEventHandler(handler);
    informer.addEventHandler(handler);
    await using _ = informer.start();
    await clock.advance(0);
    server.put("a");
    await clock.advance(0);
    expect(seen).toEqual(["add a", "add a"]);
    await first.remove();
    await first.remove();
    server.put("b");
    await clock.advance(0);
    expect(seen).toEqual(["add a", "add a", "add b"]);
  });

  test("is taken away by disposing its registration", async () => {
    const { clock, server, informer } = rig();
    const { seen, handler } = recorder();
    await using _ = informer.start();
    {
      using _registered = informer.addEventHandler(handler);
      await clock.advance(0);
      server.put("a");
      await clock.advance(0);
    }
    server.put("b");
    await clock.advance(0);
    expect(seen).toEqual(["add a"]);
  });

  test("that is removed before the start is never called, and its removal waits for nothing", async () => {
    const { clock, server, informer } = rig();
    const { seen, handler } = recorder();
    server.put("a");
    await informer.addEventHandler(handler).remove();
    await using _ = informer.start();
    await clock.advance(0);
    expect(seen).toEqual([]);
    expect(informer.handlers).toEqual([]);
  });

  test("of deletions is told also of objects that the cache never had", async () => {
    const { clock, server, informer } = rig();
    const { seen, handler } = recorder();
    informer.addEventHandler(handler);
    await using _ = informer.start();
    await clock.advance(0);
    const object = { apiVersion: "v1", kind: "Thing", metadata: { name: "x", resourceVersion: "150" } };
    server.open[0]?.send({ type: "DELETED", object });
    await clock.advance(0);
    expect(seen).toEqual(["delete x"]);
  });
});

describe("resync", () => {
  const counting = (): {
    readonly times: number[];
    readonly handler: (clock: FakeClock) => ResourceEventHandler<Thing>;
  } => {
    const times: number[] = [];
    return { times, handler: (clock) => ({ onUpdate: () => void times.push(clock.monotonic()) }) };
  };

  test("the check period is the smallest that was asked for before the start; each handler has its own", async () => {
    const { clock, server, informer } = rig({ resyncPeriodMs: 30_000 });
    server.put("a");
    const [eager, lazy] = [counting(), counting()];
    informer.addEventHandler(eager.handler(clock), { resyncPeriodMs: 10_000 });
    informer.addEventHandler(lazy.handler(clock), { resyncPeriodMs: 25_000 });
    await using _ = informer.start();
    await clock.advance(61_000);
    expect(eager.times).toEqual([10_000, 20_000, 30_000, 40_000, 50_000, 60_000]);
    // rounded up to a multiple of the check period
    expect(lazy.times).toEqual([30_000, 60_000]);
  });

  test("a period that is longer than a watch lives is kept", async () => {
    const { clock, server, informer } = rig({ resyncPeriodMs: 1_800_000 });
    server.put("a");
    const patient = counting();
    informer.addEventHandler(patient.handler(clock));
    await using _ = informer.start();
    for (let minutes = 0; minutes < 120; minutes += 5) {
      await clock.advance(300_000);
      server.cut();
    }
    await clock.advance(0);
    expect(patient.times).toEqual([1_800_000, 3_600_000, 5_400_000, 7_200_000]);
  });

  test("a handler that comes after the start is slowed down to the check period", async () => {
    const { clock, server, informer } = rig({ resyncPeriodMs: 20_000 });
    server.put("a");
    await using _ = informer.start();
    await clock.advance(0);
    const late = counting();
    informer.addEventHandler(late.handler(clock), { resyncPeriodMs: 5_000 });
    await clock.advance(41_000);
    expect(late.times).toEqual([20_000, 40_000]);
  });

  test("no handler is resynced more often than once a second", async () => {
    const { clock, server, informer } = rig({ resyncPeriodMs: 20_000 });
    server.put("a");
    const eager = counting();
    informer.addEventHandler(eager.handler(clock), { resyncPeriodMs: 10 });
    await using _ = informer.start();
    await clock.advance(3_000);
    expect(eager.times).toEqual([1000, 2000, 3000]);
  });

  test("an informer with period 0 never resyncs, also for those who ask", async () => {
    const { clock, server, informer, log } = rig({ resyncPeriodMs: 0 });
    server.put("a");
    const asking = counting();
    informer.addEventHandler(asking.handler(clock), { resyncPeriodMs: 1_000 });
    await using _ = informer.start();
    await clock.advance(60_000);
    expect(asking.times).toEqual([]);
    expect(log.some((line) => line.includes("does not resync"))).toBe(true);
  });

  test("comes from the cache as it is when processed, with twice the same object, and not from the server", async () => {
    const { clock, server, informer } = rig({ resyncPeriodMs: 10_000 });
    server.put("a", 1);
    const same: boolean[] = [];
    informer.addEventHandler({ onUpdate: (old, thing) => void same.push(old === thing) });
    await using _ = informer.start();
    await clock.advance(10_000);
    expect(same).toEqual([true]);
    expect(server.calls).toHaveLength(1);
  });
});

test("a handler that would never be called is refused, and named", () => {
  const { informer } = rig();
  expect(() => informer.addEventHandler({ onAddd: () => {} } as never)).toThrow(
    "has none of onAdd, onUpdate, onDelete",
  );
  expect(() => informer.addEventHandler({ onAdd: "later" } as never)).toThrow("onAdd must be a function, not 'later'");
  expect(() => informer.addEventHandler(undefined as never)).toThrow("undefined has none of");
});
