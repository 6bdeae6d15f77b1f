/** The fuzzer's thread: takes its work from fuzz.ts, and reports every event until it is ended. */
import { parentPort, workerData } from "node:worker_threads";
import { seededRandom } from "../src/base/index.js";
import { fuzz } from "../test/fuzz/driver.js";
import { allTargets } from "../test/fuzz/targets/index.js";
import type { FuzzWork } from "./fuzz.js";

const { targets, seed, corpus, deadly } = workerData as FuzzWork;
const chosen = allTargets.filter(({ name }) => targets.includes(name));
for await (const event of fuzz({ targets: chosen, random: seededRandom(seed), corpus, deadly }))
  parentPort?.postMessage(event);
