import { expect, test } from "vitest";
import { FakeClock, MetricsRegistry } from "../../base/index.js";
import { type ControllerFigures, Journal } from "../../controller/index.js";
import type { PageSources } from "../sources.js";
import type { Frame } from "../wire.js";
import { Hub, type Viewer } from "./hub.js";

function figuresOf(name: string, ready: number): ControllerFigures {
  const none = { delayed: 0, active: 0, failing: 0, dead: 0, slowed: 0, paused: 0, overdue: 0, runs: 0 };
  return { name, kind: "Pod", concurrency: 1, ready, ...none };
}

function rig() {
  const clock = new FakeClock();
  const journal = new Journal();
  const state = { ready: 0, samples: 0, names: ["a", "b"], failure: undefined as object | undefined };
  const sources: PageSources = {
    title: "test",
    informers: () => [],
    loops: () => {
      state.samples++;
      const keys = async () => ({ total: 0, rows: [] });
      return state.names.map((name) => ({
        name,
        keys,
        figures: () => ({ ...figuresOf(name, name === "a" ? state.ready : 0), lastFailure: state.failure }),
      }));
    },
    journal: () => journal,
    metrics: new MetricsRegistry(),
    client: () => undefined,
    problems: () => [],
    clock,
  };
  return { clock, journal, state, hub: new Hub({ sources, clock, epoch: "e" }) };
}

/** Keeps what it is sent, and takes no more after `limit` frames. */
function viewer(limit = Number.POSITIVE_INFINITY): Viewer & { readonly frames: Frame[]; readonly ids: string[] } {
  const [frames, ids]: [Frame[], string[]] = [[], []];
  const send = (frame: Uint8Array): boolean => {
    const [, id = "", data = ""] = /^id: (\S+)\ndata: (.*)\n\n$/.exec(Buffer.from(frame).toString()) ?? [];
    ids.push(id);
    return frames.push(JSON.parse(data) as Frame) < limit;
  };
  return { frames, ids, send };
}

const entry = (run: number, type: "done" | "gone" = "done") => ({
  run,
  controller: "a",
  key: "default/x",
  startedAt: 0,
  durationMs: 1,
  waitedMs: 2,
  reasons: [{ type: "updated", kind: "Pod", key: "default/x", revision: "7" }] as const,
  omittedReasons: 0,
  reads: [],
  writes: [],
  omitted: 0,
  result: { type },
});

test("a viewer gets the whole state, then the changes alone", async () => {
  const { clock, journal, state, hub } = rig();
  const seen = viewer();
  using _ = hub.view(seen, undefined);
  expect(seen.frames).toMatchObject([{ whole: true, controllers: { a: { ready: 0 }, b: {} }, runs: [] }]);
  state.ready = 3;
  await clock.advance(100);
  expect(seen.frames[1]).toMatchObject({ whole: false });
  expect(seen.frames[1]?.controllers).toEqual({ a: { ready: 3 } });
  journal.add({ ...entry(1), result: { type: "failed", error: "boom", stack: [], failures: 1 } });
  await clock.advance(100);
  expect(seen.frames[2]?.controllers).toMatchObject({ a: { lastError: { message: "boom" } } });
  state.names = ["a"];
  await clock.advance(100);
  expect(seen.frames[3]?.controllers).toEqual({ b: null });
});

test("changes are told at most ten times a second, however many there are", async () => {
  const { clock, journal, state, hub } = rig();
  const seen = viewer();
  using _ = hub.view(seen, undefined);
  for (let i = 1; i <= 1_000; i++) {
    state.ready = i;
    journal.add(entry(i));
    await clock.advance(1);
  }
  expect(seen.frames.length).toBeLessThanOrEqual(11);
  const told = seen.frames.slice(1).map(({ runs = [], omittedRuns = 0 }) => runs.length + omittedRuns);
  expect(told.reduce((a, b) => a + b, 0)).toBe(1_000);
  expect(Math.max(...seen.frames.map(({ runs = [] }) => runs.length))).toBeLessThanOrEqual(8);
  // of many runs the newest are told
  expect(seen.frames[1]?.runs?.at(-1)?.run).toBe(100);
});

test("a page that nobody looks at costs nothing: nothing is read", async () => {
  const { clock, state, hub } = rig();
  await clock.advance(10_000);
  expect(state.samples).toBe(0);
  const viewing = hub.view(viewer(), undefined);
  await clock.advance(1_000);
  viewing[Symbol.dispose]();
  const { samples } = state;
  await clock.advance(10_000);
  expect([state.samples, clock.pendingTimers, hub.viewers]).toEqual([samples, 0, 0]);
});

test("a viewer that comes again gets what it missed; one of another process gets everything", async () => {
  const { clock, state, hub } = rig();
  const first = viewer();
  const viewing = hub.view(first, undefined);
  state.ready = 1;
  await clock.advance(100);
  viewing[Symbol.dispose]();
  state.ready = 2;
  await clock.advance(5_000);
  const again = viewer();
  using _again = hub.view(again, first.ids.at(-1));
  expect(again.frames.map(({ whole }) => whole)).toEqual([false]);
  expect(again.frames[0]?.controllers).toMatchObject({ a: { ready: 2 } });
  for (const stranger of ["other-1", "e-999", "e-x", ""]) {
    const seen = viewer();
    using _seen = hub.view(seen, stranger);
    expect(seen.frames.map(({ whole }) => whole)).toEqual([true]);
  }
});

test("a viewer whose connection is full gets the whole state when it has drained", async () => {
  const { clock, state, hub } = rig();
  const slow = viewer(2);
  using _ = hub.view(slow, undefined);
  for (let i = 1; i <= 5; i++) {
    state.ready = i;
    await clock.advance(100);
  }
  expect(slow.frames.map(({ whole }) => whole)).toEqual([true, false]);
  hub.drained(slow);
  expect(slow.frames[2]).toMatchObject({ whole: true, controllers: { a: { ready: 5 } } });
});

test("a field that comes and goes is told, and one that stays is not, whatever its type", async () => {
  const { clock, state, hub } = rig();
  const seen = viewer();
  using _ = hub.view(seen, undefined);
  state.failure = { key: "default/x", message: "boom", at: 1 };
  await clock.advance(100);
  // equal, and another object
  state.failure = { ...state.failure };
  state.ready = 1;
  await clock.advance(100);
  state.failure = undefined;
  await clock.advance(100);
  const told = seen.frames.slice(1).map(({ controllers }) => controllers?.["a"] as unknown);
  expect(told).toEqual([
    { lastFailure: { key: "default/x", message: "boom", at: 1 } },
    { ready: 1 },
    { lastFailure: null },
  ]);
});
