import { isMainThread } from "node:worker_threads";
import { expect, test } from "vitest";
import { yieldToMainThread } from "./helper-threads.js";

test.runIf(process.platform === "linux" && isMainThread)(
  "every thread but the first gets a lower priority (Linux only)",
  () => {
    const lowered = new Map<number, number>();
    yieldToMainThread((thread, niceness) => lowered.set(thread, niceness));
    expect(lowered.size).toBeGreaterThan(0);
    expect(lowered.has(process.pid)).toBe(false);
    expect([...lowered.values()].every((niceness) => niceness > 0)).toBe(true);
  },
);

test("a system that refuses is left as it is", () => {
  expect(() =>
    yieldToMainThread(() => {
      throw new Error("EPERM");
    }),
  ).not.toThrow();
});
