import { describe, expect, test } from "vitest";
import { FakeClock, MetricsRegistry } from "../../base/index.js";
import { MvccStore } from "../storage/mvcc-store.js";
import { type Asking, FlowControl, flowCollections, Rejected, type Seat } from "./flow-control.js";
import { suggested } from "./suggested.js";
import type { RequestTurns } from "./turns.js";

/** Turns that a test ends by hand. */
class HandTurns implements RequestTurns {
  isUsedUp = false;
  share = 1;
  readonly waiting: ((share: number) => void)[] = [];

  isOver(): boolean {
    return this.isUsedUp;
  }
  next(run: (share: number) => void): void {
    if (this.isUsedUp) this.waiting.push(run);
    else queueMicrotask(() => run(this.share));
  }
  begin(): void {
    this.isUsedUp = false;
    for (const run of this.waiting.splice(0)) run(this.share);
  }
}

interface Rig extends AsyncDisposable {
  readonly clock: FakeClock;
  readonly flow: FlowControl;
  readonly turns: HandTurns;
  readonly metrics: MetricsRegistry;
  enter(username: string, over?: Partial<Asking>): Promise<Seat>;
}

function rig(seats = 600): Rig {
  const clock = new FakeClock();
  const store = new MvccStore({ clock });
  const put = (collection: string, object: { readonly metadata: { readonly name: string } }): void => {
    store.commit([{ type: "put", collection, key: object.metadata.name, expected: 0, object: object as never }]);
  };
  for (const one of suggested.levels) put(flowCollections.levels, one);
  for (const one of suggested.schemas) put(flowCollections.schemas, one);
  const turns = new HandTurns();
  const metrics = new MetricsRegistry();
  const flow = new FlowControl({ store, clock, metrics, seats, collectionOf: () => undefined, turns });
  const info = { type: "other", verb: "get", path: "/x" } as const;
  return {
    clock,
    flow,
    turns,
    metrics,
    async enter(username, over = {}) {
      const user = { username, groups: ["system:authenticated"] };
      const { signal } = new AbortController();
      const asking = { user, info, query: new URLSearchParams(), patienceMs: 15_000, signal, ...over };
      return flow.enter(flow.flowOf(asking.user, asking.info), asking);
    },
    async [Symbol.asyncDispose]() {
      flow[Symbol.dispose]();
      await store[Symbol.asyncDispose]();
    },
  };
}

const settle = async (): Promise<void> => {
  for (let i = 0; i < 50; i++) await Promise.resolve();
};

describe("flow control", () => {
  test("a request waits for a seat, and is rejected with the advice when its patience is over", async () => {
    await using r = rig(1);
    // one seat for each level, rounded up: this user's level has it taken by the first request
    using _ = await r.enter("noisy");
    const waiting = r.enter("noisy", { patienceMs: 5_000 });
    const over = expect(waiting).rejects.toThrow("Too many requests, please try again later.");
    await r.clock.advance(5_000);
    await over;
    await expect(waiting).rejects.toBeInstanceOf(Rejected);
    const text = r.metrics.expose({ format: "prometheus" });
    const labels = 'priority_level="global-default",flow_schema="global-default"';
    expect(text).toContain(`apiserver_flowcontrol_rejected_requests_total{${labels},reason="time-out"} 1\n`);
    expect(text).toContain(`apiserver_flowcontrol_dispatched_requests_total{${labels}} 1\n`);
    expect(text).toContain(`apiserver_flowcontrol_current_inqueue_requests{${labels}} 0\n`);
    expect(text).toContain(`apiserver_flowcontrol_current_executing_requests{${labels}} 1\n`);
  });

  test("a request whose client goes away leaves its queue", async () => {
    await using r = rig(1);
    const first = await r.enter("noisy");
    const gone = new AbortController();
    const waiting = r.enter("noisy", { signal: gone.signal });
    const refused = expect(waiting).rejects.toBeInstanceOf(Rejected);
    gone.abort(new Error("gone"));
    await refused;
    first[Symbol.dispose]();
    using _ = await r.enter("noisy");
  });

  test("when the turn is used up requests wait, and the quiet flow's goes before the noisy one's", async () => {
    await using r = rig();
    const order: string[] = [];
    using _first = await r.enter("noisy");
    r.turns.isUsedUp = true;
    const all = ["noisy", "noisy", "noisy", "quiet"].map(async (name) => {
      using _ = await r.enter(name);
      order.push(name);
      r.turns.isUsedUp = true;
      await settle();
    });
    await settle();
    expect(order).toEqual([]);
    while (order.length < 4) {
      r.turns.begin();
      await settle();
    }
    await Promise.all(all);
    expect(order.indexOf("quiet")).toBeLessThan(2);
  });

  test("members of system:masters wait for nothing", async () => {
    await using r = rig(1);
    r.turns.isUsedUp = true;
    const user = { username: "root", groups: ["system:masters"] };
    const seats: Seat[] = [];
    for (let i = 0; i < 20; i++) void r.enter("root", { user }).then((seat) => seats.push(seat));
    await settle();
    expect(seats).toHaveLength(20);
    for (const seat of seats) seat[Symbol.dispose]();
  });

  test("seats that are borrowed let waiting requests begin, though none has ended", async () => {
    await using r = rig(100);
    const seats: Seat[] = [];
    for (let i = 0; i < 40; i++) void r.enter(`user-${i}`).then((seat) => seats.push(seat));
    await settle();
    const before = seats.length;
    await r.clock.advance(10_000);
    await settle();
    expect(seats.length).toBeGreaterThan(before);
    await r.clock.advance(5_000);
    await settle();
    for (const seat of seats) seat[Symbol.dispose]();
    await settle();
    for (const seat of seats) seat[Symbol.dispose]();
  });
});
