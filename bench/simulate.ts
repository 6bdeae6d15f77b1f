/**
 * `simulate` as a test uses it: histories a second of a small operator with five objects, alone and with all controllers
 * and three nodes, in one process and in as many as there are cores; virtual seconds in a real one; the CPU of a
 * history, with that of the engine's helper threads; and the price of a fork.
 */
import { fork } from "node:child_process";
import { once } from "node:events";
import { availableParallelism } from "node:os";
import { fileURLToPath } from "node:url";
import { ConfigMap, newControllerRef, Secret } from "../src/api/index.js";
import { FakeClock } from "../src/base/index.js";
import { Client } from "../src/client/index.js";
import { Manager } from "../src/manager/index.js";
import { type OperatorTools, simulate, type SimulateOptions, startTestServer } from "../src/testing/index.js";
import { median, retainedBytes, type Run } from "./harness.js";

const namespace = "default";

async function operator({ client, clock, random }: OperatorTools): Promise<Manager> {
  const manager = await Manager.create({ client, clock, random });
  manager.controller({
    name: "copies",
    for: ConfigMap,
    owns: [Secret],
    async reconcile({ object, client: own }) {
      const metadata = { name: object.metadata.name, namespace, ownerReferences: [newControllerRef(object)] };
      await own.apply({ apiVersion: "v1", kind: "Secret", metadata, stringData: object.data ?? {} });
    },
  });
  return manager;
}

const small: SimulateOptions = {
  operator,
  async scenario({ client, sleep }) {
    const maps = client.resource(ConfigMap, { namespace });
    for (const name of ["a", "b", "c", "d", "e"]) await maps.create({ metadata: { name }, data: { key: "1" } });
    await sleep(1_000);
    await maps.patch("a", { merge: { data: { key: "2" } } });
  },
};
const whole: SimulateOptions = { ...small, world: { controllers: ["*"], nodes: 3 } };
const sizes = { small, whole } as const;
type Size = keyof typeof sizes;

/** The engine compiles the hot paths within the first hundreds of histories. */
const warmMs = 10_000;
const measuredMs = 15_000;

interface Rate {
  readonly histories: number;
  readonly virtualMs: number;
  readonly ms: number;
  /** Of all threads of the process. */
  readonly cpuMs: number;
}

/** Plays seeds from `first` on for as long as the time lasts. */
async function playFor(size: Size, first: number, ms: number): Promise<Rate> {
  const began = performance.now();
  const cpu = process.cpuUsage();
  const seeds = Array.from({ length: 10_000 }, (_, i) => first + i);
  const signal = AbortSignal.timeout(ms);
  const { histories, virtualMs, failures } = await simulate({ ...sizes[size], systematic: false, seeds, signal });
  if (failures[0] !== undefined) throw new Error(failures[0].story);
  const { user, system } = process.cpuUsage(cpu);
  return { histories, virtualMs, ms: performance.now() - began, cpuMs: (user + system) / 1_000 };
}

async function play(size: Size, first: number): Promise<Rate> {
  await playFor(size, first, warmMs);
  return await playFor(size, first + 10_000, measuredMs);
}

/** The same in as many processes as there are cores, all at once. */
async function playEverywhere(size: Size): Promise<readonly Rate[]> {
  const processes = Array.from({ length: availableParallelism() }, async (_, index) => {
    const child = fork(fileURLToPath(import.meta.url), [size, String((index + 1) * 100_000)]);
    const exited = once(child, "exit");
    const [rate] = (await once(child, "message")) as [Rate];
    await exited;
    return rate;
  });
  return await Promise.all(processes);
}

const perSecond = (rates: readonly Rate[]): number =>
  rates.reduce((sum, { histories, ms }) => sum + (histories / ms) * 1_000, 0);

async function forks(): Promise<{ readonly ms: number; readonly kilobytes: number }> {
  const clock = new FakeClock();
  await using server = await startTestServer({ clock });
  const maps = new Client({ transport: server.transport(), clock }).resource(ConfigMap, { namespace });
  for (let i = 0; i < 10_000; i++) await maps.create({ metadata: { name: `map-${i}` }, data: { key: "value" } });
  const take = () => server.fork({ clock: new FakeClock() });
  const times: number[] = [];
  for (let i = 0; i < 500; i++) {
    const began = performance.now();
    const fork = take();
    times.push(performance.now() - began);
    await fork.close();
  }
  const { value, bytes } = retainedBytes(() => Array.from({ length: 50 }, take));
  for (const fork of value) await fork.close();
  return { ms: median(times), kilobytes: bytes / 50 / 1024 };
}

export const run: Run = async ({ log }) => {
  log("forks");
  const forked = await forks();
  log("the small operator");
  const alone = [await play("small", 0)];
  const everywhere = await playEverywhere("small");
  log("with all controllers and three nodes");
  const wholeAlone = [await play("whole", 0)];
  const wholeEverywhere = await playEverywhere("whole");
  const cpuOfOne = (rates: readonly Rate[]): number =>
    rates.reduce((sum, { cpuMs }) => sum + cpuMs, 0) / rates.reduce((sum, { histories }) => sum + histories, 0);
  const speed = (rates: readonly Rate[]): number => rates.reduce((sum, { virtualMs, ms }) => sum + virtualMs / ms, 0);
  return {
    figures: {
      "fork of a server with 10,000 objects (ms)": forked.ms,
      "memory of a fork (KB)": forked.kilobytes,
      "histories a second, small operator, one process": perSecond(alone),
      "histories a second, small operator, a process for each core": perSecond(everywhere),
      "histories a second, all controllers and 3 nodes, one process": perSecond(wholeAlone),
      "histories a second, all controllers and 3 nodes, a process for each core": perSecond(wholeEverywhere),
      "CPU of a history, small operator, one process (ms)": cpuOfOne(alone),
      "CPU of a history, all controllers and 3 nodes, one process (ms)": cpuOfOne(wholeAlone),
      "virtual seconds a second, all controllers and 3 nodes, one process": speed(wholeAlone),
      "virtual seconds a second, all controllers and 3 nodes, a process for each core": speed(wholeEverywhere),
    },
    ratios: {},
  };
};

const [, program, size = "small", first = "0"] = process.argv;
if (program === fileURLToPath(import.meta.url))
  process.send?.(await play(size as Size, Number(first)), () => process.disconnect());
