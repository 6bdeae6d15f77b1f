/** `node main.js [--kubeconfig FILE] [--master URL] [--style shared|informer-only]`: prints what changes until SIGINT or SIGTERM. */
import { connect, runProgram } from "coxswain";
import { watchPods } from "./informer-only.js";
import { watchShared } from "./shared.js";

const styles = { shared: watchShared, "informer-only": watchPods } as const;

export async function main(args: readonly string[]): Promise<number> {
  const at = args.indexOf("--style");
  const style = at < 0 ? "shared" : (args[at + 1] ?? "");
  const rest = at < 0 ? args : [...args.slice(0, at), ...args.slice(at + 2)];
  if (!(style in styles)) {
    process.stderr.write(`--style takes ${Object.keys(styles).join(" or ")}, not "${style}"\n`);
    return 2;
  }
  const watch = styles[style as keyof typeof styles];
  return runProgram(
    async ({ flags, signal }) => {
      await using client = await connect(flags);
      await watch(client, (line) => console.log(line), signal);
    },
    { args: rest },
  );
}

if (import.meta.filename === process.argv[1]) process.exitCode = await main(process.argv.slice(2));
