/** A server that answers with anything for a while, and then comes to its senses: in the end the cache equals it. */
import fc from "fast-check";
import { expect, test } from "vitest";
import { newExpired, type Status, StatusError } from "../../src/api/index.js";
import { FakeClock, onAbort, type Random, seededRandom } from "../../src/base/index.js";
import {
  deletionHandlingKey,
  type ListerWatcher,
  type SourceListOptions,
  type ListPage,
  SharedIndexInformer,
  type SourceWatchOptions,
} from "../../src/informer/index.js";
import { bookmarkAt, ModelServer, ModelWatch, type Thing, type ThingEvent } from "./model-server.js";

const full = process.env["COXSWAIN_FULL"] === "1";

const revisions = ["", "0", "1", "99", "101", "150", "100000000000000000000", "abc", undefined, null, 7];
const names = ["a", "b", "ghost", "", undefined, null, 3, "../etc", "__proto__", "constructor"];
const reasons = ["Expired", "Gone", "Timeout", "TooManyRequests", "InternalError", "Forbidden", "", "NoSuchReason"];
const codes = [200, 400, 401, 403, 404, 410, 422, 429, 500, 503, 504];

/** Says anything at all, by chance. */
class Liar implements ListerWatcher<Thing> {
  honest = false;
  readonly open: ModelWatch[] = [];
  readonly #server: ModelServer;
  readonly #random: Random;

  constructor(server: ModelServer, random: Random) {
    this.#server = server;
    this.#random = random;
  }

  async list(options: SourceListOptions, signal: AbortSignal): Promise<ListPage<Thing>> {
    if (this.honest) return this.#server.list(options, signal);
    const metadata = this.#one([
      {},
      { resourceVersion: this.#one(revisions), continue: this.#one(["", undefined, "x"]) },
    ]);
    const items = this.#one([null, undefined, [], Array.from({ length: 3 }, () => this.#object())]);
    return this.#one([
      () => this.#server.list(options, signal),
      () => ({ metadata, items }),
      () => ({ kind: "Table", apiVersion: "meta.k8s.io/v1", metadata, items }),
      () => ({ items }),
      () => undefined,
      () => {
        throw this.#error();
      },
    ])() as unknown as ListPage<Thing>;
  }

  async watch(options: SourceWatchOptions, signal: AbortSignal): Promise<ModelWatch> {
    if (this.honest) return this.#server.watch(options, signal);
    if (this.#random.next() < 0.3) throw this.#error();
    const watch = new ModelWatch(options);
    onAbort(signal, (reason) => watch.end(reason));
    this.open.push(watch);
    for (let i = this.#random.int(6); i > 0; i--) watch.send(this.#event());
    if (this.#random.next() < 0.5) watch.end(this.#random.next() < 0.5 ? undefined : this.#error());
    return watch;
  }

  /** More of the same on the watches that are open. */
  talk(): void {
    for (const watch of this.open.filter(({ ended }) => !ended)) watch.send(this.#event(), this.#event());
  }

  comeToItsSenses(): void {
    this.honest = true;
    for (const watch of this.open) watch.end(newExpired("let us begin anew"));
  }

  #event(): ThingEvent {
    return this.#one([
      { type: this.#one(["ADDED", "MODIFIED", "DELETED", "RENAMED"]), object: this.#object() },
      bookmarkAt(this.#random.int(300), this.#one(["true", "false", undefined])),
      { type: "BOOKMARK", object: this.#object() },
      { type: "ERROR", object: this.#one([this.#status(), this.#object()]) },
    ]) as ThingEvent;
  }

  #object(): unknown {
    const metadata = { name: this.#one(names), namespace: "default", resourceVersion: this.#one(revisions) };
    return this.#one([null, undefined, 1, "x", [], {}, { metadata: null }, { metadata }, { metadata }, { metadata }]);
  }

  #error(): unknown {
    return this.#one([
      new StatusError(this.#status()),
      new Error("anything"),
      Object.assign(new Error("no connection"), { code: this.#one(["ECONNREFUSED", "ECONNRESET"]) }),
      "a text",
    ]);
  }

  #status(): Status {
    const [code, reason] = [this.#one(codes), this.#one(reasons)];
    return { kind: "Status", apiVersion: "v1", metadata: {}, status: "Failure", code, reason } as Status;
  }

  #one<V>(values: readonly V[]): V {
    return values[this.#random.int(values.length)] as V;
  }
}

async function survives(seed: number): Promise<void> {
  const clock = new FakeClock();
  const server = new ModelServer();
  const random = seededRandom(seed);
  const liar = new Liar(server, random);
  const backoff = { baseMs: 100, factor: 2, capMs: 1000, jitter: 1 };
  const informer = new SharedIndexInformer<Thing>({ source: liar, clock, random, backoff, resyncPeriodMs: 1000 });
  const view = new Map<string, unknown>();
  const contradictions: string[] = [];
  const join = (): void =>
    void informer.addEventHandler({
      onAdd(thing) {
        const key = deletionHandlingKey(thing);
        if (view.has(key)) contradictions.push(`${key} was added twice`);
        view.set(key, thing);
      },
      onUpdate(previous, thing) {
        const key = deletionHandlingKey(thing);
        if (view.get(key) !== previous) contradictions.push(`${key} was updated from a state that was never told`);
        view.set(key, thing);
      },
      onDelete: (gone) => void view.delete(deletionHandlingKey(gone)),
    });
  join();
  await using _ = informer.start();
  for (let step = 0; step < 12; step++) {
    if (random.next() < 0.5) server.put(random.next() < 0.5 ? "a" : "b", step);
    liar.talk();
    await clock.advance(random.int(3000));
  }
  liar.comeToItsSenses();
  await clock.advance(60_000);
  // a watch that goes on from a revision that was a lie cannot know it: the next list makes it good
  server.cut(newExpired("let us begin anew"));
  server.put("c");
  await clock.advance(60_000);
  const cached = new Map(informer.indexer.list().map((thing) => [deletionHandlingKey(thing), thing]));
  expect(contradictions).toEqual([]);
  expect(cached).toEqual(server.objects);
  expect(view).toEqual(server.objects);
  expect([informer.hasSynced, informer.reflector?.isWatching, server.open.length]).toEqual([true, true, 1]);
}

test("whatever it said, nothing of it is left", async () => {
  await fc.assert(fc.asyncProperty(fc.nat(10_000_000), survives), { numRuns: full ? 3000 : 300 });
});
