import assert from "node:assert";
import fc from "fast-check";
import { expect, test } from "vitest";
import type { KubeObject } from "../object.js";
import { TextCompaction } from "./compaction.js";
import { lazyDecoder } from "./decoder.js";
import { textPlace } from "./lazy-object.js";

const text = (name: string, value: number): string =>
  `{"kind":"Pod","metadata":{"name":"${name}"},"spec":{"n":${value},"text":"${"é".repeat(500)}"},"status":{"n":[${value}]}}`;

function decoded(names: number): KubeObject[] {
  const decode = lazyDecoder<KubeObject>();
  return Array.from({ length: names }, (_, i) => {
    const bytes = Buffer.from(text(`p-${i}`, i));
    return decode(bytes, 0, bytes.length);
  });
}

function compacted(objects: readonly object[]): void {
  const compaction = new TextCompaction();
  for (const object of objects) compaction.count(object);
  for (const object of objects) compaction.gather(object);
}

/** Of all the memory that objects keep, how much is theirs. */
function usage(objects: readonly object[]): { readonly used: number; readonly kept: number } {
  const places = objects.map((object) => textPlace(object)).filter((place) => place !== undefined);
  return {
    used: places.reduce((sum, { length }) => sum + length, 0),
    kept: [...new Set(places.map(({ block }) => block))].reduce((sum, { length }) => sum + length, 0),
  };
}

test("what is left of many objects keeps about the memory of its own text, and reads as before", () => {
  const left = decoded(5000).filter((_, i) => i % 50 === 0);
  const before = usage(left);
  expect(before.kept).toBeGreaterThan(before.used * 20);
  compacted(left);
  const { used, kept } = usage(left);
  expect(used).toBe(before.used);
  expect(kept).toBeLessThan(used * 2.5);
  for (const [i, object] of left.entries()) assert.deepStrictEqual(object, JSON.parse(text(`p-${i * 50}`, i * 50)));
});

test("objects that are read, assigned to, or moved twice stay what they are", () => {
  fc.assert(
    fc.property(
      fc.array(fc.constantFrom("read spec", "read status", "assign", "move", "none"), { maxLength: 60 }),
      (steps) => {
        const objects = decoded(60) as (KubeObject & { spec: unknown; status: unknown })[];
        const kept = objects.filter((_, i) => i % 7 === 0);
        const want = kept.map((_, i) => JSON.parse(text(`p-${i * 7}`, i * 7)) as { spec: unknown });
        for (const [i, step] of steps.entries()) {
          const object = kept[i % kept.length] as (typeof kept)[number];
          if (step === "read spec") void object.spec;
          else if (step === "read status") void object.status;
          else if (step === "move") compacted(kept);
          else if (step === "assign") {
            object.spec = { i };
            (want[i % kept.length] as { spec: unknown }).spec = { i };
          }
        }
        compacted(kept);
        assert.deepStrictEqual(kept, want);
      },
    ),
  );
});

test("other objects are left alone", () => {
  const compaction = new TextCompaction();
  compaction.count({ a: 1 });
  compaction.gather({ a: 1 });
  expect(textPlace({ a: 1 })).toBeUndefined();
});
