/**
 * A program that reads one object every few milliseconds, on one connection, and sends its latencies to its parent: in
 * time, and in the time for which the server's thread worked meanwhile, which other programs on the machine do not
 * lengthen.
 */
import { setTimeout as sleep } from "node:timers/promises";
import { type Access, configMap, httpOn, path } from "../apiserver/load.js";
import { workOf } from "./work.js";

interface Percentiles {
  readonly p50: number;
  readonly p99: number;
}

export interface Latencies {
  readonly time: Percentiles;
  readonly work: Percentiles;
}

interface Task {
  readonly access: Access;
  readonly pid: number;
  readonly seconds: number;
}

process.once("message", (task: Task) => void read(task));

async function read({ access, pid, seconds }: Task): Promise<void> {
  const http = httpOn(access);
  await http.send("POST", path, configMap("light")).catch(() => {});
  const [times, work]: [number[], number[]] = [[], []];
  const end = performance.now() + seconds * 1000;
  while (performance.now() < end) {
    const [began, worked] = [performance.now(), workOf(pid)];
    await http.send("GET", `${path}/light`);
    work.push(workOf(pid) - worked);
    times.push(performance.now() - began);
    await sleep(5);
  }
  http.close();
  process.send?.({ time: percentiles(times), work: percentiles(work) } satisfies Latencies);
  process.disconnect();
}

function percentiles(samples: readonly number[]): Percentiles {
  const sorted = samples.toSorted((a, b) => a - b);
  const at = (part: number): number => sorted[Math.floor(sorted.length * part)] as number;
  return { p50: at(0.5), p99: at(0.99) };
}
