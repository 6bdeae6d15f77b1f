import { getEventListeners } from "node:events";
import { expect, test } from "vitest";
import { onAbort } from "./abort.js";

test("all who wait for a signal are told once, in order, behind one listener", () => {
  const controller = new AbortController();
  const told: string[] = [];
  onAbort(controller.signal, ({ message }) => told.push(`first: ${message}`));
  const second = onAbort(controller.signal, () => told.push("second"));
  onAbort(controller.signal, () => told.push("third"));
  expect(getEventListeners(controller.signal, "abort")).toHaveLength(1);
  second[Symbol.dispose]();
  controller.abort(new Error("enough"));
  second[Symbol.dispose]();
  expect(told).toEqual(["first: enough", "third"]);
  onAbort(controller.signal, () => told.push("late"));
  expect(told.at(-1)).toBe("late");
});

test("nothing is left on a signal that nobody waits for, and it can be waited for again", () => {
  const controller = new AbortController();
  let told = 0;
  onAbort(controller.signal, () => told++)[Symbol.dispose]();
  expect(getEventListeners(controller.signal, "abort")).toHaveLength(0);
  onAbort(controller.signal, () => told++);
  controller.abort();
  expect(told).toBe(1);
});

test("one who is told may take another's wait back", () => {
  const controller = new AbortController();
  let told = 0;
  onAbort(controller.signal, () => other[Symbol.dispose]());
  const other = onAbort(controller.signal, () => told++);
  controller.abort();
  expect(told).toBe(0);
});
