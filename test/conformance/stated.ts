/** Takes words of docs/compatibility.md; gives the number that stands before them there, so that tests can hold it true. */
import { readFileSync } from "node:fs";
import { repository } from "../source-files.js";

/** Throws if no number stands before these words. */
export function statedCount(words: string): number {
  const text = readFileSync(`${repository}docs/compatibility.md`, "utf8").replaceAll(/\s+/g, " ");
  const at = text.indexOf(` ${words}`);
  const number = /[\d,]+$/.exec(at < 0 ? "" : text.slice(Math.max(0, at - 20), at))?.[0];
  if (number === undefined) throw new Error(`docs/compatibility.md states no number of "${words}"`);
  return Number(number.replaceAll(",", ""));
}
