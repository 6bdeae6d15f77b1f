/** The informer's contract under random histories: whatever happens on the way, in the end the cache equals the server. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { compareRevisions, newExpired, newInternalError, newTooManyRequests } from "../../src/api/index.js";
import { FakeClock, seededRandom } from "../../src/base/index.js";
import {
  DeletedFinalStateUnknown,
  type HandlerRegistration,
  type ResourceEventHandler,
  SharedIndexInformer,
} from "../../src/informer/index.js";
import { type Call, ModelServer, type ModelWatch, type Thing, type ThingEvent } from "./model-server.js";

const full = process.env["COXSWAIN_FULL"] === "1";

const reset = Object.assign(new Error("socket hang up"), { code: "ECONNRESET" });
const refusedConnection = Object.assign(new Error("connect ECONNREFUSED"), { code: "ECONNREFUSED" });

/** A handler's view, from its events alone. Throws when an event contradicts an earlier one. */
class Replay {
  readonly view = new Map<string, Thing>();
  readonly highest = new Map<string, string>();
  registration: HandlerRegistration | undefined;
  failures = 0;
  readonly #throwing: boolean;

  constructor(throwing: boolean) {
    this.#throwing = throwing;
  }

  readonly onAdd = (thing: Thing): void => {
    const key = keyOf(thing);
    expect(this.view.has(key), `${key} was added twice`).toBe(false);
    this.#see(key, thing);
  };

  readonly onUpdate = (previous: Thing, thing: Thing): void => {
    const key = keyOf(thing);
    expect(this.view.get(key), `${key} was updated from a state that was never told`).toBe(previous);
    this.#see(key, thing);
  };

  readonly onDelete = (gone: Thing | DeletedFinalStateUnknown<Thing>): void => {
    const key = gone instanceof DeletedFinalStateUnknown ? gone.key : keyOf(gone);
    expect(this.view.delete(key), `${key} was deleted without having been added`).toBe(true);
  };

  #see(key: string, thing: Thing): void {
    const revision = thing.metadata.resourceVersion as string;
    const highest = this.highest.get(key) ?? "1";
    expect(
      compareRevisions(revision, highest),
      `${key} went back from ${highest} to ${revision}`,
    ).toBeGreaterThanOrEqual(0);
    this.highest.set(key, revision);
    this.view.set(key, thing);
    if (this.#throwing && Number(revision) % 5 === 0) throw new Error("a handler that fails now and then");
  }
}

const keyOf = ({ metadata }: Thing): string => `${metadata.namespace}/${metadata.name}`;

const names = fc.constantFrom("a", "b", "c", "d", "e", "f");
const steps = fc.array(
  fc.oneof(
    { weight: 8, arbitrary: fc.record({ do: fc.constant("put" as const), name: names }) },
    { weight: 4, arbitrary: fc.record({ do: fc.constant("remove" as const), name: names }) },
    { weight: 2, arbitrary: fc.record({ do: fc.constantFrom("cut", "reset", "expire", "fail", "throttle") }) },
    { weight: 1, arbitrary: fc.record({ do: fc.constantFrom("compact", "bookmark", "jump") }) },
    { weight: 2, arbitrary: fc.record({ do: fc.constantFrom("join", "joinThrowing", "joinSlow", "leave") }) },
    { weight: 1, arbitrary: fc.record({ do: fc.constantFrom("joinSoon", "indexSoon"), ticks: fc.nat(40) }) },
    { weight: 1, arbitrary: fc.record({ do: fc.constant("garble" as const), with: fc.nat(5) }) },
    { weight: 2, arbitrary: fc.record({ do: fc.constant("refuse" as const), with: fc.nat(4) }) },
    {
      weight: 6,
      arbitrary: fc.record({ do: fc.constant("wait" as const), ms: fc.constantFrom(0, 0, 0, 500, 3000, 200_000) }),
    },
    { weight: 1, arbitrary: fc.record({ do: fc.constantFrom("distort", "straighten") }) },
  ),
  { minLength: 5, maxLength: 60, size: "max" },
);

interface Step {
  readonly do: string;
  readonly name?: string;
  readonly ms?: number;
  readonly with?: number;
  readonly ticks?: number;
}

