import { expect, test } from "vitest";
import { after, firstAnswer } from "./awaitable.js";

test("the next step is taken at once if there is no promise, and after it otherwise", async () => {
  expect(after(1, (value) => value + 1)).toBe(2);
  const late = after(Promise.resolve(1), (value) => value + 1);
  expect(late).toBeInstanceOf(Promise);
  expect(await late).toBe(2);
  await expect(after(Promise.reject<number>(new Error("lost")), (value) => value)).rejects.toThrow("lost");
});

test("the first answer decides; nobody is asked after it, or before an earlier one has answered", async () => {
  const asked: string[] = [];
  const answers: Readonly<Record<string, string | undefined | Promise<string | undefined>>> = {
    silent: undefined,
    slow: Promise.resolve(undefined),
    sure: "yes",
    late: Promise.resolve("late"),
  };
  const ask = (...names: readonly string[]) => {
    asked.length = 0;
    return firstAnswer(names, (name) => {
      asked.push(name);
      return answers[name];
    });
  };
  expect(ask("silent", "sure", "late")).toBe("yes");
  expect(asked).toEqual(["silent", "sure"]);
  const slow = ask("silent", "slow", "silent", "late", "sure");
  expect(asked).toEqual(["silent", "slow"]);
  expect(await slow).toBe("late");
  expect(asked).toEqual(["silent", "slow", "silent", "late"]);
  expect(ask("silent")).toBeUndefined();
  expect(await ask("slow")).toBeUndefined();
});
