import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { KubeObject } from "../../api/index.js";
import { FakeClock } from "../../base/index.js";
import { Overlay } from "./overlay.js";

const at = (name: string, resourceVersion: number, uid = "u"): KubeObject => ({
  apiVersion: "v1",
  kind: "Pod",
  metadata: { name, uid, resourceVersion: String(resourceVersion) },
});

/** A cache that is behind the server. */
class Store {
  readonly objects = new Map<string, KubeObject>();
  revision = 1;
  get = (key: string): KubeObject | undefined => this.objects.get(key);
  revisionAt = (): string => String(this.revision);
  put(object: KubeObject): void {
    this.objects.set(object.metadata.name, object);
    this.revision = Math.max(this.revision, Number(object.metadata.resourceVersion));
  }
}

describe("overlay", () => {
  test("a write is read back until the cache has it, then the cache is believed", () => {
    const store = new Store();
    const overlay = new Overlay(new FakeClock());
    overlay.wrote(at("a", 5));
    expect(overlay.get("a", store)).toEqual(at("a", 5));
    store.put(at("a", 6));
    expect([overlay.get("a", store), overlay.size]).toEqual([at("a", 6), 0]);
  });

  test("a create that the cache has seen come and go again is not shown", () => {
    const store = new Store();
    const overlay = new Overlay(new FakeClock());
    overlay.wrote(at("a", 5));
    store.revision = 5;
    expect(overlay.get("a", store)).toBeUndefined();
  });

  test("tells once of a written object that the cache, now as new as the write, does not have", () => {
    const store = new Store();
    const overlay = new Overlay(new FakeClock());
    overlay.wrote(at("gone", 5));
    overlay.wrote(at("seen", 6));
    expect(overlay.takeVanished(store)).toEqual([]);
    store.put(at("seen", 6));
    expect(overlay.takeVanished(store)).toEqual([at("gone", 5)]);
    expect([overlay.takeVanished(store), overlay.size]).toEqual([[], 0]);
  });

  test("tells also of one that a read found to be gone first", () => {
    const store = new Store();
    const overlay = new Overlay(new FakeClock());
    overlay.wrote(at("gone", 5));
    store.revision = 5;
    expect(overlay.get("gone", store)).toBeUndefined();
    expect(overlay.takeVanished(store)).toEqual([at("gone", 5)]);
  });

  test("a deletion hides the object with that uid, and no other", () => {
    const store = new Store();
    const overlay = new Overlay(new FakeClock());
    store.put(at("a", 3, "u1"));
    overlay.deleted(at("a", 3, "u1"));
    expect([overlay.get("a", store), overlay.list([at("a", 3, "u1")], store, () => true)]).toEqual([undefined, []]);
    store.put(at("a", 9, "u2"));
    expect(overlay.get("a", store)).toEqual(at("a", 9, "u2"));
  });

  test("the answers of two writes may come in any order", () => {
    const store = new Store();
    const overlay = new Overlay(new FakeClock());
    overlay.wrote(at("a", 10));
    overlay.wrote(at("a", 9));
    expect(overlay.get("a", store)).toEqual(at("a", 10));
  });

  test("a write that never reaches the cache is given up after five minutes, and counted", async () => {
    const clock = new FakeClock();
    const overlay = new Overlay(clock);
    overlay.wrote(at("a", 5));
    await clock.advance(299_999);
    expect(overlay.get("a", new Store())).toEqual(at("a", 5));
    await clock.advance(1);
    expect([overlay.get("a", new Store()), overlay.givenUp]).toEqual([undefined, 1]);
  });

  test("versions that cannot be compared never hide what the cache has", () => {
    const store = new Store();
    const overlay = new Overlay(new FakeClock());
    const odd = { ...at("a", 0), metadata: { name: "a", resourceVersion: "opaque" } };
    overlay.wrote(odd);
    expect(overlay.get("a", store)).toBeUndefined();
  });

  test("reads are never older than own writes and never older than the cache, whatever happens in which order", () => {
    const names = ["a", "b"] as const;
    const step = fc.record({
      type: fc.constantFrom("own", "foreign", "delete", "catchUp"),
      name: fc.constantFrom(...names),
      upTo: fc.nat(10),
    });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 40 }), (steps) => {
        const store = new Store();
        store.revision = 0;
        const overlay = new Overlay(new FakeClock());
        // the server: a log of states, each with the object it made or removed
        const log: { name: string; object: KubeObject | undefined; uid: string }[] = [
          { name: "", object: undefined, uid: "" },
        ];
        const server = new Map<string, KubeObject>();
        const lastOwn = new Map<string, number>();
        let seen = 0;
        for (const { type, name, upTo } of steps) {
          const revision = log.length;
          if (type === "own" || type === "foreign") {
            const uid = server.get(name)?.metadata.uid ?? `u${revision}`;
            const object = at(name, revision, uid);
            server.set(name, object);
            log.push({ name, object, uid });
            if (type === "own") {
              overlay.wrote(object);
              lastOwn.set(name, revision);
            }
          } else if (type === "delete") {
            const known = server.get(name);
            if (known === undefined) continue;
            server.delete(name);
            log.push({ name, object: undefined, uid: known.metadata.uid ?? "" });
            overlay.deleted(known);
            lastOwn.set(name, revision);
          } else {
            for (const end = Math.min(log.length - 1, seen + upTo); seen < end; ) {
              seen += 1;
              const entry = log[seen];
              if (entry?.object === undefined) store.objects.delete(entry?.name ?? "");
              else store.objects.set(entry.name, entry.object);
              store.revision = seen;
            }
          }
          for (const each of names) {
            const read = overlay.get(each, store);
            const newest = Math.max(lastOwn.get(each) ?? 0, seen);
            // the states that the server has had since the newest thing we know of
            const positions = Array.from({ length: log.length - newest }, (_, i) => newest + i);
            const possible = new Set(
              positions.map(
                (position) => lastStateOf(log.slice(0, position + 1), each)?.metadata.resourceVersion ?? "none",
              ),
            );
            expect([...possible]).toContain(read?.metadata.resourceVersion ?? "none");
          }
        }
      }),
    );
  });
});

function lastStateOf(
  log: readonly { name: string; object: KubeObject | undefined }[],
  name: string,
): KubeObject | undefined {
  return log.filter((entry) => entry.name === name).at(-1)?.object;
}
