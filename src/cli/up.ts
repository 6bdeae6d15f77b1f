/** `coxswain up`: starts every part of the control plane that there is, says which, and stops them in reverse order. */
import { Command } from "commander";
import { abortable, isAbortOf, Lifetime, MetricsRegistry } from "../base/index.js";
import { type LogFlags, loggerOf, logOptions, parsePort } from "./flags.js";
import type { Terminal } from "./program.js";
import { startStatusServer } from "./status-server.js";
import { packageVersion } from "./version.js";

interface UpFlags extends LogFlags {
  readonly bindAddress: string;
  readonly statusPort: number;
}

export function upCommand(terminal: Terminal): Command {
  const command = new Command("up")
    .description("start the control plane on this machine; Ctrl-C stops it")
    .option("--bind-address <address>", "the address to listen on", "127.0.0.1")
    .option("--status-port <port>", "the port of /healthz, /readyz and /metrics", parsePort, 8080);
  for (const option of logOptions()) command.addOption(option);
  return command.action((flags: UpFlags) => up(flags, terminal));
}

async function up(flags: UpFlags, terminal: Terminal): Promise<void> {
  using stop = terminal.stopSignal();
  await using lifetime = new Lifetime();
  const log = loggerOf(flags);
  const metrics = new MetricsRegistry();
  metrics
    .gauge({ name: "coxswain_build_info", help: "Always 1; the label says the version.", labels: ["version"] })
    .with({ version: packageVersion() })
    .set(1);

  const status = lifetime.use(
    await startStatusServer({ host: flags.bindAddress, port: flags.statusPort, metrics, log }),
  );
  terminal.out(`coxswain ${packageVersion()} is up\n`);
  terminal.out(`  status      ${status.url}/readyz, /healthz, /metrics\n`);
  terminal.out("  API server  not in this release yet\n");
  terminal.out("  controllers not in this release yet\n");
  terminal.out("Press Ctrl-C to stop.\n");

  try {
    await abortable(new Promise<never>(() => {}), stop.signal);
  } catch (error) {
    if (!isAbortOf(stop.signal, error)) throw error;
    log.info("stopping", { why: error });
  }
}
