import { expect, test } from "vitest";
import { sweepPlans } from "./sweep.js";

const profile = { writes: 10, reads: 10, events: 10, lastMs: 9_000, changes: 0 };
const kinds = [
  { name: "often", strikesOn: ["write", "time"], weight: 2, lasts: [100, 1_000] },
  { name: "rarely", strikesOn: ["event"], weight: 0.3 },
  { name: "never", strikesOn: ["time"], weight: 0 },
] as const;

test("every kind strikes alone, as often as its weight says, spread over the history", () => {
  const plans = sweepPlans(kinds, profile);
  expect(plans.map(({ seed }) => seed)).toEqual(Array.from({ length: 7 }, (_, i) => `sweep-${i}`));
  const faults = plans.flatMap((plan) => plan.faults);
  expect(faults.map(({ fault }) => fault)).toEqual(["often", "rarely", "often", "often", "often", "often", "often"]);
  expect(faults[1]).toEqual({ fault: "rarely", at: { on: "event", number: 5 }, choice: 0.1 });
  const often = faults.filter(({ fault }) => fault === "often");
  expect(often.map(({ at }) => `${at.on} ${at.number}`)).toEqual([
    "write 0",
    "time 2500",
    "write 4",
    "time 5833",
    "write 7",
    "time 9166",
  ]);
  expect(new Set(often.map(({ choice }) => choice)).size).toBe(6);
  for (const { forMs = 0 } of often) expect(forMs >= 100 && forMs <= 1_000).toBe(true);
});

test("an operator that does nothing is not swept", () => {
  expect(sweepPlans(kinds, { ...profile, writes: 0, events: 0 })).toEqual([]);
});

test("each change that users may ask for is tried alone, when all is done, by the kinds that make changes", () => {
  const asking = [
    { name: "asks", strikesOn: ["time"], weight: 0, triesChanges: true, lasts: [10, 500] },
    { name: "asks-anew", strikesOn: ["time"], weight: 0, triesChanges: true },
    { name: "never", strikesOn: ["time"], weight: 0 },
  ] as const;
  const faults = sweepPlans(asking, { ...profile, changes: 2 }).flatMap((plan) => plan.faults);
  const at = { on: "time", number: 10_000 };
  expect(faults).toEqual([
    { fault: "asks", at, choice: 0.25, forMs: 500 },
    { fault: "asks-anew", at, choice: 0.25 },
    { fault: "asks", at, choice: 0.75, forMs: 500 },
    { fault: "asks-anew", at, choice: 0.75 },
  ]);
  expect(sweepPlans(asking, { ...profile, changes: 1_000 })).toHaveLength(120);
});
