/** `coxswain version`: prints the version. */
import { readFileSync } from "node:fs";
import { Command, Option } from "commander";
import type { Terminal } from "./terminal.js";

/** The content of a single executable; undefined in an ordinary process. Bun and Deno have no such module. */
export function executableContent(): Pick<typeof import("node:sea"), "getAsset"> | undefined {
  const content = process.getBuiltinModule?.("node:sea");
  return content?.isSea() === true ? content : undefined;
}

/**
 * The version in package.json, which stands two folders up in a checkout's dist/ and in an installed package alike, and
 * inside of a single executable.
 */
export function packageVersion(): string {
  const file = "package.json";
  const text =
    executableContent()?.getAsset(file, "utf8") ?? readFileSync(new URL(`../../${file}`, import.meta.url), "utf8");
  return (JSON.parse(text) as { readonly version: string }).version;
}

export function versionCommand(terminal: Pick<Terminal, "out">): Command {
  return new Command("version")
    .description("print the version")
    .addOption(new Option("-o, --output <format>", "how to print it").choices(["text", "json"]).default("text"))
    .action(({ output }: { output: "text" | "json" }) => {
      const facts = {
        version: packageVersion(),
        node: process.version,
        platform: `${process.platform}/${process.arch}`,
      };
      terminal.out(
        output === "json"
          ? `${JSON.stringify(facts, null, 2)}\n`
          : `coxswain ${facts.version} (node ${facts.node}, ${facts.platform})\n`,
      );
    });
}
