/** Long lists on the real clock, where they come into the cache slice by slice while everything else goes on. */
import { expect, test } from "vitest";
import { newExpired } from "../../src/api/index.js";
import { seededRandom } from "../../src/base/index.js";
import { deletionHandlingKey, type HandlerRegistration, SharedIndexInformer } from "../../src/informer/index.js";
import { eventually } from "../eventually.js";
import { ModelServer, type Thing } from "./model-server.js";

const objects = 3000;
const rounds = process.env["COXSWAIN_FULL"] === "1" ? 150 : 30;

const keyOf = ({ metadata }: Thing): string => `${metadata.namespace}/${metadata.name}`;
const valueOf = ({ spec }: Thing): string[] => [String(spec?.value ?? 0)];

test("handlers and indices that join between two slices of a list miss nothing and hear nothing twice", async () => {
  const random = seededRandom(5);
  const server = new ModelServer();
  for (let i = 0; i < objects; i++) server.put(`t${i}`);
  const informer = new SharedIndexInformer<Thing>({
    source: server,
    backoff: { baseMs: 1, factor: 1, capMs: 1, jitter: 0 },
    indexers: { value: valueOf },
  });
  const contradictions: string[] = [];
  const joined: { readonly view: Map<string, Thing>; readonly registration: HandlerRegistration }[] = [];
  const join = (): void => {
    const view = new Map<string, Thing>();
    const registration = informer.addEventHandler({
      onAdd(thing) {
        if (view.has(keyOf(thing))) contradictions.push(`${keyOf(thing)} was added twice`);
        view.set(keyOf(thing), thing);
      },
      onUpdate(previous, thing) {
        if (view.get(keyOf(thing)) !== previous) contradictions.push(`${keyOf(thing)} was updated out of the blue`);
        view.set(keyOf(thing), thing);
      },
      onDelete(gone) {
        if (!view.delete(deletionHandlingKey(gone))) contradictions.push(`${deletionHandlingKey(gone)} was not there`);
      },
    });
    joined.push({ view, registration });
  };
  join();
  await using _ = informer.start();
  for (let round = 0; round < rounds; round++) {
    if (random.next() < 0.4) server.cut(newExpired("old"));
    for (let i = random.int(20); i > 0; i--) {
      const name = `t${random.int(objects + 500)}`;
      if (random.next() < 0.3) server.remove(name);
      else server.put(name, round);
    }
    for (let turn = random.int(12); turn > 0; turn--) await new Promise((resolve) => setImmediate(resolve));
    for (let tick = random.int(20); tick > 0; tick--) await Promise.resolve();
    if (random.next() < 0.3) join();
    if (random.next() < 0.2) informer.addIndexers({ [`value-${round}`]: valueOf });
    if (joined.length > 3) void joined.splice(random.int(joined.length), 1)[0]?.registration.remove();
  }
  const isEqual = (view: ReadonlyMap<string, Thing>): boolean =>
    view.size === server.objects.size &&
    [...server.objects].every(
      ([key, thing]) => view.get(key)?.metadata.resourceVersion === thing.metadata.resourceVersion,
    );
  await eventually("all views equal the server", () => joined.every(({ view }) => isEqual(view)));
  expect(contradictions).toEqual([]);
  expect(isEqual(new Map(informer.indexer.list().map((thing) => [keyOf(thing), thing])))).toBe(true);
  for (const index of Object.keys(informer.indexer.indexers))
    for (const value of informer.indexer.listIndexFuncValues(index))
      expect(informer.indexer.indexKeys(index, value)).toEqual(
        [...server.objects.values()]
          .filter((thing) => valueOf(thing)[0] === value)
          .map(keyOf)
          .sort(),
      );
  expect(joined.every(({ registration }) => registration.hasSynced)).toBe(true);
});