/** Malformed events: they are skipped, and the events before and after them are not. */
const garbage = [
  { type: "ADDED" },
  { type: "MODIFIED", object: null },
  { type: "DELETED", object: { metadata: {} } },
  { type: "RENAMED", object: { metadata: { name: "a", namespace: "default" } } },
  { type: "BOOKMARK", object: {} },
  { type: "BOOKMARK", object: { metadata: { resourceVersion: "" } } },
] as unknown as ThingEvent[];

/** Repeats some events at once, and some that this watch sent long ago. */
function distortion(seed: number): NonNullable<ModelServer["distort"]> {
  const random = seededRandom(seed);
  const sentBefore = new WeakMap<ModelWatch, ThingEvent[]>();
  return (events, watch) => {
    const past = sentBefore.get(watch) ?? [];
    sentBefore.set(watch, past);
    past.push(...events);
    const sent = [...events];
    if (random.next() < 0.4) sent.push(...events);
    if (random.next() < 0.4) sent.push(past[random.int(past.length)] as ThingEvent);
    return sent;
  };
}

function refusal(kind: number): (call: Call) => unknown {
  const errors = [
    newTooManyRequests("later", 1),
    newInternalError("oops"),
    refusedConnection,
    newExpired("old"),
    reset,
  ];
  let left = 1 + (kind % 3);
  return () => (left-- > 0 ? errors[kind % errors.length] : undefined);
}

const byParity = ({ spec }: Thing): string[] => [spec !== undefined && spec.value % 2 === 1 ? "odd" : "even"];

async function microtasks(count: number): Promise<void> {
  for (let i = 0; i < count; i++) await Promise.resolve();
}

class Life {
  readonly clock = new FakeClock();
  readonly server: ModelServer;
  readonly informer: SharedIndexInformer<Thing>;
  /** Another informer on the same server, with one handler and a rhythm of its own. */
  readonly small: SharedIndexInformer<Thing>;
  readonly smallReplay = new Replay(false);
  readonly handlers: Replay[] = [];
  readonly contradictions: unknown[] = [];
  readonly #seed: number;
  /** Ends the work of slow handlers, so that stopping need not wait for it. */
  readonly #over = new AbortController();

