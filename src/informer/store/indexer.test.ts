import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { Indexer, namespaceIndex, namespaceIndexFunction } from "./indexer.js";
import { KeyError } from "./key.js";

interface Item {
  readonly metadata: { readonly name: string; readonly namespace?: string; readonly resourceVersion?: string };
  readonly tags?: readonly string[];
}

const item = (name: string, tags: readonly string[] = [], resourceVersion = "1"): Item => ({
  metadata: { name, namespace: "default", resourceVersion },
  tags,
});
const byTag = { tag: (object: Item): readonly string[] => object.tags ?? [] };
const names = (items: readonly Item[]): string[] => items.map(({ metadata }) => metadata.name).sort();

describe("store", () => {
  test("the key is namespace/name, or name", () => {
    const store = new Indexer<Item>();
    store.put(item("a"));
    store.put({ metadata: { name: "b" } });
    expect(store.listKeys()).toEqual(["default/a", "b"]);
  });

  test("an object without a name has no key, and the store stays as it was", () => {
    const store = new Indexer<Item>();
    expect(() => store.put({ metadata: {} } as Item)).toThrow(KeyError);
    expect(store.size).toBe(0);
  });

  test("put gives what was there before; delete gives what was removed", () => {
    const store = new Indexer<Item>();
    const [first, second] = [item("a"), item("a")];
    expect(store.put(first)).toBeUndefined();
    expect(store.put(second)).toBe(first);
    expect(store.delete("default/a")).toBe(second);
    expect(store.delete("default/a")).toBeUndefined();
  });

  test("reads never copy", () => {
    const store = new Indexer<Item>({ indexers: byTag });
    const object = item("a", ["x"]);
    store.put(object);
    expect(store.get("default/a")).toBe(object);
    expect(store.list()[0]).toBe(object);
    expect(store.byIndex("tag", "x")[0]).toBe(object);
  });
});

describe("the store's revision", () => {
  test("is set from the object written, from replace, from a bookmark, and from a deletion's object", () => {
    const store = new Indexer<Item>();
    expect(store.lastStoreSyncResourceVersion).toBe("");
    store.put(item("a", [], "5"));
    expect(store.lastStoreSyncResourceVersion).toBe("5");
    store.replace([item("b", [], "6")], "9");
    expect(store.lastStoreSyncResourceVersion).toBe("9");
    store.bookmark("12");
    expect(store.lastStoreSyncResourceVersion).toBe("12");
    store.delete("default/b", item("b", [], "13"));
    expect(store.lastStoreSyncResourceVersion).toBe("13");
  });

  test("is unchanged by what has no metadata, and set to nothing by an object without a revision", () => {
    const store = new Indexer<Item>();
    store.bookmark("5");
    store.delete("default/unknown");
    expect(store.lastStoreSyncResourceVersion).toBe("5");
    store.put({ metadata: { name: "a" } });
    expect(store.lastStoreSyncResourceVersion).toBe("");
  });
});

