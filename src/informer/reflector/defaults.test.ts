import { describe, expect, test } from "vitest";
import { ModelServer, type Thing } from "../../../test/informer/model-server.js";
import { chance, RecordingStore, rig, verbs } from "../../../test/informer/reflector-rig.js";
import { newExpired, newForbidden, newInternalError } from "../../api/index.js";
import { createLogger, FakeClock, startRunning } from "../../base/index.js";
import { Reflector, type ReflectorOptions } from "./reflector.js";

const refusedConnection = Object.assign(new Error("connect ECONNREFUSED"), { code: "ECONNREFUSED" });

/** A reflector without a watch error handler, and its log. */
function logging(server: ModelServer, options: Partial<ReflectorOptions<Thing>> = {}) {
  const clock = new FakeClock();
  const lines: string[] = [];
  const logger = createLogger({
    clock,
    level: "debug",
    format: "json",
    write: (line) => {
      const { level, msg, message } = JSON.parse(line) as Record<string, string>;
      lines.push(`${level} ${msg ?? message}`);
    },
  });
  const store = new RecordingStore();
  const reflector = new Reflector<Thing>({ source: server, store, clock, random: chance(0), logger, ...options });
  return { clock, lines, store, running: startRunning((signal) => reflector.run(signal)) };
}

describe("a backoff of one's own", () => {
  const own = { baseMs: 10, factor: 2, capMs: 100, jitter: 0 };

  test("replaces the delays: refused five times, 10 + 20 + 40 + 80 + 100 ms", async () => {
    await using it = rig({ backoff: own });
    let failures = 5;
    it.server.refuse = ({ verb }) => (verb === "watch" && failures-- > 0 ? refusedConnection : undefined);
    await it.clock.advance(249);
    expect(it.reflector.isWatching).toBe(false);
    await it.clock.advance(1);
    expect(it.reflector.isWatching).toBe(true);
    // a refused connection never leads to another list
    expect(verbs(it.server).filter((call) => call.startsWith("list"))).toEqual(["list 0"]);
  });

  test("keeps the reset after two minutes", async () => {
    await using it = rig({ backoff: { ...own, capMs: 50_000, factor: 100 } });
    const tries: number[] = [];
    it.server.refuse = () => {
      tries.push(it.clock.monotonic());
      return newInternalError("down");
    };
    await it.clock.advance(200_000);
    const delays = tries.map((time, i) => time - (tries[i - 1] ?? time)).slice(1);
    expect(delays).toEqual([10, 1000, 50_000, 50_000, 50_000, 10, 1000]);
  });
});

