import { expect, test } from "vitest";
import { FakeClock, systemClock } from "../../base/index.js";
import { gateFor } from "./in-process.js";

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

test("of the requests in this process, 32 are begun in each turn of the event loop, in their order", async () => {
  const gate = gateFor(systemClock);
  await turn();
  const begun: number[] = [];
  const send = async (n: number): Promise<void> => {
    const wait = gate();
    if (wait !== undefined) await wait;
    begun.push(n);
  };
  const all = Array.from({ length: 80 }, (_, n) => send(n));
  const counts: number[] = [];
  for (let i = 0; i < 3; i++) {
    await Promise.resolve();
    counts.push(begun.length);
    await turn();
  }
  await Promise.all(all);
  expect(counts).toEqual([32, 64, 80]);
  expect(begun).toEqual(Array.from({ length: 80 }, (_, n) => n));
  await turn();
  expect(gate()).toBeUndefined();
});

test("on virtual time a client that sends requests in a loop pauses now and then, and others do not wait", async () => {
  const gate = gateFor(new FakeClock());
  const waits = Array.from({ length: 64 }, () => gate());
  expect(waits.filter((wait) => wait !== undefined)).toHaveLength(2);
  await Promise.all(waits.filter((wait) => wait !== undefined));
});
