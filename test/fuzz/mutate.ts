/** Makes an input from another one: takes bytes, words and random numbers, gives new bytes. */
import type { Random } from "../../src/base/index.js";

export const longestInput: number = 64 * 1024;

export interface Material {
  readonly random: Random;
  readonly words: readonly string[];
  /** Another input of the same target. */
  readonly other: Uint8Array;
}

type Change = (input: Buffer, material: Material) => Buffer;

const oddNumbers =
  "0 -1 1 00 1e9 1e309 -0 0.1 255 256 65535 2147483647 2147483648 4294967296 9007199254740993 9223372036854775807 9223372036854775808 18446744073709551616".split(
    " ",
  );
const oddTexts = [
  "",
  "__proto__",
  "constructor",
  "\u0000",
  "\ufeff",
  "\ud83d\ude00",
  "%00",
  "%zz",
  "..",
  "null",
  "\r\n",
  "a".repeat(300),
];
const oddBytes = [0, 1, 0x7f, 0x80, 0xff, 0x0a, 0x22, 0x5c, 0x7b, 0x5b];

const pick = <T>(random: Random, items: readonly T[]): T | undefined => items[random.int(items.length)];

function range(input: Buffer, random: Random): readonly [start: number, end: number] {
  const start = random.int(input.length + 1);
  const most = random.int(2) === 0 ? 8 : input.length;
  return [start, Math.min(input.length, start + random.int(most + 1))];
}

function replaced(input: Buffer, [start, end]: readonly [number, number], by: Uint8Array): Buffer {
  return Buffer.concat([input.subarray(0, start), by, input.subarray(end)]);
}

/** The place of one match of the pattern, chosen by chance. */
function placeOf(input: Buffer, pattern: RegExp, random: Random): readonly [number, number] | undefined {
  const found = pick(random, [...input.toString("latin1").matchAll(pattern)]);
  return found === undefined ? undefined : [found.index, found.index + found[0].length];
}

const changes: readonly Change[] = [
  function flipBit(input, { random }) {
    const copy = Buffer.from(input);
    const at = random.int(copy.length + 1);
    if (at < copy.length) copy[at] = (copy[at] as number) ^ (1 << random.int(8));
    return copy;
  },
  function setByte(input, { random }) {
    const at = random.int(input.length + 1);
    const byte = random.int(2) === 0 ? random.int(256) : (pick(random, oddBytes) ?? 0);
    return replaced(input, [at, Math.min(input.length, at + 1)], Buffer.from([byte]));
  },
  function removeRange(input, { random }) {
    return replaced(input, range(input, random), Buffer.alloc(0));
  },
  function repeatRange(input, { random }) {
    const [start, end] = range(input, random);
    const piece = input.subarray(start, end);
    const most = Math.floor(longestInput / 2 / Math.max(1, piece.length));
    const times = random.int(8) === 0 ? random.int(most + 1) : random.int(4);
    return replaced(input, [end, end], Buffer.concat(Array.from({ length: times }, () => piece)));
  },
  function insertWord(input, { random, words }) {
    const at = random.int(input.length + 1);
    return replaced(input, [at, at], Buffer.from(pick(random, words) ?? ""));
  },
  function replaceWord(input, { random, words }) {
    const place = placeOf(input, /[A-Za-z][\w-]*/g, random) ?? range(input, random);
    return replaced(input, place, Buffer.from(pick(random, random.int(3) === 0 ? oddTexts : words) ?? ""));
  },
  function replaceValue(input, { random }) {
    const place = placeOf(input, /"[^"]*"|\d+|true|false|null|\[\]|\{\}/g, random) ?? range(input, random);
    const odd =
      random.int(2) === 0
        ? pick(random, oddNumbers)
        : pick(random, ["null", "{}", "[]", '""', "true", "[{}]", "[null]"]);
    return replaced(input, place, Buffer.from(odd ?? ""));
  },
  function takeFromOther(input, { random, other }) {
    const from = Buffer.from(other);
    const [start, end] = range(from, random);
    return replaced(input, range(input, random), from.subarray(start, end));
  },
  function crossOver(input, { random, other }) {
    return Buffer.concat([
      input.subarray(0, random.int(input.length + 1)),
      other.subarray(random.int(other.length + 1)),
    ]);
  },
];

/** One to four changes. */
export function mutated(input: Uint8Array, material: Material): Uint8Array {
  const { random } = material;
  let bytes = Buffer.from(input);
  for (let left = 1 + random.int(4); left > 0; left--) {
    bytes = Buffer.from((pick(random, changes) as Change)(bytes, material).subarray(0, longestInput));
  }
  return bytes;
}
