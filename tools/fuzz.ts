/**
 * `npm run fuzz -- [--minutes 10] [--seed 1] [--target name]…`: feeds hostile input to the server, the client and the
 * parsers until the time is over. Uses and extends the corpus in .cache/fuzz; prints its findings, and ends with status
 * 1 if there are any. The fuzzer works in a thread of its own, so that an input that ends or hangs it is a finding like
 * others.
 */
import { createHash } from "node:crypto";
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { Worker } from "node:worker_threads";
import { linkedAbort, messageOf, onAbort, stackOf, systemClock, systemRandom } from "../src/base/index.js";
import type { FuzzEvent, Inputs } from "../test/fuzz/driver.js";
import { allTargets } from "../test/fuzz/targets/index.js";

const folder = join(".cache", "fuzz");
const progressMs = 10_000;
/** No input takes this long on any machine, unless it hangs. */
const silenceMs = 60_000;

export interface FuzzWork {
  readonly targets: readonly string[];
  readonly seed: string;
  readonly corpus: Inputs;
  readonly deadly: Inputs;
}

interface Flags {
  readonly minutes: number;
  readonly seed: string;
  readonly targets: readonly string[];
}

const usage = `usage: npm run fuzz -- [--minutes 10] [--seed 1] [--target name]…
targets: ${allTargets.map(({ name }) => name).join(", ")}`;

/** Throws for a malformed command line. */
function flagsOf(args: readonly string[]): Flags {
  const { values } = parseArgs({
    args: [...args],
    options: {
      minutes: { type: "string", default: "10" },
      seed: { type: "string", default: String(systemRandom.int(2 ** 31)) },
      target: { type: "string", multiple: true, default: allTargets.map(({ name }) => name) },
    },
  });
  const minutes = Number(values.minutes);
  if (!(minutes > 0 && minutes <= 24 * 60)) throw new Error(`--minutes ${values.minutes} is not between 0 and a day`);
  const unknown = values.target.find((name) => !allTargets.some((target) => target.name === name));
  if (unknown !== undefined) throw new Error(`there is no target ${unknown}`);
  return { minutes, seed: values.seed, targets: values.target };
}

const folderOf = (target: string, kind: "corpus" | "findings"): string => join(folder, target, kind);

/** Findings of earlier runs come first; once mended, they are ordinary inputs. */
function corpusOf(target: string): readonly Uint8Array[] {
  return (["findings", "corpus"] as const).flatMap((kind) => {
    mkdirSync(folderOf(target, kind), { recursive: true });
    return readdirSync(folderOf(target, kind))
      .toSorted()
      .map((name) => readFileSync(join(folderOf(target, kind), name)));
  });
}

/** A file is named by its content, so that the same input is stored once. */
function store(target: string, kind: "corpus" | "findings", input: Uint8Array): string {
  const path = join(folderOf(target, kind), createHash("sha256").update(input).digest("hex").slice(0, 16));
  writeFileSync(path, input);
  return path;
}

/**
 * `last` is the input that is being run; `isSilent` is true until the fuzzer reports another; `deadly` holds the inputs
 * that ended a thread.
 */
interface Watched {
  inputs: number;
  kept: number;
  findings: number;
  last: Extract<FuzzEvent, { readonly type: "running" }> | undefined;
  isSilent: boolean;
  readonly deadly: Map<string, readonly Uint8Array[]>;
}

function report(watched: Watched, target: string, input: Uint8Array, what: string): void {
  watched.findings++;
  console.log(`FINDING in ${target}, input ${store(target, "findings", input)}\n${what.replaceAll(/^/gm, "  ")}`);
}

function note(watched: Watched, event: FuzzEvent): void {
  watched.isSilent = false;
  if (event.type === "running") {
    watched.inputs++;
    watched.last = event;
  } else if (event.type === "kept") {
    watched.kept++;
    store(event.target, "corpus", event.input);
  } else report(watched, event.target, event.input, event.what);
}

/** Runs one thread until the signal aborts or the thread ends, which it does only by a finding. */
async function runThread(work: FuzzWork, watched: Watched, signal: AbortSignal): Promise<void> {
  const worker = new Worker(new URL("./fuzz-worker.js", import.meta.url), {
    workerData: work,
    execArgv: ["--enable-source-maps"],
  });
  const blame = (what: string): void => {
    if (watched.last === undefined) return console.log(`the fuzzer does not start: ${what}`);
    const { target, input } = watched.last;
    watched.deadly.set(target, [...(watched.deadly.get(target) ?? []), input]);
    report(watched, target, input, what);
  };
  watched.last = undefined;
  watched.isSilent = false;
  worker.on("message", (event: FuzzEvent) => note(watched, event));
  let death: Error | undefined;
  worker.on("error", (error) => {
    death = error instanceof Error ? error : new Error(messageOf(error));
  });
  using _end = onAbort(signal, () => void worker.terminate());
  const watch = setInterval(() => {
    if (watched.isSilent) {
      blame(`has not ended after ${silenceMs / 1_000} seconds`);
      void worker.terminate();
    }
    watched.isSilent = true;
  }, silenceMs);
  await new Promise((resolve) => worker.once("exit", resolve));
  clearInterval(watch);
  // all reports of the thread have arrived only at its exit
  if (death !== undefined) blame(`ended the thread: ${stackOf(death).join("\n")}`);
}

async function main(args: readonly string[]): Promise<number> {
  let flags: Flags;
  try {
    flags = flagsOf(args);
  } catch (error) {
    console.error(`fuzz: ${messageOf(error)}\n${usage}`);
    return 2;
  }
  const { minutes, seed, targets } = flags;
  const stop = linkedAbort();
  process.once("SIGINT", () => stop.abort(new Error("interrupted")));
  using _over = systemClock.timer(minutes * 60_000, () => stop.abort(new Error("the time is over")));
  const watched: Watched = { inputs: 0, kept: 0, findings: 0, last: undefined, isSilent: false, deadly: new Map() };
  const line = (): string =>
    `${watched.inputs} inputs, ${watched.kept} kept, ${watched.findings} findings, seed ${seed}`;
  const progress = setInterval(() => console.error(line()), progressMs);
  // a thread that an input ended is followed by another, with another seed and without that input
  for (let thread = 0; !stop.signal.aborted; thread++) {
    const corpus = new Map(targets.map((target) => [target, corpusOf(target)]));
    const { deadly } = watched;
    await runThread({ targets, seed: thread === 0 ? seed : `${seed}/${thread}`, corpus, deadly }, watched, stop.signal);
    if (watched.last === undefined) break;
  }
  clearInterval(progress);
  console.log(line());
  return watched.findings > 0 || watched.last === undefined ? 1 : 0;
}

process.exitCode = await main(process.argv.slice(2));
