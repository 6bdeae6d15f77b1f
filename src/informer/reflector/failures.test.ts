import { describe, expect, test } from "vitest";
import { ModelServer, type Thing } from "../../../test/informer/model-server.js";
import { newExpired, newForbidden, newInternalError, newTooManyRequests } from "../../api/index.js";
import { FakeClock, startRunning } from "../../base/index.js";
import { Reflector } from "./reflector.js";
import { chance, RecordingStore, rig, verbs } from "../../../test/informer/reflector-rig.js";

describe("failures", () => {
  test("delays are [0.8 s, 1.6 s), doubling to [30 s, 60 s)", async () => {
    for (const [value, factor] of [
      [0, 1],
      [0.5, 1.5],
    ] as const) {
      const clock = new FakeClock();
      const server = new ModelServer({ supportsWatchList: false });
      const tries: number[] = [];
      server.refuse = () => {
        tries.push(clock.monotonic());
        return newInternalError("down");
      };
      const reflector = new Reflector<Thing>({
        source: server,
        store: new RecordingStore(),
        clock,
        random: chance(value),
      });
      await using _ = startRunning((signal) => reflector.run(signal));
      await clock.advance(110_000);
      const delays = tries.map((time, i) => time - (tries[i - 1] ?? time)).slice(1, 7);
      expect(delays).toEqual([800, 1600, 3200, 6400, 12_800, 25_600].map((ms) => ms * factor).slice(0, delays.length));
    }
  });

  test("every two minutes the delays begin anew, even during uninterrupted failure", async () => {
    const it = rig();
    const tries: number[] = [];
    it.server.refuse = () => {
      tries.push(it.clock.monotonic());
      return newInternalError("down");
    };
    await it.clock.advance(400_000);
    const delays = tries.map((time, i) => time - (tries[i - 1] ?? time)).slice(1);
    const resets = delays.flatMap((ms, i) => (i > 0 && ms === 800 ? [tries[i] as number] : []));
    expect(delays).toContain(30_000);
    expect(resets.length).toBeGreaterThanOrEqual(2);
    expect((resets[1] as number) - (resets[0] as number)).toBeGreaterThan(120_000);
    await it[Symbol.asyncDispose]();
  });

  test("the watch error handler is told before the wait; what was wrong stays visible until something works", async () => {
    await using it = rig();
    const forbidden = newForbidden({ group: "", resource: "things" }, "", "not you");
    it.server.refuse = () => forbidden;
    await it.clock.advance(0);
    expect(it.reported).toEqual([forbidden]);
    expect(it.reflector.lastError).toBe(forbidden);
    expect(it.reflector.phase).toBe("waiting");
    it.server.refuse = undefined;
    await it.clock.advance(800);
    expect(it.reflector.lastError).toBeUndefined();
    expect(it.reflector.isWatching).toBe(true);
  });

  test("a wait ends at once when the reflector is stopped", async () => {
    const it = rig();
    it.server.refuse = () => newTooManyRequests("later", 1);
    await it.clock.advance(0);
    await it[Symbol.asyncDispose]();
    expect(it.clock.pendingTimers).toBe(0);
  });

  test("a clean end is free: the next watch continues from the last revision", async () => {
    await using it = rig();
    await it.clock.advance(0);
    it.server.put("a");
    await it.clock.advance(0);
    it.server.cut();
    await it.clock.advance(0);
    expect(verbs(it.server)).toEqual(["list 0", "watch 100", "watch 101"]);
  });

  test("a connection that breaks is a clean end", async () => {
    await using it = rig();
    await it.clock.advance(0);
    it.server.put("a");
    await it.clock.advance(0);
    it.server.cut(Object.assign(new Error("socket hang up"), { code: "ECONNRESET" }));
    await it.clock.advance(0);
    expect(verbs(it.server)).toEqual(["list 0", "watch 100", "watch 101"]);
  });

  test("a watch that ends within a second without any event leads to a list, after a wait", async () => {
    await using it = rig();
    await it.clock.advance(0);
    it.server.cut();
    await it.clock.advance(0);
    expect(verbs(it.server)).toEqual(["list 0", "watch 100"]);
    await it.clock.advance(800);
    expect(verbs(it.server)).toEqual(["list 0", "watch 100", "list 100", "watch 100"]);
  });

  test("410 in the stream: a list at the known revision, then the watch; events of both are there", async () => {
    await using it = rig();
    await it.clock.advance(0);
    it.server.put("a");
    await it.clock.advance(0);
    it.server.cut(newExpired("too old"));
    it.server.put("b");
    await it.clock.advance(800);
    expect(verbs(it.server)).toEqual(["list 0", "watch 100", "list 101", "watch 102"]);
    expect([...it.store.objects.keys()]).toEqual(["a", "b"]);
    expect(it.reported).toEqual([]);
  });
});

