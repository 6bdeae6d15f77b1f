/**
 * `coxswain simulate FILE`: plays the operator that a file describes through histories of faults, on all cores, and
 * prints the result.
 */
import { fork } from "node:child_process";
import { once } from "node:events";
import { existsSync, statSync } from "node:fs";
import { mkdir, writeFile } from "node:fs/promises";
import { availableParallelism } from "node:os";
import { dirname, join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { Command, InvalidArgumentError, Option } from "commander";
import { defined } from "../../base/defined.js";
import { linkedAbort, onAbort, systemClock } from "../../base/index.js";
import {
  allFaults,
  type Failure,
  type FaultKind,
  type Progress,
  type Report,
  simulate,
  type SimulateOptions,
} from "../../testing/index.js";
import { numberParser } from "../flags.js";
import type { Terminal } from "../terminal.js";

interface SimulateFlags {
  readonly seeds?: number;
  readonly for?: number;
  readonly workers: number;
  readonly seed?: string;
  readonly faults?: readonly FaultKind[];
  readonly out?: string;
  /** `index/count`: this process is one of several that divide the search among them. */
  readonly share?: Share;
}

type Share = NonNullable<SimulateOptions["share"]>;

/** Sent by a process that plays a share to the process that started it, which sends `stop`. */
type Message =
  | { readonly type: "progress"; readonly progress: Progress }
  | { readonly type: "report"; readonly report: Report };

const endless = 1_000_000_000;

export function simulateCommand(terminal: Terminal): Command {
  return new Command("simulate")
    .description("play an operator through histories of faults; Ctrl-C ends with the report so far")
    .argument("<file>", "a module whose default export is what simulate() takes")
    .option("--seeds <count>", "how many random histories; as the file says, unless it is given", parseSeeds)
    .option("--for <time>", "go on with random histories for so long: 90s, 10m, 2h", parseTime)
    .option("--workers <count>", "how many processes share the work", parseWorkers, availableParallelism())
    .option("--seed <seed>", "play this history alone; a failure names its seed")
    .option("--faults <names>", "only these kinds of faults, separated by commas", parseFaults)
    .option("--out <path>", "write each failure there in the Trace Event Format: to a .json file, or into a folder")
    .addOption(new Option("--share <part>").argParser(parseShare).hideHelp())
    .action((file: string, flags: SimulateFlags) => run(file, flags, terminal));
}

async function run(file: string, flags: SimulateFlags, terminal: Terminal): Promise<void> {
  const options = await optionsIn(file);
  if (flags.share !== undefined) return await playShare({ file, flags, options }, flags.share);
  using stop = terminal.stopSignal();
  using both = linkedAbort(stop.signal);
  using _timer = flags.for === undefined ? undefined : systemClock.timer(flags.for, () => both.abort());
  const task: Task = { file, flags, options, signal: both.signal };
  const began = systemClock.monotonic();
  const counts = new Map<number, Progress>();
  const note = (index: number, progress: Progress): void => {
    counts.set(index, progress);
    if (terminal.isInteractive === true) terminal.out(`\r${progressLine([...counts.values()], began)}`);
  };
  const isOne = flags.seed !== undefined || process.env["COXSWAIN_SEED"] !== undefined;
  const workers = isOne ? 1 : flags.workers;
  const reports =
    workers === 1
      ? [await play(task, { index: 0, count: 1 }, (progress) => note(0, progress))]
      : await Promise.all(
          Array.from({ length: workers }, (_, index) => elsewhere(task, { index, count: workers }, note)),
        );
  if (terminal.isInteractive === true) terminal.out("\n");
  // each process finds a scenario that fails without faults
  const failures = [...new Map(reports.flatMap((report) => report.failures).map((one) => [one.seed, one])).values()];
  terminal.out(summary(reports, began));
  for (const { story } of failures) terminal.out(`\n${story}\n`);
  if (flags.out !== undefined) for (const line of await writeTraces(flags.out, failures)) terminal.out(`${line}\n`);
  if (failures.length > 0) throw new Error(`${failures.length === 1 ? "a history ends" : "histories end"} badly`);
}

/** A process that plays a share reports to its parent, and stops when the parent says so or is gone. */
async function playShare(task: Omit<Task, "signal">, share: Share): Promise<void> {
  const stop = new AbortController();
  const onStop = (): void => stop.abort();
  // Ctrl-C reaches every process of a terminal; the parent decides
  process.on("SIGINT", () => {});
  process.once("message", onStop);
  process.once("disconnect", onStop);
  const tell = (message: Message, sent = (): void => {}): void => void process.send?.(message, sent);
  const ended = { ...task, signal: stop.signal };
  const report = await play(ended, share, (progress) => tell({ type: "progress", progress }));
  await new Promise<void>((sent) => tell({ type: "report", report }, sent));
  process.off("message", onStop);
  process.off("disconnect", onStop);
  process.disconnect?.();
}

/** One file for a path that ends in .json, else one for each failure in a folder; gives a line for each. */
async function writeTraces(out: string, failures: readonly Failure[]): Promise<readonly string[]> {
  const isFile = out.endsWith(".json") && !(existsSync(out) && statSync(out).isDirectory());
  const lines: string[] = [];
  for (const { seed, trace } of isFile ? failures.slice(0, 1) : failures) {
    const path = isFile ? out : join(out, `simulation-${seed}.json`);
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, `${JSON.stringify(trace)}\n`);
    lines.push(`seed ${seed} is written to ${path}: open it in the page, Perfetto or chrome://tracing`);
  }
  return lines;
}

