import { describe, expect, test } from "vitest";
import {
  type Event,
  type EventsV1Event,
  type KubeObject,
  newAlreadyExists,
  newForbidden,
  newNotFound,
  newServiceUnavailable,
} from "../../api/index.js";
import { FakeClock, type Running, seededRandom } from "../../base/index.js";
import { EventBroadcaster, type EventBroadcasterOptions } from "./broadcaster.js";
import { coreCorrelation } from "./core-correlation.js";
import { fakeEventRecorder } from "./recorder.js";
import { seriesCorrelation } from "./series-correlation.js";
import type { EventCorrelation, EventSink } from "./sink.js";

const pod: KubeObject = {
  apiVersion: "v1",
  kind: "Pod",
  metadata: { namespace: "default", name: "web", uid: "u1", resourceVersion: "7" },
};
const resource = { group: "", resource: "events" };

/** Keeps the written events; throws the result of `fail` instead, if it gives one. */
class MemorySink<E extends KubeObject> implements EventSink<E> {
  readonly events = new Map<string, E>();
  readonly calls: string[] = [];
  fail: (() => Error | undefined) | undefined;

  create = async (event: E): Promise<E> => {
    this.#called("create");
    if (this.events.has(event.metadata.name)) throw newAlreadyExists(resource, event.metadata.name);
    this.events.set(event.metadata.name, event);
    return event;
  };
  patch = async (event: E, patch: object): Promise<E> => {
    this.#called("patch");
    const known = this.events.get(event.metadata.name);
    if (known === undefined) throw newNotFound(resource, event.metadata.name);
    const next = { ...known, ...patch };
    this.events.set(event.metadata.name, next);
    return next;
  };

  get all(): E[] {
    return [...this.events.values()];
  }

  #called(call: string): void {
    this.calls.push(call);
    const error = this.fail?.();
    if (error !== undefined) throw error;
  }
}

function setup(correlate: (clock: FakeClock) => EventCorrelation, options: EventBroadcasterOptions = {}) {
  const clock = new FakeClock();
  const broadcaster = new EventBroadcaster({ clock, random: seededRandom(1), ...options });
  const running: Running = broadcaster.startRecordingToSink(correlate(clock));
  const recorder = broadcaster.newRecorder({ component: "foo-controller", host: "node-1" });
  return { clock, broadcaster, running, recorder };
}

describe("recorder", () => {
  test("an event names the object, the reporter and the time; annotations are kept", async () => {
    const sink = new MemorySink<Event>();
    const { clock, recorder, running } = setup((time) => coreCorrelation(sink, { clock: time }));
    recorder.warning(pod, "Failed", "no luck", { annotations: { a: "b" } });
    await clock.advance(0);
    expect(sink.all).toEqual([
      {
        apiVersion: "v1",
        kind: "Event",
        metadata: {
          name: expect.stringMatching(/^web\.15e59a35b9[89][0-9a-f]{5}$/) as string,
          namespace: "default",
          annotations: { a: "b" },
        },
        involvedObject: {
          kind: "Pod",
          namespace: "default",
          name: "web",
          uid: "u1",
          apiVersion: "v1",
          resourceVersion: "7",
        },
        reason: "Failed",
        message: "no luck",
        source: { component: "foo-controller", host: "node-1" },
        firstTimestamp: "2020-01-01T00:00:00Z",
        lastTimestamp: "2020-01-01T00:00:00Z",
        count: 1,
        type: "Warning",
        reportingComponent: "foo-controller",
        reportingInstance: "node-1",
      },
    ]);
    await running[Symbol.asyncDispose]();
  });

  test("objects without a namespace have their events in `default`, names that are no DNS names become UUIDs, names differ", async () => {
    const sink = new MemorySink<Event>();
    const { clock, recorder, running } = setup((time) => coreCorrelation(sink, { clock: time }));
    recorder.normal({ apiVersion: "v1", kind: "Node", metadata: { name: "node-1" } }, "Ready", "1");
    recorder.normal({ apiVersion: "v1", kind: "Node", metadata: { name: "node-1" } }, "Ready", "2");
    recorder.normal({ apiVersion: "rbac/v1", kind: "ClusterRole", metadata: { name: "system:x" } }, "Made", "3");
    await clock.advance(0);
    expect(sink.all.map(({ metadata }) => metadata.namespace)).toEqual(["default", "default", "default"]);
    expect(new Set(sink.all.map(({ metadata }) => metadata.name)).size).toBe(3);
    expect(sink.all[2]?.metadata.name).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
    await running[Symbol.asyncDispose]();
  });

  test("an object that cannot be referred to makes no event and no failure; a reference is enough", async () => {
    const sink = new MemorySink<Event>();
    const { clock, recorder, running } = setup((time) => coreCorrelation(sink, { clock: time }));
    recorder.normal({ metadata: { name: "x" } } as unknown as KubeObject, "R", "m");
    recorder.normal({ kind: "Pod", name: "y", namespace: "ns" }, "R", "m");
    await clock.advance(0);
    expect(sink.all.map(({ involvedObject }) => involvedObject)).toEqual([{ kind: "Pod", name: "y", namespace: "ns" }]);
    await running[Symbol.asyncDispose]();
  });

  test("watchers see what is recorded from then on, and a failing one harms nobody", () => {
    const broadcaster = new EventBroadcaster({ clock: new FakeClock() });
    const recorder = broadcaster.newRecorder({ component: "c" });
    const seen: string[] = [];
    recorder.normal(pod, "Early", "");
    using _failing = broadcaster.watch(() => {
      throw new Error("boom");
    });
    using _seeing = broadcaster.watch(({ type, reason }) => void seen.push(`${type} ${reason}`));
    recorder.normal(pod, "Late", "");
    expect(seen).toEqual(["Normal Late"]);
  });

  test("the fake recorder keeps lines", () => {
    const recorder = fakeEventRecorder();
    recorder.normal(pod, "Synced", "all well");
    recorder.warning(pod, "Bad", "not so");
    expect(recorder.lines).toEqual(["Normal Synced all well", "Warning Bad not so"]);
  });
});

