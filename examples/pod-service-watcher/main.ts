/** `node main.js [--kubeconfig FILE] [--master URL] [--style shared|informer-only]`: prints changes until SIGINT or SIGTERM. */
import { connect, runProgram } from "coxswain";
import { watchPods } from "./informer-only.js";
import { watchShared } from "./shared.js";

const styles = { shared: watchShared, "informer-only": watchPods } as const;

export function main(args: readonly string[]): Promise<number> {
  const flags = { style: { type: "string", choices: ["shared", "informer-only"], default: "shared" } } as const;
  return runProgram({ args, flags }, async ({ flags: { style, ...cluster }, signal }) => {
    await using client = await connect(cluster);
    await styles[style](client, (line) => console.log(line), signal);
  });
}

if (import.meta.filename === process.argv[1]) process.exitCode = await main(process.argv.slice(2));
