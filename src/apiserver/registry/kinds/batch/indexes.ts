/** Lists of completed indexes: `1,3-5,7`. */
import { goQuote } from "../../../../api/index.js";

export interface IndexesFault {
  readonly complaint: string;
}

/** The number of indexes in the text, or its fault. */
export function countIndexes(text: string, completions: number): number | IndexesFault {
  if (text === "") return 0;
  let last: number | undefined;
  let total = 0;
  for (const part of text.split(",")) {
    const interval = intervalOf(part, completions);
    if ("complaint" in interval) return interval;
    const { from, to } = interval;
    if (last !== undefined && last >= from) {
      return { complaint: `non-increasing order, previous: ${last}, current: ${from}` };
    }
    total += to - from + 1;
    last = to;
  }
  return total;
}

interface Interval {
  readonly from: number;
  readonly to: number;
}

function intervalOf(text: string, completions: number): Interval | IndexesFault {
  const ends = text.split("-");
  if (ends.length > 2) {
    const rule = "violates the requirement that an index interval can have at most two parts separated by '-'";
    return { complaint: `the fragment ${goQuote(text)} ${rule}` };
  }
  const numbers: number[] = [];
  for (const end of ends) {
    if (!/^[+-]?[0-9]{1,15}$/.test(end))
      return { complaint: `cannot convert string to integer for index: ${goQuote(end)}` };
    if (Number(end) >= completions) return { complaint: `too large index: ${goQuote(end)}` };
    numbers.push(Number(end));
  }
  const [from = 0, to = from] = numbers;
  if (numbers.length === 2 && from >= to) {
    return { complaint: `non-increasing order, previous: ${from}, current: ${to}` };
  }
  return { from, to };
}

/** The first index in both lists. Malformed parts are reported elsewhere. */
export function overlap(a: string, b: string, completions: number): number | undefined {
  const intervals = (text: string): readonly Interval[] =>
    text
      .split(",")
      .map((part) => intervalOf(part, completions))
      .filter((one): one is Interval => !("complaint" in one));
  for (const x of intervals(a)) {
    for (const y of intervals(b)) if (x.from <= y.to && y.from <= x.to) return Math.max(x.from, y.from);
  }
  return undefined;
}
