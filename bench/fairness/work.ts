/** The work of another process, as Linux counts it. */
import { readFileSync } from "node:fs";

/** Milliseconds on a processor so far, of the process's first thread. */
export function workOf(pid: number): number {
  return Number(readFileSync(`/proc/${pid}/task/${pid}/schedstat`, "utf8").split(" ")[0]) / 1e6;
}
