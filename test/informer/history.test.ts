/** The informer's contract under random histories: whatever happens on the way, in the end the cache equals the server. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { compareRevisions, newExpired, newInternalError, newTooManyRequests } from "../../src/api/index.js";
import { FakeClock, seededRandom } from "../../src/base/index.js";
import { DeletedFinalStateUnknown, type HandlerRegistration, SharedIndexInformer } from "../../src/informer/index.js";
import { type Call, ModelServer, type Thing, type ThingEvent } from "./model-server.js";

const full = process.env["COXSWAIN_FULL"] === "1";

const reset = Object.assign(new Error("socket hang up"), { code: "ECONNRESET" });
const refusedConnection = Object.assign(new Error("connect ECONNREFUSED"), { code: "ECONNREFUSED" });

/** What a handler believes, from its events alone. Throws when an event contradicts what came before it. */
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
    { weight: 2, arbitrary: fc.record({ do: fc.constantFrom("join", "joinThrowing", "leave") }) },
    { weight: 2, arbitrary: fc.record({ do: fc.constant("refuse" as const), with: fc.nat(4) }) },
    {
      weight: 6,
      arbitrary: fc.record({ do: fc.constant("wait" as const), ms: fc.constantFrom(0, 0, 0, 500, 3000, 200_000) }),
    },
    { weight: 1, arbitrary: fc.record({ do: fc.constantFrom("distort", "straighten") }) },
  ),
  { minLength: 5, maxLength: 60, size: "max" },
);

type Step = { readonly do: string; readonly name?: string; readonly ms?: number; readonly with?: number };

/** Repeats some events, and sends some that are long past. */
function distortion(seed: number): (events: readonly ThingEvent[]) => readonly ThingEvent[] {
  const random = seededRandom(seed);
  const past: ThingEvent[] = [];
  return (events) => {
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

async function lives(history: readonly Step[], seed: number): Promise<void> {
  const clock = new FakeClock();
  const server = new ModelServer({ supportsWatchList: seed % 2 === 0, pages: seed % 3 === 0 });
  server.put("a");
  server.put("b");
  const informer = new SharedIndexInformer<Thing>({
    source: server,
    clock,
    random: seededRandom(seed),
    resyncPeriodMs: seed % 5 === 0 ? 10_000 : 0,
    pageSize: seed % 7 === 0 ? 2 : 0,
  });
  const handlers: Replay[] = [];
  const join = (throwing: boolean): void => {
    const replay = new Replay(throwing);
    replay.registration = informer.addEventHandler({
      onAdd: (thing) => guarded(() => replay.onAdd(thing)),
      onUpdate: (previous, thing) => guarded(() => replay.onUpdate(previous, thing)),
      onDelete: (gone) => guarded(() => replay.onDelete(gone)),
    });
    handlers.push(replay);
  };
  const contradictions: unknown[] = [];
  const guarded = (work: () => void): void => {
    try {
      work();
    } catch (error) {
      if (!(error instanceof Error && error.message.startsWith("a handler that fails"))) contradictions.push(error);
      throw error;
    }
  };
  join(false);
  await using _ = informer.start();
  for (const [i, step] of history.entries()) {
    switch (step.do) {
      case "put":
        server.put(step.name as string, i);
        break;
      case "remove":
        server.remove(step.name as string);
        break;
      case "cut":
        server.cut();
        break;
      case "reset":
        server.cut(reset);
        break;
      case "expire":
        server.cut(newExpired("too old resource version"));
        break;
      case "fail":
        server.cut(new Error("garbled frame"));
        break;
      case "throttle":
        server.cut(newTooManyRequests("later", 1));
        break;
      case "compact":
        server.compact();
        break;
      case "bookmark":
        server.bookmark();
        break;
      case "jump":
        server.revision += 1000;
        break;
      case "join":
        join(false);
        break;
      case "joinThrowing":
        join(true);
        break;
      case "leave":
        await handlers.splice(i % handlers.length, handlers.length > 1 ? 1 : 0)[0]?.registration?.remove();
        break;
      case "refuse":
        server.refuse = refusal(step.with ?? 0);
        break;
      case "wait":
        await clock.advance(step.ms ?? 0);
        break;
      case "distort":
        server.distort = distortion(seed + i);
        break;
      case "straighten":
        server.distort = undefined;
        break;
    }
  }
  server.refuse = undefined;
  server.distort = undefined;
  await clock.advance(400_000);
  // a resync may have come with the last millisecond
  await clock.advance(1);
  if (contradictions.length > 0) throw contradictions[0] as Error;
  expect(informer.hasSynced).toBe(true);
  const cached = new Map(informer.indexer.list().map((thing) => [keyOf(thing), thing]));
  expect(cached).toEqual(server.objects);
  for (const { view, registration } of handlers) {
    expect(view).toEqual(cached);
    expect(registration?.hasSynced).toBe(true);
    expect(registration?.pending).toBe(0);
  }
  expect(server.open).toHaveLength(1);
}

describe("after any history of changes, disconnects, compactions, refusals, late and repeated events", () => {
  test("the cache equals the server, and each handler's replayed view the cache, with revisions that only grew", async () => {
    await fc.assert(
      fc.asyncProperty(steps, fc.nat(1_000_000), (history, seed) => lives(history, seed)),
      { numRuns: full ? 5000 : 250 },
    );
  });
});
