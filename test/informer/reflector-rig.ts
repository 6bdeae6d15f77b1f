/** A reflector on a model server and a store that records its calls. */
import type { ObjectEvent } from "../../src/api/index.js";
import { ModelServer, type Thing } from "./model-server.js";
import { FakeClock, type Running, type Random, startRunning } from "../../src/base/index.js";
import type { ReflectorStore } from "../../src/informer/reflector/apply.js";
import { Reflector, type ReflectorOptions } from "../../src/informer/reflector/reflector.js";

/** A constant random number, so that delays are known: 0 gives the shortest delay of each range. */
export const chance = (value: number): Random => {
  const random: Random = { next: () => value, int: (limit) => Math.floor(value * limit), fork: () => random };
  return random;
};

export class RecordingStore implements ReflectorStore<Thing> {
  readonly log: string[] = [];
  readonly objects = new Map<string, Thing>();
  push({ type, object }: ObjectEvent<Thing>): void {
    const { name } = object.metadata;
    this.log.push(`${type} ${name}`);
    if (type === "DELETED") this.objects.delete(name);
    else this.objects.set(name, object);
  }
  replace(things: readonly Thing[], resourceVersion: string): void {
    this.log.push(`replace ${things.map(({ metadata }) => metadata.name).join(",")} @${resourceVersion}`);
    this.objects.clear();
    for (const thing of things) this.objects.set(thing.metadata.name, thing);
  }
  resync(): void {
    this.log.push("resync");
  }
  bookmark(resourceVersion: string): void {
    this.log.push(`bookmark ${resourceVersion}`);
  }
}

interface Rig extends AsyncDisposable {
  readonly clock: FakeClock;
  readonly server: ModelServer;
  readonly store: RecordingStore;
  readonly reflector: Reflector<Thing>;
  readonly reported: unknown[];
  readonly skipped: () => number;
}

/** A running reflector on a model server; time moves only with `clock.advance`. */
export function rig(options: Partial<ReflectorOptions<Thing>> & { server?: ModelServer } = {}): Rig {
  const clock = new FakeClock();
  const { server = new ModelServer({ supportsWatchList: false }), ...rest } = options;
  const store = new RecordingStore();
  const reported: unknown[] = [];
  let skipped = 0;
  const nothing = { inc: () => {}, observe: () => {}, set: () => {} };
  const reflector = new Reflector<Thing>({
    source: server,
    store,
    clock,
    random: chance(0),
    onError: (error) => reported.push(error),
    metrics: {
      lists: nothing,
      listDuration: nothing,
      itemsPerList: nothing,
      watches: nothing,
      watchDuration: nothing,
      itemsPerWatch: nothing,
      shortWatches: nothing,
      errors: nothing,
      skipped: { inc: () => (skipped += 1) },
    },
    ...rest,
  });
  const running: Running = startRunning((signal) => reflector.run(signal));
  return {
    clock,
    server,
    store,
    reflector,
    reported,
    skipped: () => skipped,
    [Symbol.asyncDispose]: () => running[Symbol.asyncDispose](),
  };
}

export const verbs = (server: ModelServer): string[] =>
  server.calls.map(({ verb, options }) => `${verb} ${options.resourceVersion ?? '""'}`);
