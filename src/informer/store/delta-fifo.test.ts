import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { ObjectEvent } from "../../api/index.js";
import { type Delta, DeltaFifo, highWaterMark, maxBatch } from "./delta-fifo.js";

interface Item {
  readonly metadata: { readonly name: string };
  readonly value?: number;
}

const item = (name: string, value = 0): Item => ({ metadata: { name }, value });
const added = (object: Item): ObjectEvent<Item> => ({ type: "ADDED", object });
const modified = (object: Item): ObjectEvent<Item> => ({ type: "MODIFIED", object });
const deleted = (object: Item): ObjectEvent<Item> => ({ type: "DELETED", object });

function drained(queue: DeltaFifo<Item>): Delta<Item>[] {
  const all: Delta<Item>[] = [];
  for (let batch = queue.take(); batch !== undefined; batch = queue.take()) {
    all.push(...batch.deltas);
    queue.finished();
  }
  return all;
}

const brief = (deltas: readonly Delta<Item>[]): string[] =>
  deltas.map((delta) => ("key" in delta ? `${delta.type} ${delta.key}` : delta.type));

describe("order", () => {
  test("strictly that of arrival; nothing is merged", () => {
    const queue = new DeltaFifo<Item>();
    queue.push(added(item("a")));
    queue.push(modified(item("b")));
    queue.push(modified(item("a")));
    queue.push(deleted(item("b")));
    queue.bookmark("7");
    queue.resync();
    queue.replace([item("c")], "8");
    expect(brief(drained(queue))).toEqual([
      "ADDED a",
      "MODIFIED b",
      "MODIFIED a",
      "DELETED b",
      "Bookmark",
      "Sync",
      "Replaced",
    ]);
  });

  test("a list is one delta, a resync is one delta, a bookmark is one delta", () => {
    const queue = new DeltaFifo<Item>();
    queue.replace([item("a"), item("b")], "8");
    expect(drained(queue)).toEqual([{ type: "Replaced", objects: [item("a"), item("b")], resourceVersion: "8" }]);
  });

  test("delete is always queued, also for keys that nobody has heard of", () => {
    const queue = new DeltaFifo<Item>();
    queue.push(deleted(item("never-seen")));
    expect(brief(drained(queue))).toEqual(["DELETED never-seen"]);
  });
});

describe("a second deletion while the first is queued", () => {
  test("adds nothing; the earlier one is kept", () => {
    const queue = new DeltaFifo<Item>();
    queue.push(deleted(item("a", 1)));
    queue.push(added(item("b")));
    queue.push(deleted(item("a", 2)));
    expect(drained(queue)).toMatchObject([{ type: "DELETED", object: { value: 1 } }, { type: "ADDED" }]);
  });

  test("takes the place of one that is older: that came late, and without the other the object would never be seen to go", () => {
    const at = (resourceVersion: string): Item => ({ metadata: { name: "a", resourceVersion } }) as unknown as Item;
    for (const [first, second, kept] of [
      ["9", "10", "10"],
      ["10", "9", "10"],
      ["10", "10", "10"],
    ] as const) {
      const queue = new DeltaFifo<Item>();
      queue.push(added(at("8")));
      queue.push(deleted(at(first)));
      queue.push(deleted(at(second)));
      expect(drained(queue)).toMatchObject([
        { type: "ADDED" },
        { type: "DELETED", object: { metadata: { resourceVersion: kept } } },
      ]);
    }
  });

  test("is another one if the object came back in between, or the first was processed", () => {
    const queue = new DeltaFifo<Item>();
    queue.push(deleted(item("a")));
    queue.push(added(item("a")));
    queue.push(deleted(item("a")));
    expect(brief(drained(queue))).toEqual(["DELETED a", "ADDED a", "DELETED a"]);
    queue.push(deleted(item("a")));
    expect(brief(drained(queue))).toEqual(["DELETED a"]);
  });
});

