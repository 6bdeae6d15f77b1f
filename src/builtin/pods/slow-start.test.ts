import { expect, test } from "vitest";
import { slowStart } from "./slow-start.js";

/** Calls fail once `limit` of them have succeeded. */
async function run(count: number, limit: number): Promise<{ calls: number; succeeded: number; failed: number }> {
  let calls = 0;
  let good = 0;
  const { succeeded, failed } = await slowStart(count, async () => {
    calls++;
    if (good >= limit) throw new Error("no more");
    good++;
  });
  return { calls, succeeded, failed };
}

test("batches double, and the first that fails is the last", async () => {
  expect(await run(10, 10)).toEqual({ calls: 10, succeeded: 10, failed: 0 });
  expect(await run(10, 5)).toEqual({ calls: 7, succeeded: 5, failed: 2 });
  expect(await run(10, 0)).toEqual({ calls: 1, succeeded: 0, failed: 1 });
  expect(await run(0, 0)).toEqual({ calls: 0, succeeded: 0, failed: 0 });
});

test("a batch is awaited whole before the next begins", async () => {
  const order: string[] = [];
  await slowStart(3, async (index) => {
    order.push(`begin ${index}`);
    await Promise.resolve();
    order.push(`end ${index}`);
  });
  expect(order).toEqual(["begin 0", "end 0", "begin 1", "begin 2", "end 1", "end 2"]);
});
