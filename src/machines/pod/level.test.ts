/** Levels of usage: the shapes that annotations can say, and the texts that are refused. */
import { describe, expect, test } from "vitest";
import { parseLevel } from "./level.js";

const hour = 3_600_000;

describe("a level", () => {
  test("that is constant", () => {
    const { at, total, noise } = parseLevel("250m");
    expect([at(0), at(7 * hour), total, noise]).toEqual([0.25, 0.25, false, 0]);
  });

  test("that is a wave starts low, is highest in the middle of its period, and repeats", () => {
    const { at } = parseLevel("100m..900m every 24h");
    expect([0, 6, 12, 18, 24, 36].map((h) => Number(at(h * hour).toFixed(6)))).toEqual([0.1, 0.5, 0.9, 0.5, 0.1, 0.9]);
  });

  test("that goes through points is straight between them, also over the end of the period", () => {
    const { at } = parseLevel("4h=100Mi,8h=200Mi,20h=100Mi every 24h");
    const mi = 2 ** 20;
    expect([4, 6, 8, 14, 20, 22, 24, 28].map((h) => at(h * hour) / mi)).toEqual([
      100, 150, 200, 150, 100, 100, 100, 100,
    ]);
  });

  test("may be a total with noise", () => {
    const { at, total, noise } = parseLevel("total 1.5..2.5 every 1h ~10%");
    expect([at(0), at(hour / 2), total, noise]).toEqual([1.5, 2.5, true, 0.1]);
  });

  test.each([
    ["", /quantit/],
    ["lots", /quantit/],
    ["-1", /not negative/],
    ["NaN", /quantit/],
    ["1 every 1h", /no period/],
    ["1..2", /every 24h/],
    ["1..2 every 0s", /longer than 0s/],
    ["1..2 every", /every 24h/],
    ["1..2 every day", /day/],
    ["0s=1,25h=2 every 24h", /within one period/],
    ["0s=1=2 every 24h", /one offset and one amount/],
    ["1 2", /cannot read "2"/],
    ["1..2 every 1h 3", /cannot read "3"/],
  ])("%j is refused", (text, message) => {
    expect(() => parseLevel(text)).toThrow(message);
  });
});
