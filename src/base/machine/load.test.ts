import { expect, test } from "vitest";
import { eventLoopLoad } from "./load.js";

/** A loop that has rested and worked for so long; the test says how it goes on. */
function loopOf() {
  const total = { idle: 0, active: 0 };
  const read = () => ({ ...total });
  const pass = (idle: number, active: number): void => {
    total.idle += idle;
    total.active += active;
  };
  return { isBusy: eventLoopLoad(read), pass };
}

test("a loop that hardly rests is busy, one that rests is not", () => {
  const { isBusy, pass } = loopOf();
  expect(isBusy()).toBe(false);
  pass(0, 20);
  expect(isBusy()).toBe(true);
  pass(1, 99);
  expect(isBusy()).toBe(true);
  pass(10, 90);
  expect(isBusy()).toBe(false);
});

test("the last verdict stands until there is enough to judge by", () => {
  const { isBusy, pass } = loopOf();
  pass(0, 9);
  expect(isBusy()).toBe(false);
  pass(0, 1);
  expect(isBusy()).toBe(true);
  pass(5, 0);
  expect(isBusy()).toBe(true);
  pass(5, 0);
  expect(isBusy()).toBe(false);
});

test("the process's own loop can be asked", () => {
  // a machine that lets it wait between the two looks makes it busy
  expect(eventLoopLoad()()).toBeTypeOf("boolean");
});