describe("indices", () => {
  test("byIndex, indexKeys (sorted), index (a union, each once), listIndexFuncValues", () => {
    const store = new Indexer<Item>({ indexers: byTag });
    for (const object of [item("c", ["x", "y"]), item("a", ["x"]), item("b", ["y"]), item("d")]) store.put(object);
    expect(names(store.byIndex("tag", "x"))).toEqual(["a", "c"]);
    expect(store.indexKeys("tag", "y")).toEqual(["default/b", "default/c"]);
    expect(names(store.index("tag", item("other", ["x", "y"])))).toEqual(["a", "b", "c"]);
    expect(store.listIndexFuncValues("tag").sort()).toEqual(["x", "y"]);
  });

  test("an unknown index is an error, except for listIndexFuncValues; an unknown value is not", () => {
    const store = new Indexer<Item>({ indexers: byTag });
    expect(() => store.byIndex("other", "x")).toThrow("Index with name other does not exist");
    expect(() => store.indexKeys("other", "x")).toThrow("does not exist");
    expect(() => store.index("other", item("a"))).toThrow("does not exist");
    expect(store.listIndexFuncValues("other")).toEqual([]);
    expect(store.byIndex("tag", "nowhere")).toEqual([]);
  });

  test("empty values are removed", () => {
    const store = new Indexer<Item>({ indexers: byTag });
    store.put(item("a", ["x"]));
    store.put(item("b", ["x"]));
    store.delete("default/a");
    store.put(item("b", []));
    expect(store.listIndexFuncValues("tag")).toEqual([]);
  });

  test("addIndexers works on a populated store; a name that another function has is a conflict and nothing is added", () => {
    const store = new Indexer<Item>();
    store.put(item("a", ["x"]));
    store.addIndexers(byTag);
    expect(names(store.byIndex("tag", "x"))).toEqual(["a"]);
    expect(() => store.addIndexers({ fresh: () => [], tag: () => ["x"] })).toThrow("indexer conflict");
    expect(Object.keys(store.indexers)).toEqual(["tag"]);
  });

  test("the same index may be added again, by each user of a shared cache", () => {
    const store = new Indexer<Item>({ indexers: byTag });
    store.put(item("a", ["x"]));
    store.addIndexers({ ...byTag, fresh: () => ["y"] });
    expect(Object.keys(store.indexers)).toEqual(["tag", "fresh"]);
    expect(names(store.byIndex("tag", "x"))).toEqual(["a"]);
  });

  test("an index function that throws leaves store and indices as they were", () => {
    const store = new Indexer<Item>({
      indexers: {
        ...byTag,
        strict({ tags }: Item) {
          if (tags?.includes("bad")) throw new Error("bad tag");
          return [];
        },
      },
    });
    store.put(item("a", ["x"]));
    expect(() => store.put(item("a", ["bad"]))).toThrow("bad tag");
    expect(() => store.put(item("b", ["bad"]))).toThrow("bad tag");
    expect(names(store.byIndex("tag", "x"))).toEqual(["a"]);
    expect(store.listKeys()).toEqual(["default/a"]);
    store.assertSound();
  });

  test("where failures are reported, the object is cached and filed under nothing", () => {
    const reported: string[] = [];
    const store = new Indexer<Item>({
      indexers: { strict: ({ tags = [] }: Item) => (tags.includes("bad") ? Object.freeze([]).concat(fail()) : tags) },
      onIndexError: (_error, index, object) => reported.push(`${index} ${object.metadata.name}`),
    });
    store.put(item("a", ["bad"]));
    expect(store.has("default/a")).toBe(true);
    expect(store.listIndexFuncValues("strict")).toEqual([]);
    store.put(item("a", ["good"]));
    expect(names(store.byIndex("strict", "good"))).toEqual(["a"]);
    expect(reported).toEqual(["strict a", "strict a"]);
  });

  test("the namespace index ships", () => {
    const store = new Indexer<Item>({ indexers: { [namespaceIndex]: namespaceIndexFunction } });
    store.put(item("a"));
    store.put({ metadata: { name: "cluster-wide" } });
    expect(names(store.byIndex("namespace", "default"))).toEqual(["a"]);
    expect(names(store.byIndex("namespace", ""))).toEqual(["cluster-wide"]);
  });
});

function fail(): never {
  throw new Error("bad");
}

describe("replace", () => {
  test("readers see one state: the old contents until commit, and the new ones, indices included, after it", () => {
    const store = new Indexer<Item>({ indexers: byTag });
    store.put(item("a", ["x"]));
    const replacement = store.beginReplace();
    replacement.put("default/b", item("b", ["x"]));
    expect(names(store.byIndex("tag", "x"))).toEqual(["a"]);
    replacement.commit("9");
    expect(names(store.byIndex("tag", "x"))).toEqual(["b"]);
    expect(store.listKeys()).toEqual(["default/b"]);
  });

  test("an index that was added meanwhile is there afterwards", () => {
    const store = new Indexer<Item>();
    const replacement = store.beginReplace();
    replacement.put("default/b", item("b", ["x"]));
    store.addIndexers(byTag);
    replacement.commit("9");
    expect(names(store.byIndex("tag", "x"))).toEqual(["b"]);
    store.assertSound();
  });
});

test("items and indices change together: equal to a naive model after every step", () => {
  const tags = fc.subarray(["x", "y", "z"]);
  const name = fc.constantFrom("a", "b", "c", "d", "e");
  const step = fc.oneof(
    fc.record({ do: fc.constant("put" as const), name, tags }),
    fc.record({ do: fc.constant("delete" as const), name, tags }),
    fc.record({ do: fc.constant("replace" as const), name, tags, names: fc.subarray(["a", "b", "c", "d", "e"]) }),
    fc.record({ do: fc.constant("index" as const), name, tags }),
  );
  fc.assert(
    fc.property(fc.array(step, { maxLength: 40 }), (steps) => {
      const store = new Indexer<Item>({ indexers: byTag });
      const model = new Map<string, Item>();
      for (const [i, each] of steps.entries()) {
        const object = item(each.name, each.tags, String(i + 1));
        if (each.do === "put") {
          store.put(object);
          model.set(`default/${each.name}`, object);
        } else if (each.do === "delete") {
          store.delete(`default/${each.name}`);
          model.delete(`default/${each.name}`);
        } else if (each.do === "replace") {
          const objects = each.names.map((other) => item(other, each.tags, String(i + 1)));
          store.replace(objects, String(i + 1));
          model.clear();
          for (const other of objects) model.set(`default/${other.metadata.name}`, other);
        } else store.addIndexers({ [`again-${i}`]: byTag.tag });
        store.assertSound();
        expect(new Set(store.list())).toEqual(new Set(model.values()));
        for (const tag of ["x", "y", "z"]) {
          const expected = [...model.values()].filter((other) => other.tags?.includes(tag));
          expect(names(store.byIndex("tag", tag))).toEqual(names(expected));
        }
      }
    }),
    { numRuns: process.env["COXSWAIN_FULL"] === "1" ? 3000 : 200 },
  );
});