describe("what the log says when nobody handles watch errors", () => {
  for (const [what, error, line] of [
    ["an expired revision is the ordinary fate of a watch", newExpired("old"), "debug revision expired, listing again"],
    ["anything else is worth a warning", newInternalError("no"), "warn list or watch failed, trying again"],
  ] as const)
    test(what, async () => {
      const server = new ModelServer({ supportsWatchList: false });
      const { clock, lines, running } = logging(server);
      await clock.advance(2000);
      server.cut(error);
      await clock.advance(0);
      expect(lines).toEqual([line]);
      await running[Symbol.asyncDispose]();
    });

  test("a connection that breaks is said in passing, a clean end not at all", async () => {
    const server = new ModelServer({ supportsWatchList: false });
    const { clock, lines, running } = logging(server);
    await clock.advance(2000);
    server.cut();
    await clock.advance(2000);
    expect(lines).toEqual([]);
    server.cut(Object.assign(new Error("socket hang up"), { code: "ECONNRESET" }));
    await clock.advance(0);
    expect(lines).toEqual(["info watch ended early, dialling again"]);
    await running[Symbol.asyncDispose]();
  });

  for (const [what, error] of [
    ["nobody listens", Object.assign(new Error("refused"), { code: "ECONNREFUSED" })],
    ["the server fails", newInternalError("down")],
  ] as const)
    test(`an outage in which ${what} is told once a minute, and so is its end`, async () => {
      const server = new ModelServer({ supportsWatchList: false });
      const { clock, lines, running } = logging(server);
      await clock.advance(2000);
      server.refuse = () => error;
      server.cut(Object.assign(new Error("socket hang up"), { code: "ECONNRESET" }));
      await clock.advance(300_000);
      server.refuse = undefined;
      await clock.advance(120_000);
      server.bookmark();
      await clock.advance(0);
      const warnings = lines.filter((line) => line === "warn list or watch failed, trying again");
      expect(warnings.length).toBeGreaterThanOrEqual(4);
      expect(warnings.length).toBeLessThanOrEqual(6);
      expect(lines.filter((line) => line.startsWith("info"))).toEqual([
        "info watch ended early, dialling again",
        "info list and watch work again",
      ]);
      await running[Symbol.asyncDispose]();
    });

  test("a list that takes longer than ten seconds is slow", async () => {
    const server = new ModelServer({ supportsWatchList: false });
    const list = server.list.bind(server);
    server.list = async (options, signal) => {
      await Promise.resolve();
      await clock.sleep(10_001, signal);
      return list(options, signal);
    };
    const { clock, lines, running } = logging(server);
    await clock.advance(10_001);
    expect(lines).toEqual(["warn slow list"]);
    await running[Symbol.asyncDispose]();
  });

  test("every ten seconds without the end of the initial objects, one is reminded of it", async () => {
    const server = new ModelServer();
    const watch = server.watch.bind(server);
    server.watch = (options, signal) => watch({ ...options, sendInitialEvents: false }, signal);
    const { clock, lines, running } = logging(server);
    await clock.advance(25_000);
    const reminder = "warn the server has not yet said that the initial objects are complete";
    expect(lines).toEqual([reminder, reminder]);
    await running[Symbol.asyncDispose]();
  });
});

describe("the streamed list", () => {
  test("opening a watch after it fails with Expired: reported, and the next attempt streams again", async () => {
    await using it = rig({ server: new ModelServer() });
    it.server.put("a");
    await it.clock.advance(2000);
    it.server.refuse = ({ options }) => ("sendInitialEvents" in options ? undefined : newExpired("gone by"));
    it.server.put("b");
    await it.clock.advance(0);
    it.server.cut();
    await it.clock.advance(0);
    expect(it.reported).toHaveLength(1);
    await it.clock.advance(800);
    expect(verbs(it.server)).toEqual(['watch ""', "watch 102", "watch 102"]);
    expect([...it.store.objects.keys()]).toEqual(["a", "b"]);
  });

  test("each initial object passes the transformer once, each later one once", async () => {
    const clock = new FakeClock();
    const server = new ModelServer();
    const passed: string[] = [];
    const store = Object.assign(new RecordingStore(), {
      transform(thing: Thing) {
        passed.push(thing.metadata.name);
        return thing;
      },
    });
    server.put("a");
    server.put("b");
    const reflector = new Reflector<Thing>({ source: server, store, clock });
    await using _ = startRunning((signal) => reflector.run(signal));
    await clock.advance(0);
    expect(passed).toEqual(["a", "b"]);
  });

  test('a server without it (400, 403, 422) is asked for a list at "0", in pages of 500', async () => {
    await using it = rig({ server: new ModelServer() });
    it.server.put("a");
    it.server.refuse = ({ options }) =>
      "sendInitialEvents" in options ? newForbidden({ group: "", resource: "things" }, "", "no") : undefined;
    await it.clock.advance(0);
    expect(it.server.calls.map(({ options }) => options)).toEqual([
      expect.objectContaining({ sendInitialEvents: true }),
      { resourceVersion: "0", limit: 500 },
      { resourceVersion: "101", allowWatchBookmarks: true, timeoutSeconds: 300 },
    ]);
    expect(it.reported).toEqual([]);
  });
});