interface Task {
  readonly file: string;
  readonly flags: SimulateFlags;
  readonly options: SimulateOptions;
  readonly signal: AbortSignal;
}

async function optionsIn(file: string): Promise<SimulateOptions> {
  const path = resolve(file);
  if (!existsSync(path)) throw new Error(`there is no file ${file}`);
  const { default: options } = (await import(pathToFileURL(path).href)) as {
    readonly default?: Partial<SimulateOptions>;
  };
  if (typeof options?.operator !== "function" || typeof options.scenario !== "function")
    throw new Error(
      `${file}: its default export must have the functions operator and scenario, as simulate() takes them`,
    );
  return options as SimulateOptions;
}

type OnProgress = (progress: Progress) => void;

function play({ flags, options, signal }: Task, share: Share, onProgress: OnProgress): Promise<Report> {
  const { faults = options.faults, seeds = options.seeds } = flags;
  const only = flags.seed?.split(",");
  return simulate({
    ...options,
    ...defined({ faults, seeds, only }),
    ...(flags.for === undefined ? {} : { seeds: endless }),
    share,
    signal,
    onProgress,
  });
}

/** Plays a share in a process of its own. */
async function elsewhere(
  { file, flags, signal }: Task,
  { index, count }: Share,
  note: (index: number, progress: Progress) => void,
): Promise<Report> {
  const args = ["simulate", file, "--share", `${index}/${count}`];
  if (flags.seeds !== undefined) args.push("--seeds", String(flags.seeds));
  if (flags.for !== undefined) args.push("--for", `${flags.for}ms`);
  if (flags.faults !== undefined) args.push("--faults", flags.faults.map(({ name }) => name).join(","));
  const child = fork(process.argv[1] ?? "", args, { stdio: ["ignore", "inherit", "inherit", "ipc"] });
  const onStop = (): void => void (child.connected && child.send("stop"));
  using _ = onAbort(signal, onStop);
  let report: Report | undefined;
  child.on("message", (message: Message) => {
    if (message.type === "report") report = message.report;
    else note(index, message.progress);
  });
  await once(child, "exit");
  if (report === undefined) throw new Error(`process ${index + 1} of ${count} ended without a report`);
  return report;
}

