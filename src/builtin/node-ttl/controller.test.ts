import { expect, test } from "vitest";
import { CacheSeconds } from "./controller.js";

test("larger clusters keep Secrets longer, and a size that swings around a limit changes nothing", () => {
  const cache = new CacheSeconds();
  const grow = (count: number): number => {
    for (let i = 0; i < count; i++) cache.nodeCame();
    return cache.seconds;
  };
  const shrink = (count: number): number => {
    for (let i = 0; i < count; i++) cache.nodeWent();
    return cache.seconds;
  };
  expect(grow(100)).toBe(0);
  expect(grow(1)).toBe(15);
  expect(shrink(11)).toBe(15);
  expect(shrink(1)).toBe(0);
  expect(grow(11)).toBe(0);
  expect(grow(401)).toBe(30);
  expect(grow(1_500)).toBe(300);
  expect(shrink(201)).toBe(300);
  expect(shrink(1)).toBe(60);
});
