/** `coxswain apiserver`: the embedded API server on a port, with its administrator's kubeconfig. */
import { Command } from "commander";
import { abortable, isAbortOf } from "../../base/index.js";
import { startApiServer } from "../../apiserver/index.js";
import {
  authorizationOption,
  type AuthorizationFlags,
  type LogFlags,
  loggerOf,
  logOptions,
  objectSizeOption,
  type ObjectSizeFlags,
  parseAddress,
  parsePath,
  parsePort,
} from "../flags.js";
import { writeKubeconfigOut } from "../kubeconfig-out.js";
import type { Terminal } from "../program.js";

interface ApiServerFlags extends LogFlags, AuthorizationFlags, ObjectSizeFlags {
  readonly bind: string;
  readonly port: number;
  readonly dataDir?: string;
  readonly kubeconfigOut?: string;
}

export function apiserverCommand(terminal: Terminal): Command {
  const command = new Command("apiserver")
    .description("serve the Kubernetes API on this machine; Ctrl-C stops it")
    .option("--bind <address>", "the address to listen on", parseAddress, "127.0.0.1")
    .option("--port <port>", "the port to listen on; 0 takes a free one", parsePort, 6443)
    .option(
      "--data-dir <folder>",
      "keep objects in this folder; without it they are gone when the server stops",
      parsePath,
    )
    .option("--kubeconfig-out <file>", "write the administrator's kubeconfig here", parsePath);
  for (const option of [authorizationOption(), objectSizeOption(), ...logOptions()]) command.addOption(option);
  return command.action((flags: ApiServerFlags) => serve(flags, terminal));
}

async function serve(flags: ApiServerFlags, terminal: Terminal): Promise<void> {
  using stop = terminal.stopSignal();
  const log = loggerOf(flags, (line) => terminal.err(line));
  await using server = await startApiServer({
    systemObjects: true,
    authorization: flags.authorizationMode,
    log,
    limits: { objectBytes: flags.maxObjectBytes },
    ...(flags.dataDir === undefined ? {} : { dataDir: flags.dataDir }),
  });
  await using listener = await server.listen({ address: flags.bind, port: flags.port });
  if (flags.kubeconfigOut !== undefined) {
    await writeKubeconfigOut({ path: flags.kubeconfigOut, text: listener.kubeconfig });
  }
  terminal.out(`ready ${listener.url}\n`);
  try {
    await abortable(new Promise<never>(() => {}), stop.signal);
  } catch (error) {
    if (!isAbortOf(stop.signal, error)) throw error;
    log.info("stopping", { why: String(stop.signal.reason) });
  }
}
