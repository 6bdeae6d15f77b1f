/** `coxswain migrate`: stores all objects of a custom kind in its storage version. */
import { Command } from "commander";
import { connect, migrateStorage } from "../../client/index.js";
import { parseName, parsePath } from "../flags.js";
import type { Terminal } from "../terminal.js";

export function migrateCommand(terminal: Terminal): Command {
  return new Command("migrate")
    .description("store all objects of a custom kind in its storage version, and forget the others")
    .argument("<definition>", "the name of its definition, e.g. foos.example.com", parseName)
    .option("--kubeconfig <file>", "the cluster; as kubectl finds it if absent", parsePath)
    .action(async (definition: string, { kubeconfig }: { readonly kubeconfig?: string }) => {
      using stop = terminal.stopSignal();
      await using client = await connect(kubeconfig === undefined ? {} : { kubeconfig });
      const { signal } = stop;
      const { migrated, gone, version, forgotten } = await migrateStorage(client, definition, { signal });
      const left = gone === 0 ? "" : `, ${gone} were deleted meanwhile`;
      terminal.out(`${migrated} objects of ${definition} are stored in ${version}${left}\n`);
      if (forgotten.length > 0)
        terminal.out(`no object is stored in ${forgotten.join(", ")} any more; the definition may drop it\n`);
    });
}
