import { expect, test } from "vitest";
import type { Plan, PlannedFault } from "./plan.js";
import { shrink } from "./shrink.js";

const fault = (name: string, forMs = 0): PlannedFault => ({ fault: name, at: { on: "time", number: 0 }, forMs });
const plan: Plan = { seed: "1", faults: [fault("a"), fault("b", 8_000), fault("c"), fault("d")] };
const names = ({ faults }: Plan): readonly string[] => faults.map((one) => one.fault);

test("leaves the faults without which it does not fail", async () => {
  const small = await shrink(plan, async (one) => names(one).includes("b") && names(one).includes("d"));
  expect(names(small)).toEqual(["b", "d"]);
});

test("shortens spells for as long as it still fails", async () => {
  const small = await shrink(plan, async ({ faults }) =>
    faults.some((one) => one.fault === "b" && (one.forMs ?? 0) >= 1_000),
  );
  expect(small.faults).toEqual([fault("b", 1_000)]);
});

test("the plan that it gives was played last of those that failed", async () => {
  let last: Plan | undefined;
  const small = await shrink(plan, async (one) => {
    const fails = names(one).includes("c");
    if (fails) last = one;
    return fails;
  });
  expect(small).toEqual(last);
});

test("a failure that needs every fault keeps them all", async () => {
  expect(await shrink(plan, async () => false)).toEqual(plan);
});
