/** The frame of a controller program: flags, signals, a logger, exit codes. */
import type { Logger } from "../../base/index.js";
import { flagsHelp, loggerFrom, type ManagerFlags, parseFlags, UsageError, usageExitCode } from "./flags.js";
import type { FlagValues, OwnFlags } from "./own-flags.js";
import { setupSignalHandler, type SignalSource } from "./signals.js";

export interface ProgramContext<Own extends OwnFlags = Record<never, never>> {
  /** The values of the shared flags and of the program's own. */
  readonly flags: ManagerFlags & FlagValues<Own>;
  /** Aborts on SIGINT or SIGTERM; a second one exits at once. */
  readonly signal: AbortSignal;
  readonly log: Logger;
}

export interface ProgramOptions<Own extends OwnFlags = Record<never, never>> {
  /** The program's own flags, beside the shared ones. */
  readonly flags?: Own;
  /** The command line without node and the script. */
  readonly args?: readonly string[];
  readonly process?: SignalSource;
  readonly print?: (text: string) => void;
}

export type Main<Own extends OwnFlags = Record<never, never>> = (context: ProgramContext<Own>) => Promise<void>;

/**
 * Runs `main` and gives the exit code: 0 if it returned, also after a signal; 1 if it failed; 2 for a malformed command
 * line or if `main` throws UsageError. `process.exitCode = await runProgram(main)` lets pending output be written. With
 * flags of its own: `runProgram({ flags: { "dns-file": { type: "string" } } }, async ({ flags }) =>
 * open(flags.dnsFile))`.
 */
export async function runProgram(main: Main): Promise<number>;
export async function runProgram<const Own extends OwnFlags>(
  options: ProgramOptions<Own>,
  main: Main<Own>,
): Promise<number>;
export async function runProgram(first: Main | ProgramOptions<OwnFlags>, second?: Main): Promise<number> {
  const main = second ?? (first as Main);
  if (typeof main !== "function") throw new TypeError("runProgram takes options first and then the program's function");
  const options = second === undefined ? {} : (first as ProgramOptions<OwnFlags>);
  const { args = process.argv.slice(2), print = (text: string) => void process.stderr.write(text) } = options;
  let flags: ManagerFlags;
  try {
    if (args.includes("--help") || args.includes("-h")) {
      print(flagsHelp(options.flags));
      return 0;
    }
    flags = parseFlags(args, options.flags);
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    print(`${error.message}\n`);
    return usageExitCode;
  }
  const log = loggerFrom(flags);
  try {
    await main({ flags, signal: setupSignalHandler(options.process ?? process), log });
    return 0;
  } catch (error) {
    if (error instanceof UsageError) {
      print(`${error.message}\n`);
      return usageExitCode;
    }
    log.error("the program failed", { error });
    return 1;
  }
}