describe("objects that are not what was asked for", () => {
  const expectedKind = { apiVersion: "example.com/v1", kind: "Thing" };
  const event = (object: unknown, type = "ADDED") => ({ type, object }) as never;

  test("are skipped and reported, and their revision is not believed", async () => {
    await using it = rig({ expectedKind });
    await it.clock.advance(0);
    const [watch] = it.server.open;
    watch?.send(
      event({ apiVersion: "v1", kind: "Pod", metadata: { name: "pod", resourceVersion: "900" } }),
      event({ apiVersion: "meta.k8s.io/v1", kind: "Table", metadata: { resourceVersion: "901" } }),
      event({ apiVersion: "example.com/v1", kind: "Thing" }),
    );
    await it.clock.advance(0);
    expect(it.skipped()).toBe(3);
    expect(it.reflector.lastSyncResourceVersion).toBe("100");
    it.server.put("a");
    await it.clock.advance(0);
    expect(it.store.log).toEqual(["replace  @100", "ADDED a"]);
  });

  test("an object that the store refuses is reported, but its revision counts as seen", async () => {
    await using it = rig();
    it.store.push = () => {
      throw new Error("cannot");
    };
    await it.clock.advance(0);
    it.server.put("a");
    await it.clock.advance(0);
    expect(it.skipped()).toBe(1);
    expect(it.reflector.lastSyncResourceVersion).toBe("101");
  });

  test("an unknown event type is reported, and its revision counts as seen", async () => {
    await using it = rig();
    await it.clock.advance(0);
    it.server.open[0]?.send(event({ metadata: { name: "a", resourceVersion: "150" } }, "NOVELTY"));
    await it.clock.advance(0);
    expect(it.skipped()).toBe(1);
    expect(it.reflector.lastSyncResourceVersion).toBe("150");
  });
});

describe("the watchdog", () => {
  test("after a bookmark was seen, a silent watch is dialled again, from the last revision and without a list", async () => {
    await using it = rig();
    await it.clock.advance(0);
    it.server.put("a");
    it.server.bookmark();
    await it.clock.advance(149_000);
    expect(verbs(it.server)).toEqual(["list 0", "watch 100"]);
    await it.clock.advance(2_000);
    expect(verbs(it.server)).toEqual(["list 0", "watch 100", "watch 101"]);
    expect(it.server.open).toHaveLength(1);
  });

  test("each event or bookmark gives it another two and a half minutes", async () => {
    await using it = rig();
    await it.clock.advance(0);
    it.server.bookmark();
    for (let minute = 0; minute < 4; minute++) {
      await it.clock.advance(60_000);
      it.server.bookmark();
    }
    await it.clock.advance(0);
    expect(verbs(it.server)).toEqual(["list 0", "watch 100"]);
  });

  test("a server that sends no bookmarks may be silent for as long as the watch was to last", async () => {
    await using it = rig();
    await it.clock.advance(0);
    it.server.put("a");
    await it.clock.advance(329_000);
    expect(verbs(it.server)).toEqual(["list 0", "watch 100"]);
    await it.clock.advance(2_000);
    expect(verbs(it.server)).toEqual(["list 0", "watch 100", "watch 101"]);
  });
});