  /** `isLong`: there are enough objects that lists are applied in slices. */
  constructor(seed: number, isLong: boolean) {
    this.#seed = seed;
    this.server = new ModelServer({ supportsWatchList: seed % 2 === 0, pages: seed % 3 === 0 });
    this.server.put("a");
    this.server.put("b");
    if (isLong) for (let i = 0; i < 600; i++) this.server.put(`more-${i}`);
    this.small = new SharedIndexInformer<Thing>({
      source: this.server,
      clock: this.clock,
      random: seededRandom(seed + 1),
      resyncPeriodMs: seed % 3 === 0 ? 7_000 : 0,
    });
    this.small.addEventHandler(this.#told(this.smallReplay));
    this.informer = new SharedIndexInformer<Thing>({
      source: this.server,
      clock: this.clock,
      random: seededRandom(seed),
      resyncPeriodMs: seed % 5 === 0 && !isLong ? 10_000 : 0,
      pageSize: seed % 7 === 0 ? 2 : 0,
    });
  }

  join({ throwing = false, slow = false } = {}): void {
    const replay = new Replay(throwing);
    replay.registration = this.informer.addEventHandler(this.#told(replay, slow));
    this.handlers.push(replay);
  }

  #told(replay: Replay, slow = false): ResourceEventHandler<Thing> {
    const told = (work: () => void): unknown => {
      this.#guarded(work);
      return slow ? this.clock.sleep(5, this.#over.signal) : undefined;
    };
    return {
      onAdd: (thing) => told(() => replay.onAdd(thing)),
      onUpdate: (previous, thing) => told(() => replay.onUpdate(previous, thing)),
      onDelete: (gone) => told(() => replay.onDelete(gone)),
    };
  }

  /** The effect of each step of a history. */
  readonly #steps: Readonly<Record<string, (step: Step, i: number) => unknown>> = {
    put: ({ name = "" }, i) => this.server.put(name, i),
    remove: ({ name = "" }) => this.server.remove(name),
    cut: () => this.server.cut(),
    reset: () => this.server.cut(reset),
    expire: () => this.server.cut(newExpired("too old resource version")),
    fail: () => this.server.cut(new Error("garbled frame")),
    throttle: () => this.server.cut(newTooManyRequests("later", 1)),
    compact: () => this.server.compact(),
    bookmark: () => this.server.bookmark(),
    jump: () => (this.server.revision += 1000),
    join: () => this.join(),
    joinThrowing: () => this.join({ throwing: true }),
    joinSlow: () => this.join({ slow: true }),
    joinSoon: ({ ticks = 0 }) => void microtasks(ticks).then(() => this.join()),
    indexSoon: ({ ticks = 0 }, i) =>
      void microtasks(ticks).then(() => this.informer.addIndexers({ [`parity-${i}`]: byParity })),
    garble: (step) => {
      for (const watch of this.server.open) watch.send(garbage[step.with ?? 0] as ThingEvent);
    },
    leave: (_step, i) => this.#leave(i),
    refuse: (step) => (this.server.refuse = refusal(step.with ?? 0)),
    wait: ({ ms = 0 }) => this.clock.advance(ms),
    distort: (_step, i) => (this.server.distort = distortion(this.#seed + i)),
    straighten: () => (this.server.distort = undefined),
  };

  async live(history: readonly Step[]): Promise<void> {
    for (const [i, step] of history.entries()) await this.#steps[step.do]?.(step, i);
    this.server.refuse = undefined;
    this.server.distort = undefined;
    await this.clock.advance(130_000);
    // a resync may have come with the last millisecond
    const isBehind = ({ registration }: Replay): boolean => (registration?.pending ?? 0) > 0;
    for (let i = 0; i < 2000 && this.handlers.some(isBehind); i++) await this.clock.advance(5);
    this.#over.abort();
  }

  #leave(i: number): void {
    if (this.handlers.length < 2) return;
    const [replay] = this.handlers.splice(i % this.handlers.length, 1);
    // not awaited: a slow handler ends its last call when time goes on
    void replay?.registration?.remove();
  }

  #guarded(work: () => void): void {
    try {
      work();
    } catch (error) {
      if (!(error instanceof Error && error.message.startsWith("a handler that fails")))
        this.contradictions.push(error);
      throw error;
    }
  }
}

async function lives(history: readonly Step[], seed: number, isLong = false): Promise<void> {
  const life = new Life(seed, isLong);
  const { informer, server, small, handlers, contradictions } = life;
  life.join();
  await using _ = informer.start();
  await using __ = small.start();
  await life.live(history);
  if (contradictions.length > 0) throw contradictions[0] as Error;
  expect(informer.hasSynced).toBe(true);
  const cached = new Map(informer.indexer.list().map((thing) => [keyOf(thing), thing]));
  expect(cached).toEqual(server.objects);
  for (const { view, registration } of handlers) {
    expect(view).toEqual(cached);
    expect([registration?.hasSynced, registration?.pending]).toEqual([true, 0]);
  }
  for (const index of Object.keys(informer.indexer.indexers))
    for (const parity of ["odd", "even"])
      expect(new Set(informer.indexer.byIndex(index, parity))).toEqual(
        new Set([...cached.values()].filter((thing) => byParity(thing)[0] === parity)),
      );
  expect(new Map(small.indexer.list().map((thing) => [keyOf(thing), thing]))).toEqual(server.objects);
  expect(life.smallReplay.view).toEqual(server.objects);
  expect(server.open).toHaveLength(2);
}

describe("after any history of changes, disconnects, compactions, refusals, late and repeated events", () => {
  test("the cache is eventually equal to the server, each handler's replayed view to the cache, with revisions that only grew", async () => {
    await fc.assert(
      fc.asyncProperty(steps, fc.nat(1_000_000), (history, seed) => lives(history, seed)),
      { numRuns: full ? 5000 : 250 },
    );
  });

  test("the same with lists that are too long to be applied at once", async () => {
    await fc.assert(
      fc.asyncProperty(steps, fc.nat(1_000_000), (history, seed) => lives(history, seed, true)),
      { numRuns: full ? 40 : 5 },
    );
  });
});
