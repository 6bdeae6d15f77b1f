/** `coxswain apiserver`: the embedded API server on a port, with its administrator's kubeconfig. */
import { Command } from "commander";
import { defined } from "../../base/defined.js";
import { abortable, isAbortOf } from "../../base/index.js";
import { startApiServer } from "../../apiserver/index.js";
import { loggerOf, parsePath, type ServerFlags, serverOptions, serverSettings } from "../flags.js";
import { clientAuthority } from "../security/authentication.js";
import { securityOptions } from "../security/options.js";
import { type SecurityFlags, securitySettings } from "../security/settings.js";
import { writeKubeconfigOut } from "../kubeconfig-out.js";
import type { Terminal } from "../terminal.js";

interface ApiServerFlags extends ServerFlags, SecurityFlags {
  readonly kubeconfigOut?: string;
}

export function apiserverCommand(terminal: Terminal): Command {
  const command = new Command("apiserver")
    .description("serve the Kubernetes API on this machine; Ctrl-C stops it")
    .option("--kubeconfig-out <file>", "write the administrator's kubeconfig here", parsePath);
  for (const option of [...serverOptions(), ...securityOptions()]) command.addOption(option);
  return command.action((flags: ApiServerFlags) => serve(flags, terminal));
}

async function serve(flags: ApiServerFlags, terminal: Terminal): Promise<void> {
  using stop = terminal.stopSignal();
  const log = loggerOf(flags, (line) => terminal.err(line));
  await using server = await startApiServer({
    systemObjects: true,
    ...serverSettings(flags),
    ...(await securitySettings(flags)),
    log,
    ...defined({ dataDir: flags.dataDir }),
  });
  await using listener = await server.listen({
    address: flags.bind,
    port: flags.port,
    ...(await clientAuthority(flags)),
  });
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
