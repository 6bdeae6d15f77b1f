/**
 * `coxswain simulate FILE`: plays the operator that a file describes through histories of faults, on all cores, and
 * prints the result.
 */
import { fork } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { availableParallelism } from "node:os";
import { resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { Command, InvalidArgumentError, Option } from "commander";
import { defined } from "../../base/defined.js";
import { linkedAbort, systemClock } from "../../base/index.js";
import { allFaults, type FaultKind, type Report, simulate, type SimulateOptions } from "../../testing/index.js";
import type { Terminal } from "../program.js";

interface SimulateFlags {
  readonly seeds?: number;
  readonly for?: number;
  readonly workers: number;
  readonly seed?: string;
  readonly faults?: readonly FaultKind[];
  /** `index/count`: this process is one of several that share the seeds. */
  readonly share?: Share;
}

interface Share {
  readonly index: number;
  readonly count: number;
}

/** Sent by a process that plays a share to the process that started it. */
type Message =
  | { readonly type: "progress"; readonly histories: number; readonly failures: number }
  | { readonly type: "report"; readonly report: Report };

const endless = 1_000_000;

export function simulateCommand(terminal: Terminal): Command {
  return new Command("simulate")
    .description("play an operator through histories of faults; Ctrl-C ends with the report so far")
    .argument("<file>", "a module whose default export is what simulate() takes")
    .option("--seeds <count>", "how many random histories; as the file says, unless it is given", parseSeeds)
    .option("--for <time>", "go on with random histories for so long: 90s, 10m, 2h", parseTime)
    .option("--workers <count>", "how many processes share the work", parseWorkers, availableParallelism())
    .option("--seed <seed>", "play this history alone; a failure names its seed")
    .option("--faults <names>", "only these kinds of faults, separated by commas", parseFaults)
    .addOption(new Option("--share <part>").argParser(parseShare).hideHelp())
    .action((file: string, flags: SimulateFlags) => run(file, flags, terminal));
}

async function run(file: string, flags: SimulateFlags, terminal: Terminal): Promise<void> {
  const options = await optionsIn(file);
  using stop = terminal.stopSignal();
  using both = linkedAbort(stop.signal);
  using _timer = flags.for === undefined ? undefined : systemClock.timer(flags.for, () => both.abort());
  const task: Task = { file, flags, options, signal: both.signal };
  if (flags.share !== undefined) {
    const report = await play(task, flags.share, (progress) => tell({ type: "progress", ...progress }));
    tell({ type: "report", report });
    return;
  }
  const began = systemClock.monotonic();
  const counts = new Map<number, { readonly histories: number; readonly failures: number }>();
  const note = (index: number, progress: { readonly histories: number; readonly failures: number }): void => {
    counts.set(index, progress);
    if (terminal.isInteractive === true) terminal.out(`\r${progressLine([...counts.values()], began)}`);
  };
  const workers = flags.seed === undefined ? flags.workers : 1;
  const reports =
    workers === 1
      ? [await play(task, { index: 0, count: 1 }, (progress) => note(0, progress))]
      : await Promise.all(
          Array.from({ length: workers }, (_, index) => elsewhere(task, { index, count: workers }, note)),
        );
  if (terminal.isInteractive === true) terminal.out("\n");
  const failures = reports.flatMap((report) => report.failures);
  terminal.out(summary(reports, began));
  for (const { story } of failures) terminal.out(`\n${story}\n`);
  if (failures.length > 0) throw new Error(`${failures.length === 1 ? "a history ends" : "histories end"} badly`);
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

type OnProgress = (progress: { readonly histories: number; readonly failures: number }) => void;

/** This process's share of the seeds; the first process also tries each write and event. */
function play({ flags, options, signal }: Task, { index, count }: Share, onProgress: OnProgress): Promise<Report> {
  const total = flags.for === undefined ? (flags.seeds ?? options.seeds ?? 100) : endless;
  const seeds = typeof total === "number" ? Array.from({ length: total }, (_, seed) => seed) : total;
  const { faults = options.faults } = flags;
  return simulate({
    ...options,
    seeds: seeds.filter((_, at) => at % count === index),
    systematic: index === 0 && options.systematic !== false,
    ...(flags.seed === undefined ? {} : { only: flags.seed.split(",") }),
    ...defined({ faults }),
    signal,
    onProgress: ({ histories, failures }) => onProgress({ histories, failures }),
  });
}

function tell(message: Message): void {
  process.send?.(message);
}

/** Plays a share in a process of its own, which ends when the signal aborts. */
async function elsewhere(
  { file, flags, signal }: Task,
  { index, count }: Share,
  note: (index: number, progress: { readonly histories: number; readonly failures: number }) => void,
): Promise<Report> {
  const args = ["simulate", file, "--share", `${index}/${count}`];
  if (flags.seeds !== undefined) args.push("--seeds", String(flags.seeds));
  if (flags.for !== undefined) args.push("--for", `${flags.for}ms`);
  if (flags.faults !== undefined) args.push("--faults", flags.faults.map(({ name }) => name).join(","));
  const child = fork(process.argv[1] ?? "", args, { stdio: ["ignore", "inherit", "inherit", "ipc"] });
  const onStop = (): void => void child.kill("SIGINT");
  signal.addEventListener("abort", onStop, { once: true });
  let report: Report | undefined;
  child.on("message", (message: Message) => {
    if (message.type === "report") report = message.report;
    else note(index, message);
  });
  await once(child, "exit");
  signal.removeEventListener("abort", onStop);
  if (report === undefined) throw new Error(`process ${index + 1} of ${count} ended without a report`);
  return report;
}

function progressLine(
  all: readonly { readonly histories: number; readonly failures: number }[],
  began: number,
): string {
  const histories = all.reduce((sum, one) => sum + one.histories, 0);
  const failures = all.reduce((sum, one) => sum + one.failures, 0);
  const seconds = (systemClock.monotonic() - began) / 1000;
  return `${histories} histories, ${failures} failures, ${(histories / seconds).toFixed(0)} a second `;
}

function summary(reports: readonly Report[], began: number): string {
  const total = (count: (report: Report) => number): number => reports.reduce((sum, report) => sum + count(report), 0);
  const seconds = (systemClock.monotonic() - began) / 1000;
  const virtual = total(({ virtualMs }) => virtualMs) / 1000;
  const { writes = 0, events = 0 } = reports[0]?.coverage ?? {};
  const lines = [
    `${total(({ histories }) => histories)} histories in ${seconds.toFixed(1)} s, ${Math.round(virtual / seconds)} times faster than real time`,
    `the history without faults has ${writes} writes and ${events} events of the operator`,
  ];
  const struck = new Map<string, number>();
  for (const { coverage } of reports)
    for (const [fault, { histories }] of Object.entries(coverage.struck))
      struck.set(fault, (struck.get(fault) ?? 0) + histories);
  const list = Array.from(struck, ([fault, histories]) => `${fault} ${histories}`).toSorted();
  if (list.length > 0) lines.push(`faults that struck, by histories: ${list.join(", ")}`);
  lines.push(total(({ failures }) => failures.length) === 0 ? "no history ends badly" : "");
  return `${lines.filter((line) => line !== "").join("\n")}\n`;
}

function parseSeeds(text: string): number {
  if (!/^\d{1,9}$/.test(text)) throw new InvalidArgumentError("It must be a number of histories, such as 1000.");
  return Number(text);
}

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

function parseWorkers(text: string): number {
  const count = /^\d{1,3}$/.test(text) ? Number(text) : 0;
  if (count < 1) throw new InvalidArgumentError("It must be a number of processes from 1 to 999.");
  return count;
}

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
