/** Shuffle sharding: takes the name of a flow; gives the few queues among which its requests are divided. */
import { getOrMake } from "../../base/containers/recent.js";
import { createHash } from "node:crypto";
import { Recent } from "../../base/index.js";

/** Two flows rarely have all their queues in common, so a noisy one leaves a quiet one some that are free. */
export class Hands {
  readonly #known = new Recent<string, readonly number[]>({ weight: 4096 });

  of(flow: { readonly schema: string; readonly distinguisher: string }, deck: number, size: number): readonly number[] {
    const id = `${deck} ${size} ${flow.schema}\0${flow.distinguisher}`;
    return getOrMake(this.#known, id, () => deal(hashOf(flow.schema, flow.distinguisher), deck, size));
  }
}

/** The first eight bytes, with the least significant one first, as kube-apiserver has them. */
export function hashOf(schema: string, distinguisher: string): bigint {
  return createHash("sha256").update(`${schema}\0${distinguisher}`).digest().readBigUInt64LE(0);
}

/** Deals cards from a deck without putting one back; each card is drawn by a part of the hash. */
export function deal(hash: bigint, deck: number, size: number): readonly number[] {
  const drawn: number[] = [];
  let rest = hash;
  for (let i = 0; i < size; i++) {
    const left = BigInt(deck - i);
    drawn.push(Number(rest % left));
    rest /= left;
  }
  return drawn.map((card, i) => {
    let place = card;
    for (let j = i; j > 0; j--) if (place >= (drawn[j - 1] as number)) place++;
    return place;
  });
}
