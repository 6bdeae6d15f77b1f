/**
 * `node main.js [--kubeconfig FILE] [--master URL] [--style low-level|high-level] [--workers N]`: runs the controller until SIGINT or
 * SIGTERM.
 */
import { connect, installDefinition, runProgram } from "coxswain";
import { fooDefinition } from "./foo.js";
import { styles } from "./styles.js";

/** Takes a flag and its value out of the command line; the rest are the flags that all such programs have. */
function take(
  args: readonly string[],
  flag: string,
): { readonly value: string | undefined; readonly rest: readonly string[] } {
  const at = args.indexOf(flag);
  if (at < 0) return { value: undefined, rest: args };
  return { value: args[at + 1] ?? "", rest: [...args.slice(0, at), ...args.slice(at + 2)] };
}

export async function main(args: readonly string[]): Promise<number> {
  const { value: style = "low-level", rest: others } = take(args, "--style");
  const { value: count, rest } = take(others, "--workers");
  const workers = count === undefined ? {} : { workers: Number(count) };
  if (!(Number(count ?? 1) >= 1)) {
    process.stderr.write(`--workers takes a number, not "${count}"\n`);
    return 2;
  }
  if (!(style in styles)) {
    process.stderr.write(`--style takes ${Object.keys(styles).join(" or ")}, not "${style}"\n`);
    return 2;
  }
  const run = styles[style as keyof typeof styles];
  return runProgram(
    async ({ flags, signal, log }) => {
      await using client = await connect(flags);
      await installDefinition(client, fooDefinition(), { signal });
      await run({ client, log, ...workers }, signal);
    },
    { args: rest },
  );
}

if (import.meta.filename === process.argv[1]) process.exitCode = await main(process.argv.slice(2));
