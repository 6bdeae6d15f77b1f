import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { planShards, shardOf } from "./plan.js";

const groups = fc.record({
  members: fc.uniqueArray(fc.string({ minLength: 1, maxLength: 12 }), { minLength: 1, maxLength: 12 }),
  shards: fc.integer({ min: 1, max: 70 }),
});

/** The same rule said plainly: of all pairs that may still be taken, the one with the highest score. */
function naive(members: readonly string[], shards: number): readonly string[] {
  const owners = new Map<number, string>();
  const has = (member: string): number => [...owners.values()].filter((owner) => owner === member).length;
  const scoreOf = (member: string, shard: number): number => shardOf(`${shard}/${member}`, 2 ** 32);
  while (owners.size < shards) {
    let best: { member: string; shard: number; score: number } | undefined;
    for (const member of [...members].sort()) {
      if (has(member) >= Math.ceil(shards / members.length)) continue;
      for (let shard = 0; shard < shards; shard++) {
        const score = scoreOf(member, shard);
        if (!owners.has(shard) && (best === undefined || score > best.score)) best = { member, shard, score };
      }
    }
    if (best === undefined) throw new Error("no pair is left");
    owners.set(best.shard, best.member);
  }
  return Array.from({ length: shards }, (_, shard) => owners.get(shard) ?? "");
}

describe("the plan", () => {
  test("is what a naive search for the best pair gives, in whatever order the members are seen", () => {
    fc.assert(
      fc.property(groups, ({ members, shards }) => {
        const plan = planShards(members, shards);
        expect(plan).toEqual(naive(members, shards));
        expect(planShards([...members].reverse(), shards)).toEqual(plan);
      }),
      { numRuns: 60 },
    );
  });

  test("gives every shard an owner, and no member more than its share rounded up", () => {
    fc.assert(
      fc.property(groups, ({ members, shards }) => {
        const plan = planShards(members, shards);
        expect(plan.length).toBe(shards);
        expect(plan.every((owner) => members.includes(owner))).toBe(true);
        for (const member of members)
          expect(plan.filter((owner) => owner === member).length).toBeLessThanOrEqual(
            Math.ceil(shards / members.length),
          );
      }),
    );
    expect(planShards([], 4)).toEqual([]);
  });

  test("moves few shards when a member comes or goes", () => {
    let moved = 0;
    let least = 0;
    for (let size = 2; size <= 10; size++) {
      const members = Array.from({ length: size }, (_, i) => `host-${i}`);
      const before = planShards(members, 64);
      const after = planShards(members.slice(1), 64);
      moved += before.filter((owner, shard) => owner !== after[shard]).length;
      least += before.filter((owner) => owner === "host-0").length;
    }
    // a plan that dealt the shards out in turn would move nearly all of them
    expect(moved).toBeLessThanOrEqual(2 * least);
  });
});

describe("the shard of a text", () => {
  test("is the same for ever: two versions of a program share a group", () => {
    expect(
      ["default", "kube-system", "a", "b", "tenant-1", "tenant-2", "ÄÖÜ"].map((text) => shardOf(text, 32)),
    ).toEqual([12, 11, 19, 18, 15, 20, 27]);
  });

  test("spreads similar names, which the ranges of the server's shard selector do not", () => {
    const rangeOf = (text: string): bigint => {
      let hash = 0xcbf29ce484222325n;
      for (const byte of new TextEncoder().encode(text))
        hash = BigInt.asUintN(64, (hash ^ BigInt(byte)) * 0x100000001b3n);
      return (hash * 32n) >> 64n;
    };
    const numbers = (count: number, digits: number): string[] =>
      Array.from({ length: count }, (_, i) => `tenant-${String(i).padStart(digits, "0")}`);
    const letters = Array.from("abcdefghijklmnopqrstuvwxyz", (letter) => `team-${letter}`);
    const spread = [numbers(100, 1), letters, numbers(1000, 3)].map((names) => [
      new Set(names.map(rangeOf)).size,
      new Set(names.map((name) => shardOf(name, 32))).size,
    ]);
    expect(spread.map(([ranges]) => ranges)).toEqual([2, 1, 10]);
    expect(spread.every(([, shards = 0]) => shards > 16)).toBe(true);
  });

  test("spreads similar names evenly", () => {
    const counts = new Map<number, number>();
    for (let i = 0; i < 3_200; i++) {
      const shard = shardOf(`tenant-${i}`, 32);
      counts.set(shard, (counts.get(shard) ?? 0) + 1);
    }
    expect(counts.size).toBe(32);
    expect(Math.max(...counts.values())).toBeLessThan(150);
    expect(Math.min(...counts.values())).toBeGreaterThan(60);
  });
});
