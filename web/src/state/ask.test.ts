import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { Repeater } from "./ask.js";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

function slow(answerMs: number) {
  const seen = { asked: 0, answered: 0, aborted: 0 };
  const repeater = new Repeater(async (signal) => {
    seen.asked += 1;
    await new Promise((answered) => setTimeout(answered, answerMs));
    if (signal.aborted) seen.aborted += 1;
    else seen.answered += 1;
  });
  return { seen, repeater };
}

test("a question is answered although changes come faster than answers, and the next one follows", async () => {
  const { seen, repeater } = slow(700);
  for (let ms = 0; ms < 7_000; ms += 100) {
    repeater.again(500);
    await vi.advanceTimersByTimeAsync(100);
  }
  expect(seen).toEqual({ asked: 2, answered: 2, aborted: 0 });
  repeater.end();
});

test("a question whose answer takes long is asked more seldom, at least every five seconds", async () => {
  const of = async (answerMs: number): Promise<number> => {
    const { seen, repeater } = slow(answerMs);
    for (let ms = 0; ms < 60_000; ms += 100) {
      repeater.again(500);
      await vi.advanceTimersByTimeAsync(100);
    }
    repeater.end();
    return seen.asked;
  };
  expect([await of(1), await of(40), await of(3_000)]).toEqual([121, 31, 13]);
});

test("it rests between questions, and asks nothing without a change", async () => {
  const { seen, repeater } = slow(1);
  for (let ms = 0; ms < 5_000; ms += 100) {
    repeater.again(500);
    await vi.advanceTimersByTimeAsync(100);
  }
  expect(seen.asked).toBe(11);
  await vi.advanceTimersByTimeAsync(60_000);
  expect(seen.asked).toBe(11);
  repeater.end();
});

test("after its end nothing is asked, and an answer that comes late is dropped", async () => {
  const { seen, repeater } = slow(700);
  repeater.again(500);
  await vi.advanceTimersByTimeAsync(100);
  repeater.again(500);
  repeater.end();
  repeater.again(500);
  await vi.advanceTimersByTimeAsync(60_000);
  expect(seen).toEqual({ asked: 1, answered: 0, aborted: 1 });
});
