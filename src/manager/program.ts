/** The frame of a program of controllers: flags, signals, a logger, exit codes. Called by a main file. */
import type { Logger } from "../base/index.js";
import { flagsHelp, loggerFrom, type ManagerFlags, parseFlags, UsageError, usageExitCode } from "./flags.js";
import { setupSignalHandler, type SignalSource } from "./signals.js";

export interface ProgramContext {
  readonly flags: ManagerFlags;
  /** Aborts on SIGINT or SIGTERM; a second one exits at once. */
  readonly signal: AbortSignal;
  readonly log: Logger;
}

export interface ProgramOptions {
  /** The command line without node and the script. */
  readonly args?: readonly string[];
  readonly process?: SignalSource;
  readonly print?: (text: string) => void;
}

/**
 * Runs `main` and gives the exit code: 0 if it returned, also after a signal; 1 if it failed; 2 for a command line that makes no sense.
 * `process.exitCode = await runProgram(main)` lets what is being written finish.
 */
export async function runProgram(
  main: (context: ProgramContext) => Promise<void>,
  options: ProgramOptions = {},
): Promise<number> {
  const { args = process.argv.slice(2), print = (text: string) => void process.stderr.write(text) } = options;
  let flags: ManagerFlags;
  try {
    if (args.includes("--help") || args.includes("-h")) {
      print(`flags:\n${flagsHelp}`);
      return 0;
    }
    flags = parseFlags(args);
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
    log.error("the program failed", { error });
    return 1;
  }
}