describe("core/v1 correlation", () => {
  const core = (sink: EventSink<Event>) => (clock: FakeClock) => coreCorrelation(sink, { clock });

  test("equal events are counted by patches of count, message and time on the first one", async () => {
    const sink = new MemorySink<Event>();
    const { clock, recorder, running } = setup(core(sink));
    for (let i = 0; i < 3; i++) {
      recorder.normal(pod, "Pulled", "image");
      await clock.advance(2_000);
    }
    expect(sink.calls).toEqual(["create", "patch", "patch"]);
    expect(sink.all).toHaveLength(1);
    expect(sink.all[0]).toMatchObject({
      count: 3,
      firstTimestamp: "2020-01-01T00:00:00Z",
      lastTimestamp: "2020-01-01T00:00:04Z",
    });
    await running[Symbol.asyncDispose]();
  });

  test("after ten different messages in ten minutes the next ones are combined into one event", async () => {
    const sink = new MemorySink<Event>();
    const { clock, recorder, running } = setup(core(sink));
    for (let i = 1; i <= 12; i++) recorder.normal(pod, "Pulled", `image ${i}`, { annotations: { n: String(i) } });
    await clock.advance(0);
    expect(sink.all.map(({ message, count }) => [message, count])).toEqual([
      ...Array.from({ length: 9 }, (_, i) => [`image ${i + 1}`, 1]),
      ["(combined from similar events): image 12", 3],
    ]);
    expect(sink.all.at(-1)).toMatchObject({
      source: { component: "foo-controller" },
      reportingComponent: "",
      metadata: { annotations: { n: "10" } },
    });
    await running[Symbol.asyncDispose]();
  });

  test("messages more than ten minutes apart are not combined", async () => {
    const sink = new MemorySink<Event>();
    const { clock, recorder, running } = setup(core(sink));
    for (let i = 1; i <= 9; i++) recorder.normal(pod, "Pulled", `image ${i}`);
    await clock.advance(600_001);
    recorder.normal(pod, "Pulled", "image 10");
    await clock.advance(0);
    expect(sink.all.at(-1)?.message).toBe("image 10");
    await running[Symbol.asyncDispose]();
  });

  test("the filter lets 25 events of a type about an object pass, then one in five minutes; the others are counted", async () => {
    const sink = new MemorySink<Event>();
    const { clock, broadcaster, recorder, running } = setup(core(sink));
    for (let i = 0; i < 40; i++) recorder.normal(pod, `Reason${i % 5}`, "same");
    recorder.warning(pod, "Other", "type");
    recorder.normal({ ...pod, metadata: { ...pod.metadata, uid: "u2" } }, "Other", "object");
    await clock.advance(0);
    expect(broadcaster.outcomes()).toEqual({ sent: 27, filtered: 15 });
    await clock.advance(300_000);
    recorder.normal(pod, "Reason0", "same");
    recorder.normal(pod, "Reason0", "same");
    await clock.advance(0);
    expect(broadcaster.outcomes()).toEqual({ sent: 28, filtered: 16 });
    // events that were held back had been counted
    expect(sink.all.find(({ reason }) => reason === "Reason0")?.count).toBe(9);
    await running[Symbol.asyncDispose]();
  });

  test("an event that is gone from the server is created again by the next one", async () => {
    const sink = new MemorySink<Event>();
    const { clock, recorder, running } = setup(core(sink));
    recorder.normal(pod, "R", "m");
    await clock.advance(0);
    sink.events.clear();
    recorder.normal(pod, "R", "m");
    await clock.advance(0);
    expect(sink.calls).toEqual(["create", "patch", "create"]);
    expect(sink.all[0]?.count).toBe(2);
    await running[Symbol.asyncDispose]();
  });
});