describe("hasSynced", () => {
  test("an empty list still needs one processing turn", () => {
    const queue = new DeltaFifo<Item>();
    queue.replace([], "1");
    expect(queue.hasSynced).toBe(false);
    queue.take();
    expect(queue.hasSynced).toBe(false);
    queue.finished();
    expect(queue.hasSynced).toBe(true);
  });

  test("the count is lowered after processing, so nobody sees synced while the last item is being handled", () => {
    const queue = new DeltaFifo<Item>();
    queue.replace([item("a")], "1");
    queue.take();
    expect(queue.hasSynced).toBe(false);
    queue.finished();
    expect(queue.hasSynced).toBe(true);
  });

  test("populated by a first event of an object it is synced at once", () => {
    for (const first of [added, modified, deleted]) {
      const queue = new DeltaFifo<Item>();
      queue.push(first(item("a")));
      expect(queue.hasSynced).toBe(true);
      expect(queue.take()?.isInInitialList).toBe(false);
    }
  });

  test("a bookmark does not count as populated", () => {
    const queue = new DeltaFifo<Item>();
    queue.bookmark("1");
    expect(queue.hasSynced).toBe(false);
  });

  test("it latches: a later relist is never initial", () => {
    const queue = new DeltaFifo<Item>();
    queue.replace([item("a")], "1");
    expect(queue.take()?.isInInitialList).toBe(true);
    queue.finished();
    queue.replace([item("a")], "2");
    expect(queue.hasSynced).toBe(true);
    expect(queue.take()?.isInInitialList).toBe(false);
  });

  test("those who wait are told once, and at once if it is so already", () => {
    const queue = new DeltaFifo<Item>();
    const told: string[] = [];
    queue.onSynced(() => told.push("early"));
    queue.replace([], "1");
    queue.take();
    queue.finished();
    queue.onSynced(() => told.push("late"));
    expect(told).toEqual(["early", "late"]);
  });
});

describe("the transformer", () => {
  const doubled = (object: Item): Item => ({ ...object, value: (object.value ?? 0) * 2 });

  test("is applied to each event's object, and not to a list's, which the reflector transforms, nor by a Sync", () => {
    const queue = new DeltaFifo<Item>({ transform: doubled });
    queue.push(added(item("a", 1)));
    queue.replace([item("b", 2)], "1");
    queue.push(deleted(item("c", 3)));
    queue.resync();
    expect(drained(queue)).toMatchObject([
      { object: { value: 2 } },
      { objects: [{ value: 2 }] },
      { object: { value: 6 } },
      { type: "Sync" },
    ]);
  });

  test("that throws keeps the item out, and does not mark the queue populated", () => {
    const queue = new DeltaFifo<Item>({
      transform() {
        throw new Error("no");
      },
    });
    expect(() => queue.push(added(item("a")))).toThrow("no");
    expect(queue.length).toBe(0);
    expect(queue.hasSynced).toBe(false);
    queue.bookmark("1");
    drained(queue);
    expect(queue.hasSynced).toBe(false);
  });
});

describe("batches", () => {
  const sizes = (queue: DeltaFifo<Item>): number[] => {
    const all: number[] = [];
    for (let batch = queue.take(); batch !== undefined; batch = queue.take()) {
      all.push(batch.deltas.length);
      queue.finished();
    }
    return all;
  };

  test("hold at most 1000 deltas", () => {
    const queue = new DeltaFifo<Item>();
    for (let i = 0; i < 2500; i++) queue.push(added(item(`i${i}`)));
    expect(maxBatch).toBe(1000);
    expect(sizes(queue)).toEqual([1000, 1000, 500]);
  });

  test("end before a second delta of one key, which would lose the old object of the second update", () => {
    const queue = new DeltaFifo<Item>();
    for (const name of ["a", "b", "a", "c", "b"]) queue.push(modified(item(name)));
    expect(sizes(queue)).toEqual([2, 3]);
  });

  test("Replaced, Sync and Bookmark are processed alone", () => {
    const queue = new DeltaFifo<Item>();
    queue.push(added(item("a")));
    queue.bookmark("1");
    queue.push(added(item("b")));
    queue.resync();
    queue.replace([item("c")], "2");
    queue.push(added(item("d")));
    expect(sizes(queue)).toEqual([1, 1, 1, 1, 1, 1]);
  });

  test("never go across the boundary of the initial list", () => {
    const queue = new DeltaFifo<Item>();
    queue.bookmark("1");
    queue.replace([item("a")], "2");
    queue.push(added(item("b")));
    const seen: [number, boolean][] = [];
    for (let batch = queue.take(); batch !== undefined; batch = queue.take()) {
      seen.push([batch.deltas.length, batch.isInInitialList]);
      queue.finished();
    }
    expect(seen).toEqual([
      [1, true],
      [1, true],
      [1, false],
    ]);
  });
});

