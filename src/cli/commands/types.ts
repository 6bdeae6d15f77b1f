/** `coxswain types`: TypeScript types and descriptors of kinds that others defined, from their definitions. */
import { existsSync, readFileSync } from "node:fs";
import { readFile, writeFile } from "node:fs/promises";
import { Command } from "commander";
import type { CustomResourceDefinition } from "../../api/index.js";
import { connect } from "../../client/index.js";
import { parseName, parsePath } from "../flags.js";
import type { Terminal } from "../terminal.js";
import { definitionsIn, definitionsOf, kindsIn } from "../types/kinds.js";
import { kindsText } from "../types/write-types.js";

interface TypesFlags {
  readonly kubeconfig?: string;
  readonly apiVersion?: string;
  readonly out?: string;
}

/** The first line of the file; a file without it is not overwritten. */
const madeBy = "/** Made by coxswain types. Do not edit: make it again when the definitions change. */";

export function typesCommand(terminal: Terminal): Command {
  return new Command("types")
    .description("write TypeScript types and descriptors of kinds that others defined")
    .argument(
      "[sources...]",
      "files with definitions, - for the standard input; with --kubeconfig, their names, or none for all",
    )
    .option("--kubeconfig <file>", "take the definitions of this cluster", parsePath)
    .option("--api-version <version>", "the version of the kinds; the most stable one without it", parseName)
    .option("--out <file>", "write to this file", parsePath)
    .action(async (sources: readonly string[], flags: TypesFlags) => {
      const text = typesText(await definitions(sources, flags, terminal), flags.apiVersion);
      if (flags.out === undefined) return terminal.out(text);
      if (existsSync(flags.out) && !readFileSync(flags.out, "utf8").startsWith(madeBy))
        throw new Error(`${flags.out} exists and was not made by this command: move it away, or give another --out`);
      await writeFile(flags.out, text);
    });
}

async function definitions(
  sources: readonly string[],
  { kubeconfig }: TypesFlags,
  terminal: Terminal,
): Promise<readonly CustomResourceDefinition[]> {
  if (kubeconfig !== undefined) {
    using stop = terminal.stopSignal();
    await using client = await connect({ kubeconfig });
    return await definitionsOf(client, sources, stop.signal);
  }
  if (sources.length === 0) throw new Error("give files with definitions, or --kubeconfig for those of a cluster");
  const texts = await Promise.all(
    sources.map(async (source) =>
      definitionsIn(await readFile(source === "-" ? (0 as never) : source, "utf8"), source),
    ),
  );
  return texts.flat();
}

function typesText(all: readonly CustomResourceDefinition[], version: string | undefined): string {
  const { text, imports } = kindsText(kindsIn(all, version));
  const [values, types] = [true, false].map((wanted) => imports.filter((name) => isValue(name) === wanted));
  const names = [...(values ?? []), ...(types ?? []).map((name) => `type ${name}`)];
  return [madeBy, `import { ${names.join(", ")} } from ${JSON.stringify(home)};`, "", text].join("\n");
}

/** The module that the text imports from. */
const home = "coxswain/api";

const isValue = (name: string): boolean => name === "defineResource";
