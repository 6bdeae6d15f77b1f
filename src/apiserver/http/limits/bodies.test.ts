import { expect, test } from "vitest";
import { Bodies } from "./bodies.js";

test("all bodies together have a limit, half of it for one user, and what is let go can be had again", () => {
  const bodies = new Bodies(100);
  const first = bodies.share("a");
  first.take(30);
  using second = bodies.share("a");
  expect(() => second.take(21)).toThrow("Too many requests");
  second.take(20);
  using other = bodies.share("b");
  other.take(50);
  using third = bodies.share("c");
  expect(() => third.take(1)).toThrow("Too many requests");
  first[Symbol.dispose]();
  first[Symbol.dispose]();
  third.take(30);
  expect(bodies.held).toBe(100);
});
