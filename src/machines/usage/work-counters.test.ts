import { describe, expect, test } from "vitest";
import { WorkCounters } from "./work-counters.js";

const load = (cores: number, id = "a") => ({ id, cores, begun: 10_000 });

describe("the work of containers", () => {
  test("counts from the start with the first load, and then with each later one", () => {
    const counters = new WorkCounters();
    expect(counters.read("n", [load(0.5)], 20_000)).toEqual([5]);
    expect(counters.read("n", [load(2)], 35_000)).toEqual([35]);
    expect(counters.read("n", [load(0)], 50_000)).toEqual([35]);
  });

  test("does not grow between readings of one moment, nor fall when the clock does", () => {
    const counters = new WorkCounters();
    expect(counters.read("n", [load(1)], 20_000)).toEqual([10]);
    expect(counters.read("n", [load(9)], 20_000)).toEqual([10]);
    expect(counters.read("n", [load(9)], 15_000)).toEqual([10]);
    expect(counters.read("n", [load(1)], 21_000)).toEqual([11]);
  });

  test("begins anew for a container that was away", () => {
    const counters = new WorkCounters();
    expect(counters.read("n", [load(1), load(2, "b")], 20_000)).toEqual([10, 20]);
    expect(counters.read("m", [load(3)], 20_000)).toEqual([30]);
    expect(counters.read("n", [load(1)], 30_000)).toEqual([20]);
    expect(counters.read("n", [load(1), load(4, "b")], 30_000)).toEqual([20, 80]);
  });
});