describe("sending", () => {
  const core = (sink: EventSink<Event>) => (clock: FakeClock) => coreCorrelation(sink, { clock });

  test("a transport failure is retried twelve times, first within ten seconds, then every ten", async () => {
    const sink = new MemorySink<Event>();
    sink.fail = () => new Error("connection refused");
    const { clock, broadcaster, recorder, running } = setup(core(sink));
    recorder.normal(pod, "R", "m");
    await clock.advance(9_999.999);
    expect(sink.calls.length).toBe(2);
    await clock.advance(200_000);
    expect(sink.calls.length).toBe(12);
    expect(broadcaster.outcomes()).toEqual({ failed: 1 });
    await running[Symbol.asyncDispose]();
  });

  test("a refusal is final; an overloaded or broken server is asked again", async () => {
    const sink = new MemorySink<Event>();
    const errors: (Error | undefined)[] = [
      newForbidden(resource, "x", "no"),
      newServiceUnavailable("later"),
      undefined,
    ];
    sink.fail = () => errors.shift();
    const { clock, broadcaster, recorder, running } = setup(core(sink));
    recorder.normal(pod, "Refused", "m");
    recorder.normal(pod, "Retried", "m");
    await clock.advance(20_000);
    expect(broadcaster.outcomes()).toEqual({ rejected: 1, sent: 1 });
    expect(sink.all.map(({ reason }) => reason)).toEqual(["Retried"]);
    await running[Symbol.asyncDispose]();
  });

  test("recording never waits: what does not fit the queue is dropped and counted", async () => {
    const sink = new MemorySink<Event>();
    sink.fail = () => new Error("down");
    const { clock, broadcaster, recorder, running } = setup(core(sink), { queueLimit: 3 });
    recorder.normal(pod, "First", "m");
    await clock.advance(0);
    for (let i = 0; i < 5; i++) recorder.normal(pod, `R${i}`, "m");
    expect(broadcaster.outcomes()).toEqual({ dropped: 2 });
    await running[Symbol.asyncDispose]();
    expect(broadcaster.outcomes()).toEqual({ dropped: 2, failed: 4 });
  });

  test("stopping sends what waits, each with one attempt, and does not wait for a retry", async () => {
    const sink = new MemorySink<Event>();
    sink.fail = () => (sink.calls.length === 1 ? new Error("down") : undefined);
    const { clock, broadcaster, recorder, running } = setup(core(sink));
    recorder.normal(pod, "A", "m");
    await clock.advance(0);
    recorder.normal(pod, "B", "m");
    await running[Symbol.asyncDispose]();
    expect(sink.all.map(({ reason }) => reason)).toEqual(["A", "B"]);
    expect([broadcaster.outcomes(), clock.pendingTimers]).toEqual([{ sent: 2 }, 0]);
  });

  test("a server that does not answer ends the flush after its time", async () => {
    const hanging: EventSink<Event> = {
      create: (_event, signal) =>
        new Promise((_, reject) => signal.addEventListener("abort", () => reject(signal.reason as Error))),
      patch: () => Promise.reject(new Error("unused")),
    };
    const { clock, recorder, running, broadcaster } = setup(core(hanging), { flushMs: 500 });
    recorder.normal(pod, "A", "m");
    await clock.advance(0);
    const stopped = running[Symbol.asyncDispose]();
    await clock.advance(500);
    await stopped;
    expect(broadcaster.outcomes()).toEqual({ failed: 1 });
  });
});

