/** Parses and adds up the requests of 1,000 containers. Compares with a regular expression and BigInt. */
import { parseQuantity, Quantity } from "../src/api/index.js";
import { measure, type Run } from "./harness.js";

const texts: readonly string[] = Array.from(
  { length: 1_000 },
  (_, i) => [`${i}m`, `${1 + (i % 8)}`, `${64 + i}Mi`, `${1 + (i % 4)}Gi`, `0.${1 + (i % 9)}`][i % 5] as string,
);

const units: Readonly<Record<string, bigint>> = {
  n: 1n,
  u: 1_000n,
  m: 1_000_000n,
  "": 10n ** 9n,
  k: 10n ** 12n,
  M: 10n ** 15n,
  G: 10n ** 18n,
  T: 10n ** 21n,
  Ki: 1024n * 10n ** 9n,
  Mi: 1024n ** 2n * 10n ** 9n,
  Gi: 1024n ** 3n * 10n ** 9n,
  Ti: 1024n ** 4n * 10n ** 9n,
};

/** The obvious alternative: everything in billionths, without formats, limits or exponents. */
function billionths(text: string): bigint {
  const match = /^([+-]?\d+)(?:\.(\d+))?([numkMGT]?i?)$/.exec(text);
  const [, whole = "0", fraction = "", suffix = ""] = match ?? [];
  const unit = units[suffix] ?? 0n;
  return BigInt(whole) * unit + (fraction === "" ? 0n : (BigInt(fraction) * unit) / 10n ** BigInt(fraction.length));
}

export const run: Run = () => {
  const parsed = texts.map((text) => parseQuantity(text));
  const naive = texts.map((text) => billionths(text));
  const times = measure({
    parse: () => {
      for (const text of texts) parseQuantity(text);
      return texts.length;
    },
    naiveParse: () => {
      for (const text of texts) billionths(text);
      return texts.length;
    },
    add: () => {
      let sum = Quantity.zero;
      for (const quantity of parsed) sum = sum.add(quantity);
      return parsed.length;
    },
    naiveAdd: () => {
      let sum = 0n;
      for (const quantity of naive) sum += quantity;
      if (sum < 0n) throw new Error("unreachable; keeps the sum alive");
      return naive.length;
    },
    print: () => {
      for (const text of texts) String(parseQuantity(text));
      return texts.length;
    },
  });
  return {
    figures: {
      "parse (ns)": times.parse,
      "parse to BigInt billionths (ns)": times.naiveParse,
      "add (ns)": times.add,
      "add BigInt billionths (ns)": times.naiveAdd,
      "parse and print (ns)": times.print,
    },
    ratios: {
      "parse against BigInt": times.naiveParse / times.parse,
      "add against BigInt": times.naiveAdd / times.add,
    },
  };
};
