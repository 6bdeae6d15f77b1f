#!/usr/bin/env node
/** The entry point of the command line: hands the arguments to the program, or to a stand-in, and the exit code to the shell. */

// a closed pipe, as with `| head`, must not end the program
process.stdout.on("error", () => {});
process.stderr.on("error", () => {});

/** Stand-ins are started often, by programs that wait for them, so they load nothing but themselves. */
async function run([command, name, ...more]: readonly string[]): Promise<number> {
  if (command === "envtest" && (name === "etcd" || name === "kube-apiserver")) {
    const { runStandIn } = await import("./envtest/run.js");
    return runStandIn(name, more);
  }
  const { runCommandLine } = await import("./program.js");
  return runCommandLine(process.argv.slice(2));
}

void run(process.argv.slice(2)).then((code) => {
  process.exitCode = code;
});
