import { expect, test } from "vitest";
import { ModelServer, type Thing } from "../../test/informer/model-server.js";
import { FakeClock } from "../base/index.js";
import { newInformer } from "./index.js";

test("gives a store and a controller; the handler is called after the store has changed", async () => {
  const clock = new FakeClock();
  const server = new ModelServer();
  server.put("a", 1);
  const seen: string[] = [];
  const { store, controller } = newInformer<Thing>(
    server,
    { clock, indexers: { byValue: (t) => [`${t.spec?.value}`] } },
    {
      onAdd: (thing, initial) => void seen.push(`add ${thing.metadata.name} ${initial} of ${store.size}`),
      onUpdate: (old, thing) => void seen.push(`update ${old.spec?.value}→${thing.spec?.value}`),
      onDelete: () => void seen.push(`delete, ${store.size} left`),
    },
  );
  await using _ = controller.start();
  await clock.advance(0);
  expect(controller.hasSynced).toBe(true);
  server.put("a", 2);
  await clock.advance(0);
  expect(store.indexKeys("byValue", "2")).toEqual(["default/a"]);
  server.remove("a");
  await clock.advance(0);
  expect(seen).toEqual(["add a true of 1", "update 1→2", "delete, 0 left"]);
  expect(controller.lastSyncResourceVersion).toBe("103");
});

test("a resync shows everything again", async () => {
  const clock = new FakeClock();
  const server = new ModelServer();
  server.put("a", 1);
  let updates = 0;
  const { controller } = newInformer<Thing>(
    server,
    { clock, resyncPeriodMs: 10_000 },
    { onUpdate: () => (updates += 1) },
  );
  await using _ = controller.start();
  await clock.advance(25_000);
  expect(updates).toBe(2);
});

test("an async handler holds up the next event", async () => {
  const clock = new FakeClock();
  const server = new ModelServer();
  const held: (() => void)[] = [];
  const seen: string[] = [];
  const { controller } = newInformer<Thing>(
    server,
    { clock },
    {
      async onAdd(thing) {
        await new Promise<void>((resolve) => held.push(resolve));
        seen.push(thing.metadata.name);
      },
    },
  );
  const running = controller.start();
  await clock.advance(0);
  server.put("a");
  server.put("b");
  await clock.advance(0);
  expect(held).toHaveLength(1);
  held[0]?.();
  await clock.advance(0);
  expect(seen).toEqual(["a"]);
  held[1]?.();
  await running[Symbol.asyncDispose]();
});

test("a handler that throws ends the run, and says so", async () => {
  const clock = new FakeClock();
  const server = new ModelServer();
  server.put("a");
  const { controller } = newInformer<Thing>(
    server,
    { clock },
    {
      onAdd() {
        throw new Error("handler broke");
      },
    },
  );
  const running = controller.start();
  const ended = expect(running.done).rejects.toThrow("handler broke");
  await clock.advance(0);
  await ended;
  expect(() => controller.start()).toThrow("was started already");
  expect(clock.pendingTimers).toBe(0);
});