describe("events.k8s.io/v1 series", () => {
  const v1 = (sink: EventSink<EventsV1Event>) => () => seriesCorrelation(sink);

  test("an event has action, note, microseconds, and the reporting instance", async () => {
    const sink = new MemorySink<EventsV1Event>();
    const { clock, recorder, running } = setup(v1(sink));
    recorder.normal(pod, "Scaled", "x".repeat(2_000), { action: "Scaling", related: { kind: "Node", name: "n" } });
    await clock.advance(0);
    expect(sink.all[0]).toMatchObject({
      apiVersion: "events.k8s.io/v1",
      eventTime: "2020-01-01T00:00:00.000000Z",
      reportingController: "foo-controller",
      reportingInstance: "foo-controller-node-1",
      action: "Scaling",
      reason: "Scaled",
      type: "Normal",
      related: { kind: "Node", name: "n" },
      note: `${"x".repeat(1_021)}…`,
    });
    await running[Symbol.asyncDispose]();
  });

  test("the first is created, the second patches a series of two, later ones are counted in memory whatever their note", async () => {
    const sink = new MemorySink<EventsV1Event>();
    const { clock, broadcaster, recorder, running } = setup(v1(sink));
    for (let i = 0; i < 5; i++) recorder.normal(pod, "R", `note ${i}`);
    await clock.advance(0);
    expect(sink.calls).toEqual(["create", "patch"]);
    expect(sink.all[0]?.series).toEqual({ count: 2, lastObservedTime: "2020-01-01T00:00:00.000000Z" });
    expect(broadcaster.outcomes()).toEqual({ sent: 2, counted: 3 });
    await running[Symbol.asyncDispose]();
    expect(sink.all[0]?.series?.count).toBe(5);
  });

  test("another revision of the object is another series", async () => {
    const sink = new MemorySink<EventsV1Event>();
    const { clock, recorder, running } = setup(v1(sink));
    recorder.normal(pod, "R", "m");
    recorder.normal({ ...pod, metadata: { ...pod.metadata, resourceVersion: "8" } }, "R", "m");
    await clock.advance(0);
    expect(sink.calls).toEqual(["create", "create"]);
    await running[Symbol.asyncDispose]();
  });

  test("a series that is quiet for six minutes is patched a last time and ends; the next event is a new one", async () => {
    const sink = new MemorySink<EventsV1Event>();
    const { clock, recorder, running } = setup(v1(sink));
    for (let i = 0; i < 4; i++) recorder.normal(pod, "R", "m");
    await clock.advance(13 * 60_000);
    expect([sink.calls, sink.all[0]?.series?.count]).toEqual([["create", "patch", "patch"], 4]);
    recorder.normal(pod, "R", "m");
    await clock.advance(0);
    expect(sink.all).toHaveLength(2);
    await running[Symbol.asyncDispose]();
  });

  test("a running series is told to the server every half hour", async () => {
    const sink = new MemorySink<EventsV1Event>();
    const { clock, recorder, running } = setup(v1(sink));
    for (let minute = 0; minute < 70; minute += 5) {
      recorder.normal(pod, "R", "m");
      await clock.advance(5 * 60_000);
    }
    expect(sink.calls).toEqual(["create", "patch", "patch", "patch"]);
    await running[Symbol.asyncDispose]();
  });

  test("a patch of a series whose event is gone creates it with its count", async () => {
    const sink = new MemorySink<EventsV1Event>();
    const { clock, recorder, running } = setup(v1(sink));
    recorder.normal(pod, "R", "m");
    await clock.advance(0);
    sink.events.clear();
    recorder.normal(pod, "R", "m");
    await clock.advance(0);
    expect(sink.all[0]?.series?.count).toBe(2);
    await running[Symbol.asyncDispose]();
  });
});

test("two that tell of one object in the same millisecond do not take each other's names", async () => {
  const clock = new FakeClock();
  const sink = new MemorySink<Event>();
  for (const seed of [1, 2]) {
    const broadcaster = new EventBroadcaster({ clock, random: seededRandom(seed) });
    await using _recording = broadcaster.startRecordingToSink(coreCorrelation(sink, { clock }));
    broadcaster.newRecorder({ component: `c${seed}` }).normal(pod, "Started", "x");
    await clock.advance(0);
  }
  expect(sink.events.size).toBe(2);
});
