/**
 * `node main.js [--kubeconfig FILE] [--master URL] [--style low-level|high-level] [--workers N]`: runs the controller
 * until SIGINT or SIGTERM.
 */
import { connect, installDefinition, runProgram, UsageError } from "coxswain";
import { fooDefinition } from "./foo.js";
import { styles } from "./styles.js";

export function main(args: readonly string[]): Promise<number> {
  const flags = {
    style: { type: "string", choices: ["low-level", "high-level"], default: "low-level" },
    workers: { type: "number", description: "Foos that are worked on at a time" },
  } as const;
  return runProgram({ args, flags }, async ({ flags: { style, workers, ...cluster }, signal, log }) => {
    if (workers !== undefined && !(workers >= 1)) throw new UsageError(`--workers must be at least 1, not ${workers}`);
    await using client = await connect(cluster);
    await installDefinition(client, fooDefinition(), { signal });
    await styles[style]({ client, log, ...(workers === undefined ? {} : { workers }) }, signal);
  });
}

if (import.meta.filename === process.argv[1]) process.exitCode = await main(process.argv.slice(2));
