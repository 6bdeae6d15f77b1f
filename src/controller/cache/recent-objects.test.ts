import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { ConfigMap } from "../../api/index.js";
import { RecentObjects } from "./recent-objects.js";

const object = (name: string, revision: number, text = ""): ConfigMap => ({
  apiVersion: "v1",
  kind: "ConfigMap",
  metadata: { name, resourceVersion: String(revision), managedFields: [{ manager: "m" }] },
  data: { text },
});
const at = (revision: number) => ({ metadata: { name: "", resourceVersion: String(revision) } });

describe("recent objects", () => {
  test("are given without managed fields, and as copies", () => {
    const recent = new RecentObjects(10_000);
    recent.put("a", object("a", 3, "x"));
    const found = recent.find("a", at(3)) as ConfigMap;
    expect(found).toEqual({ ...object("a", 3, "x"), metadata: { name: "a", resourceVersion: "3" } });
    (found.data as Record<string, string>)["text"] = "spoilt";
    expect((recent.find("a", at(3)) as ConfigMap).data).toEqual({ text: "x" });
  });

  test("are never older than the known state, and an older state does not replace a newer one", () => {
    const recent = new RecentObjects(10_000);
    recent.put("a", object("a", 3));
    expect(recent.find("a", at(4))).toBeUndefined();
    recent.put("a", object("a", 10));
    recent.put("a", object("a", 9));
    expect(recent.find("a", at(9))?.metadata.resourceVersion).toBe("10");
    expect([recent.hits, recent.misses]).toEqual([1, 1]);
  });

  test("give way when the limit falls, the least recently used first, and come back under the declared one only", () => {
    const recent = new RecentObjects(10_000);
    for (const [i, name] of ["a", "b", "c"].entries()) recent.put(name, object(name, i + 1, "x".repeat(1000)));
    recent.find("a", at(1));
    recent.limitBytes = 2_600;
    expect([recent.find("b", at(1)), recent.size]).toEqual([undefined, 2]);
    recent.limitBytes = 0;
    expect([recent.size, recent.bytes, recent.hasRoom]).toEqual([0, 0, false]);
    recent.limitBytes = 20_000;
    expect(recent.limitBytes).toBe(10_000);
  });

  test("an object that is larger than the limit is not kept, and costs the others nothing", () => {
    const recent = new RecentObjects(1_000);
    recent.put("a", object("a", 1));
    recent.put("b", object("b", 1, "x".repeat(2000)));
    expect([recent.find("a", at(1)) !== undefined, recent.find("b", at(1))]).toEqual([true, undefined]);
  });

  test("agree with a list ordered by use", () => {
    const step = fc.record({
      name: fc.constantFrom("a", "b", "c", "d", "e", "f"),
      size: fc.integer({ min: 0, max: 900 }),
      put: fc.boolean(),
    });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
        const recent = new RecentObjects(2_000);
        let model: { name: string; revision: number; bytes: number }[] = [];
        for (const [i, { name, size, put }] of steps.entries()) {
          const revision = i + 1;
          const known = model.find((entry) => entry.name === name);
          if (put) {
            const before = recent.bytes - (known?.bytes ?? 0);
            recent.put(name, object(name, revision, "x".repeat(size)));
            const text = JSON.stringify({
              ...object(name, revision, "x".repeat(size)),
              metadata: { name, resourceVersion: String(revision) },
            });
            const bytes = 121 + text.length;
            model = [...model.filter((entry) => entry.name !== name), { name, revision, bytes }];
            for (let used = before + bytes; used > 2_000; ) used -= model.shift()?.bytes ?? 0;
          } else {
            expect(recent.find(name, at(1))?.metadata.resourceVersion).toBe(known && String(known.revision));
            if (known !== undefined) model = [...model.filter((entry) => entry !== known), known];
          }
          expect([recent.size, recent.bytes]).toEqual([model.length, model.reduce((sum, { bytes }) => sum + bytes, 0)]);
        }
      }),
    );
  });
});
