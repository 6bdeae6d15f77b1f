/** A level of usage over time, from the text of an annotation or a rule: a constant, a wave, or a line through points. */
import { durationToMs, parseQuantity } from "../../api/index.js";

/** In cores of CPU or bytes of memory. */
export interface Level {
  /** The level at a wall time in milliseconds. */
  at(time: number): number;
  /** True if it is the total of all ready replicas, each of which has an equal share. */
  readonly total: boolean;
  /** The largest part of the level by which noise changes it: 0.1 is ±10 %. */
  readonly noise: number;
}

const noiseWord = /^~(\d{1,3})%$/;
const wave = /^([^.=\s]+(?:\.\d[^.=\s]*)?)\.\.(\S+)$/;

/**
 * Reads `[total] LEVEL [~N%]`, where LEVEL is one of:
 * - a quantity: `250m`
 * - a wave between two quantities: `100m..900m every 24h`; the lower one is at the start of each period
 * - a line through points: `0s=100m,8h=1,20h=100m every 24h`; each point is at its offset in the period
 *
 * Periods count from the epoch, so that all replicas agree; a period of 24 hours starts at midnight UTC. Throws an
 * Error that says which part cannot be read.
 */
export function parseLevel(text: string): Level {
  const words = text.trim().split(/\s+/);
  const total = words[0] === "total";
  if (total) words.shift();
  const noise = noiseWord.exec(words.at(-1) ?? "");
  if (noise !== null) words.pop();
  const [shape = "", every, period, ...more] = words;
  if (more.length > 0 || (every !== undefined && every !== "every")) {
    throw new Error(`cannot read ${JSON.stringify(every === "every" ? more[0] : every)} in ${JSON.stringify(text)}`);
  }
  return { total, noise: Number(noise?.[1] ?? 0) / 100, at: shapeOf(shape, period) };
}

function shapeOf(text: string, every: string | undefined): Level["at"] {
  const ends = wave.exec(text);
  const isLine = text.includes("=");
  if (ends === null && !isLine) {
    if (every !== undefined) throw new Error(`a constant level has no period: ${JSON.stringify(text)}`);
    const amount = amountOf(text);
    return () => amount;
  }
  if (every === undefined) throw new Error(`say how often ${JSON.stringify(text)} repeats: every 24h`);
  const period = durationToMs(every);
  if (!(period > 0)) throw new Error(`a period is longer than ${every}`);
  const [, low = "", high = ""] = ends ?? [];
  return isLine ? lineOf(text, period) : waveOf(amountOf(low), amountOf(high), period);
}

const waveOf =
  (low: number, high: number, period: number): Level["at"] =>
  (time) =>
    low + ((high - low) * (1 - Math.cos((2 * Math.PI * time) / period))) / 2;

function lineOf(text: string, period: number): Level["at"] {
  const points = text.split(",").map((point) => {
    const [offset = "", amount = "", ...more] = point.split("=");
    if (more.length > 0) throw new Error(`a point is one offset and one amount: ${JSON.stringify(point)}`);
    return { at: durationToMs(offset), amount: amountOf(amount) };
  });
  points.sort((a, b) => a.at - b.at);
  const [first, last] = [points[0], points.at(-1)];
  if (first === undefined || last === undefined || first.at < 0 || last.at >= period) {
    throw new Error(`the points of ${JSON.stringify(text)} lie within one period`);
  }
  return (time) => {
    const offset = ((time % period) + period) % period;
    const next = points.find(({ at }) => at > offset) ?? { ...first, at: first.at + period };
    const previous = points.findLast(({ at }) => at <= offset) ?? { ...last, at: last.at - period };
    return previous.amount + ((next.amount - previous.amount) * (offset - previous.at)) / (next.at - previous.at);
  };
}

function amountOf(text: string): number {
  const amount = parseQuantity(text);
  if (amount.sign < 0) throw new Error(`usage is not negative: ${text}`);
  return amount.asApproximateFloat();
}