function progressLine(all: readonly Progress[], began: number): string {
  const total = (count: (one: Progress) => number): number => all.reduce((sum, one) => sum + count(one), 0);
  const histories = total((one) => one.histories);
  const seconds = (systemClock.monotonic() - began) / 1000;
  const of = Math.max(...all.map(({ systematic }) => systematic.of));
  const covered = `${total(({ systematic }) => systematic.played)} of ${of} single faults`;
  return `${histories} histories (${covered}), ${total((one) => one.failures)} failures, ${(histories / seconds).toFixed(0)} a second `;
}

function summary(reports: readonly Report[], began: number): string {
  const total = (count: (report: Report) => number): number => reports.reduce((sum, report) => sum + count(report), 0);
  const seconds = (systemClock.monotonic() - began) / 1000;
  const virtual = total(({ virtualMs }) => virtualMs) / 1000;
  const { writes = 0, events = 0, reads = 0, pruned = 0 } = reports[0]?.coverage ?? {};
  const stale = new Set(reports.flatMap(({ coverage }) => coverage.staleReads)).size;
  const lines = [
    `${total(({ histories }) => histories)} histories in ${seconds.toFixed(1)} s, ${Math.round(virtual / seconds)} times faster than real time`,
    `the history without faults has ${writes} writes and ${events} events of the operator; ${pruned} single faults make no difference`,
  ];
  const struck = new Map<string, { histories: number; readonly writes: Set<number> }>();
  for (const { coverage } of reports)
    for (const [fault, one] of Object.entries(coverage.struck)) {
      const all = struck.get(fault) ?? { histories: 0, writes: new Set() };
      all.histories += one.histories;
      for (const write of one.writes) all.writes.add(write);
      struck.set(fault, all);
    }
  const list = Array.from(struck, ([fault, { histories }]) => `${fault} ${histories}`).toSorted();
  if (list.length > 0) lines.push(`faults that struck, by histories: ${list.join(", ")}`);
  const byWrites = Array.from(struck)
    .filter(([, one]) => one.writes.size > 0)
    .map(([fault, one]) => `${fault} ${one.writes.size}`)
    .toSorted();
  if (byWrites.length > 0) lines.push(`of the ${writes} writes were struck: ${byWrites.join(", ")}`);
  if (reads > 0) lines.push(`of the ${reads} reads from caches were made stale: ${stale}`);
  lines.push(total(({ failures }) => failures.length) === 0 ? "no history ends badly" : "");
  return `${lines.filter((line) => line !== "").join("\n")}\n`;
}

const parseSeeds = numberParser({ min: 0, max: 1e9, what: "a number of histories, such as 1000" });

const units: ReadonlyMap<string, number> = new Map([
  ["ms", 1],
  ["s", 1_000],
  ["m", 60_000],
  ["h", 3_600_000],
]);

function parseTime(text: string): number {
  const [, count = "", unit = ""] = /^(\d{1,9})(ms|s|m|h)$/.exec(text) ?? [];
  const ms = units.get(unit);
  if (ms === undefined) throw new InvalidArgumentError("It must be a time such as 90s, 10m or 2h.");
  return Number(count) * ms;
}

const parseWorkers = numberParser({ min: 1, max: 999, what: "a number of processes from 1 to 999" });

function parseFaults(text: string): readonly FaultKind[] {
  const known = new Map(allFaults.map((kind) => [kind.name, kind]));
  return text.split(",").map((name) => {
    const kind = known.get(name.trim());
    if (kind === undefined)
      throw new InvalidArgumentError(`There is no fault "${name.trim()}". There are ${[...known.keys()].join(", ")}.`);
    return kind;
  });
}

function parseShare(text: string): Share {
  const [, index = "", count = ""] = /^(\d+)\/(\d+)$/.exec(text) ?? [];
  return { index: Number(index), count: Number(count) };
}
