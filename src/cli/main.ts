#!/usr/bin/env node
/** The entry point of the command line: hands the arguments to the program and its exit code to the shell. */
import { runCommandLine } from "./program.js";

// a closed pipe, as with `| head`, must not end the program
process.stdout.on("error", () => {});
process.stderr.on("error", () => {});

void runCommandLine(process.argv.slice(2)).then((code) => {
  process.exitCode = code;
});