describe("back-pressure", () => {
  test("producers may go on while fewer than 2000 deltas are queued; beyond that they must wait", async () => {
    const queue = new DeltaFifo<Item>();
    expect(highWaterMark).toBe(2000);
    for (let i = 0; i < 1999; i++) queue.push(added(item(`i${i}`)));
    expect(queue.isFull).toBe(false);
    queue.push(added(item("last")));
    expect(queue.isFull).toBe(true);
    let hasRoom = false;
    const waiting = queue.room().then(() => {
      hasRoom = true;
    });
    await Promise.resolve();
    expect(hasRoom).toBe(false);
    queue.take();
    queue.finished();
    await waiting;
    expect(hasRoom).toBe(true);
  });
});

describe("close", () => {
  test("what is queued is handed out, then nothing; producers are not held up", async () => {
    const queue = new DeltaFifo<Item>();
    for (let i = 0; i < 2500; i++) queue.push(added(item(`i${i}`)));
    const waiting = queue.room();
    queue.close();
    await waiting;
    expect(queue.isFull).toBe(false);
    expect(drained(queue)).toHaveLength(2500);
    expect(queue.take()).toBeUndefined();
  });

  test("wakes the consumer that waits", () => {
    const queue = new DeltaFifo<Item>();
    let woken = 0;
    queue.onAvailable(() => woken++);
    expect(woken).toBe(0);
    queue.close();
    expect(woken).toBe(1);
  });
});

test("the invariants hold, and nothing is lost, whatever is done in whatever order", () => {
  const names = fc.constantFrom("a", "b", "c", "d");
  const operations = fc.array(
    fc.oneof(
      fc.record({ do: fc.constantFrom("add", "update", "delete"), name: names }),
      fc.record({ do: fc.constantFrom("replace", "resync", "bookmark", "take", "finish"), name: names }),
    ),
    { maxLength: 60 },
  );
  fc.assert(
    fc.property(operations, (steps) => {
      const queue = new DeltaFifo<Item>();
      const expected: string[] = [];
      /** Where in `expected` the deletion stands that is the last word on a name, while it is queued. */
      const pendingDeletes = new Map<string, number>();
      let inFlight = false;
      const got: string[] = [];
      const take = (): void => {
        if (inFlight) queue.finished();
        const batch = queue.take();
        inFlight = batch !== undefined;
        for (const delta of batch?.deltas ?? []) {
          got.push("key" in delta ? `${delta.type} ${delta.key}` : delta.type);
          if (delta.type === "DELETED" && pendingDeletes.get(delta.key) === got.length - 1)
            pendingDeletes.delete(delta.key);
        }
      };
      for (const { do: what, name } of steps) {
        if (what === "add" || what === "update") {
          queue.push((what === "add" ? added : modified)(item(name)));
          pendingDeletes.delete(name);
          expected.push(`${what === "add" ? "ADDED" : "MODIFIED"} ${name}`);
        } else if (what === "delete") {
          queue.push(deleted(item(name)));
          if (!pendingDeletes.has(name)) pendingDeletes.set(name, expected.push(`DELETED ${name}`) - 1);
        } else if (what === "replace") {
          queue.replace([item(name)], "1");
          pendingDeletes.clear();
          expected.push("Replaced");
        } else if (what === "resync") {
          queue.resync();
          expected.push("Sync");
        } else if (what === "bookmark") {
          queue.bookmark("1");
          expected.push("Bookmark");
        } else if (what === "take") take();
        else if (inFlight) {
          queue.finished();
          inFlight = false;
        }
        queue.assertSound();
      }
      while (queue.length > 0) take();
      expect(got).toEqual(expected);
    }),
    { numRuns: process.env["COXSWAIN_FULL"] === "1" ? 5000 : 300 },
  );
});
