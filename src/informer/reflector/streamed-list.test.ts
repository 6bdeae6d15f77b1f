import assert from "node:assert";
import { describe, expect, test } from "vitest";
import { bookmarkAt, ModelServer, type Thing } from "../../../test/informer/model-server.js";
import { newExpired, newForbidden } from "../../api/index.js";
import { FakeClock, startRunning } from "../../base/index.js";
import { DeltaFifo } from "../store/delta-fifo.js";
import { Reflector } from "./reflector.js";
import { rig, verbs } from "../../../test/informer/reflector-rig.js";

test('synthetic ADDED are not in order: from "" or "0" the last revision waits for the first other event', async () => {
  const server = new ModelServer({ supportsWatchList: false });
  const list = server.list.bind(server);
  server.list = async (options, signal) => ({ ...(await list(options, signal)), metadata: {} });
  await using it = rig({ server });
  await it.clock.advance(0);
  expect(server.calls.at(-1)?.options.resourceVersion).toBe("");
  server.put("b");
  await it.clock.advance(0);
  expect(it.reflector.lastSyncResourceVersion).toBe("");
  server.put("b");
  await it.clock.advance(0);
  expect(it.reflector.lastSyncResourceVersion).toBe("102");
});

describe("the streamed list", () => {
  const streaming = (): ModelServer => new ModelServer({ supportsWatchList: true });

  test("fills the store at the bookmark's revision, and the same stream is followed", async () => {
    const server = streaming();
    server.put("a");
    server.put("b");
    await using it = rig({ server });
    await it.clock.advance(0);
    server.put("c");
    await it.clock.advance(0);
    expect(it.store.log).toEqual(["replace a,b @102", "ADDED c"]);
    expect(verbs(server)).toEqual(['watch ""']);
  });

  test("changes before the bookmark are honoured; a bookmark with another value completes nothing", async () => {
    const server = streaming();
    const a = server.put("a");
    const b = server.put("b");
    const watch = server.watch.bind(server);
    server.watch = async (options, signal) => {
      const opened = await watch({ ...options, sendInitialEvents: false, resourceVersion: "102" }, signal);
      opened.send({ type: "ADDED", object: a }, { type: "ADDED", object: b }, bookmarkAt(102, "false"));
      opened.send({ type: "DELETED", object: a }, bookmarkAt(103));
      return opened;
    };
    await using it = rig({ server });
    await it.clock.advance(0);
    expect(it.store.log).toEqual([]);
    server.open[0]?.send(bookmarkAt(104, "true"));
    await it.clock.advance(0);
    expect(it.store.log).toEqual(["replace b @104"]);
    expect(it.reflector.lastSyncResourceVersion).toBe("104");
  });

  test("a stream that is cut before the bookmark is tried anew with a clean buffer", async () => {
    const server = streaming();
    server.put("a");
    server.put("b");
    let cuts = 0;
    const watch = server.watch.bind(server);
    server.watch = async (options, signal) => {
      if (cuts++ > 0) return watch(options, signal);
      const opened = await watch({ ...options, sendInitialEvents: false, resourceVersion: "102" }, signal);
      opened.send({ type: "ADDED", object: server.put("gone") });
      opened.end();
      server.remove("gone");
      return opened;
    };
    await using it = rig({ server });
    await it.clock.advance(0);
    expect(it.store.log).toEqual(["replace a,b @104"]);
  });

  test("a server that does not know it leads to a list, and is asked again the next time", async () => {
    const server = streaming();
    server.refuse = ({ options }) =>
      "sendInitialEvents" in options ? newForbidden({ group: "", resource: "things" }, "", "no streams") : undefined;
    await using it = rig({ server });
    await it.clock.advance(0);
    expect(verbs(server)).toEqual(['watch ""', "list 0", "watch 100"]);
    server.put("a");
    await it.clock.advance(0);
    server.cut(newExpired("x"));
    await it.clock.advance(800);
    expect(verbs(server).slice(3)).toEqual(["watch 101", "list 101", "watch 101"]);
    expect(it.reported).toEqual([]);
  });

  test("the transformer is applied while the objects stream in", async () => {
    const server = streaming();
    server.put("a", 1);
    const clock = new FakeClock();
    let calls = 0;
    const store = new DeltaFifo<Thing>({
      transform(thing) {
        calls += 1;
        return { ...thing, spec: { value: (thing.spec?.value ?? 0) + 1 } };
      },
    });
    const reflector = new Reflector<Thing>({ source: server, store, clock });
    await using _ = startRunning((signal) => reflector.run(signal));
    await clock.advance(0);
    const [delta] = store.take()?.deltas ?? [];
    assert(delta?.type === "Replaced");
    expect([...delta.objects.values()]).toMatchObject([{ spec: { value: 2 } }]);
    expect(calls).toBe(1);
  });
});
