/** `node main.js [--kubeconfig FILE] [--master URL] [--style low-level|high-level]`: runs the controller until SIGINT or SIGTERM. */
import { connect, EventBroadcaster, runProgram } from "coxswain";
import { CustomResourceDefinition } from "coxswain/api";
import { coreCorrelation, coreEventSink } from "coxswain/controller";
import { fooDefinition } from "./foo.js";
import { runSampleManager } from "./high-level.js";
import { runSampleController } from "./low-level.js";

const styles = ["low-level", "high-level"] as const;

/** Takes `--style` out of the command line; the rest are the flags that all such programs have. */
function styleOf(args: readonly string[]): { readonly style: string; readonly rest: readonly string[] } {
  const at = args.indexOf("--style");
  return at < 0
    ? { style: "low-level", rest: args }
    : { style: args[at + 1] ?? "", rest: [...args.slice(0, at), ...args.slice(at + 2)] };
}

export async function main(args: readonly string[]): Promise<number> {
  const { style, rest } = styleOf(args);
  if (!(styles as readonly string[]).includes(style)) {
    process.stderr.write(`--style takes ${styles.join(" or ")}, not "${style}"\n`);
    return 2;
  }
  return runProgram(
    async ({ flags, signal, log }) => {
      await using client = await connect({
        kubeconfig: flags.kubeconfig || undefined,
        master: flags.master || undefined,
      });
      await client.resource(CustomResourceDefinition).createOrUpdate(fooDefinition().metadata, () => fooDefinition());
      if (style === "high-level") return await runSampleManager(client, log, signal);
      const broadcaster = new EventBroadcaster({ log });
      await using _sink = broadcaster.startRecordingToSink(coreCorrelation(coreEventSink(client)));
      const recorder = broadcaster.newRecorder({ component: "sample-controller" });
      return await runSampleController({ client, recorder, log }, signal);
    },
    { args: rest },
  );
}

if (import.meta.filename === process.argv[1]) process.exitCode = await main(process.argv.slice(2));
