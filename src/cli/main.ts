#!/usr/bin/env node
/** The command line's entry: hands the arguments to the program and its exit code to the shell. */
import { runProgram } from "./program.js";

// a reader that has seen enough, as `| head`, ends nothing but its own reading
process.stdout.on("error", () => {});
process.stderr.on("error", () => {});

void runProgram(process.argv.slice(2)).then((code) => {
  process.exitCode = code;
});
