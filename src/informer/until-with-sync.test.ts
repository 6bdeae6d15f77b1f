import { expect, test } from "vitest";
import { ModelServer } from "../../test/informer/model-server.js";
import { newExpired } from "../api/index.js";
import { FakeClock } from "../base/index.js";
import { untilWithSync } from "./until-with-sync.js";

const never = new AbortController().signal;

test("what is there at first counts, and an expired revision does not end the wait", async () => {
  const clock = new FakeClock();
  const server = new ModelServer();
  server.put("a", 1);
  const seen: string[] = [];
  const waiting = untilWithSync(
    server,
    [
      ({ type, object }) => {
        seen.push(`${type} ${object.metadata.name} ${object.spec?.value}`);
        return object.spec?.value === 2;
      },
      ({ type }) => type === "DELETED",
    ],
    { clock, signal: never },
  );
  await clock.advance(0);
  server.cut(newExpired("too old"));
  server.compact();
  server.put("a", 2);
  await clock.advance(60_000);
  server.remove("a");
  await clock.advance(0);
  expect(await waiting).toMatchObject({ type: "DELETED", object: { metadata: { name: "a" } } });
  expect(seen).toEqual(["ADDED a 1", "MODIFIED a 2"]);
});

test("a precondition that holds on the complete cache ends it", async () => {
  const clock = new FakeClock();
  const server = new ModelServer();
  server.put("a");
  const waiting = untilWithSync(server, [() => false], { clock, precondition: (store) => store.list().length === 1 });
  await clock.advance(0);
  expect(await waiting).toBeUndefined();
  expect(server.open).toHaveLength(0);
});

test("the signal and the time end it, and nothing is left", async () => {
  const clock = new FakeClock();
  const server = new ModelServer();
  const stop = new AbortController();
  const [stopped, late] = [
    untilWithSync(server, [() => false], { clock, signal: stop.signal }),
    untilWithSync(server, [() => false], { clock, timeoutMs: 1_000 }),
  ];
  const outcomes = Promise.allSettled([stopped, late]);
  await clock.advance(500);
  stop.abort(new Error("enough"));
  await clock.advance(500);
  expect((await outcomes).map((outcome) => String((outcome as PromiseRejectedResult).reason))).toEqual([
    "Error: enough",
    "ConnectionError: not as wanted after 1000 ms",
  ]);
  await clock.advance(0);
  expect(server.open).toHaveLength(0);
});
