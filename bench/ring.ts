/** A first-in-first-out buffer at three lengths, filled by a burst and then in steady use. Compares the ring with an array. */
import { Ring } from "../src/base/index.js";
import { measure, type Run } from "./harness.js";

type Fifo = { push(item: number): unknown; shift(): number | undefined };

const batch = 1_000;

function steady(queue: Fifo, length: number): () => number {
  for (let i = 0; i < length; i++) queue.push(i);
  return () => {
    for (let i = 0; i < batch; i++) {
      queue.push(i);
      queue.shift();
    }
    return 2 * batch;
  };
}

export const run: Run = ({ log }) => {
  const figures: Record<string, number> = {};
  const ratios: Record<string, number> = {};
  for (const length of [10, 1_000, 100_000]) {
    log(`length ${length}`);
    const times = measure({ ring: steady(new Ring<number>(), length), array: steady([], length) });
    figures[`Ring, length ${length} (ns/operation)`] = times.ring;
    figures[`array, length ${length} (ns/operation)`] = times.array;
    ratios[`faster than an array, length ${length}`] = times.array / times.ring;
  }
  return { figures, ratios };
};
