import { describe, expect, test } from "vitest";
import { seededRandom } from "../../base/index.js";
import { describeFault, drawPlan, type Profile } from "./plan.js";

const profile: Profile = { writes: 3, reads: 2, events: 4, lastMs: 1_000, changes: 0 };
const kinds = [
  { name: "crash-after-write", strikesOn: ["write"], lasts: [0, 100] },
  { name: "lag", strikesOn: ["event", "time"], lasts: [100, 200] },
  { name: "never", strikesOn: ["time"], weight: 0 },
] as const;

describe("drawPlan", () => {
  test("one seed gives one plan, and other seeds give others", () => {
    const draw = (seed: number) => drawPlan(seed, kinds, profile, seededRandom(seed));
    expect(draw(1)).toEqual(draw(1));
    const plans = Array.from({ length: 50 }, (_, seed) => JSON.stringify(draw(seed).faults));
    expect(new Set(plans).size).toBeGreaterThan(40);
  });

  test("faults strike at moments that their kind allows, last as long as it says, and none has weight 0", () => {
    for (let seed = 0; seed < 200; seed++) {
      const { faults } = drawPlan(seed, kinds, profile, seededRandom(seed));
      expect(faults.length).toBeGreaterThanOrEqual(1);
      expect(faults.length).toBeLessThanOrEqual(4);
      for (const { fault, at, forMs = 0 } of faults) {
        expect(fault).not.toBe("never");
        expect(fault === "lag" ? ["event", "time"] : ["write"]).toContain(at.on);
        expect(forMs).toBeGreaterThanOrEqual(fault === "lag" ? 100 : 0);
        expect(forMs).toBeLessThanOrEqual(fault === "lag" ? 200 : 100);
      }
    }
  });

  test("without kinds there is a plan without faults", () => {
    expect(drawPlan(1, [], profile, seededRandom(1)).faults).toEqual([]);
  });
});

test("a fault in words", () => {
  expect(describeFault({ fault: "lag", at: { on: "event", number: 4 }, forMs: 200 })).toBe(
    "lag at event 4 that the operator is sent, for 200 ms",
  );
  expect(describeFault({ fault: "crash", at: { on: "time", number: 90 } })).toBe(
    "crash 90 ms after the scenario began",
  );
});
