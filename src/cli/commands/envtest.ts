/** `coxswain envtest path`: prints a folder that test suites take for envtest's, with programs that stand in for the real ones. */
import { fileURLToPath } from "node:url";
import { Command } from "commander";
import { parsePath } from "../flags.js";
import { envtestFolder } from "../envtest/assets.js";
import type { Terminal } from "../terminal.js";
import { executableContent, packageVersion } from "../version.js";
import { defined } from "../../base/defined.js";

export function envtestCommand(terminal: Terminal): Command {
  return new Command("envtest")
    .description("programs in the place of kube-apiserver, etcd and kubectl, for suites that start them")
    .addCommand(
      new Command("path")
        .description('print their folder, as in: KUBEBUILDER_ASSETS="$(npx coxswain envtest path)" go test ./...')
        .option("--parent <folder>", "make the folder in this one; a cache of the user's without it", parsePath)
        .action(async ({ parent }: { readonly parent?: string }) => {
          const main = executableContent() !== undefined ? [] : [fileURLToPath(new URL("main.js", import.meta.url))];
          const command = [process.execPath, ...main];
          const folder = await envtestFolder({
            command,
            version: packageVersion(),
            ...defined({ parent: parent || undefined }),
          });
          terminal.out(`${folder}\n`);
        }),
    );
}
