/** Makes the document of the command line from the declarations of its commands and flags. */
import type { Command } from "commander";
import { commandLine } from "../../src/cli/program.js";
import { cell, type Document, fenced } from "./document.js";

const silent = {
  out: () => {},
  err: () => {},
  stopSignal: () => ({ signal: new AbortController().signal, [Symbol.dispose]: () => {} }),
};

export async function commandLineDocument(): Promise<Document> {
  const program = await commandLine(undefined, silent);
  const commands = program.commands.map((command) => sectionOf(command, 2));
  const about = `# The command line\n\n${program.description()} Made from the program's own declarations; \`coxswain COMMAND --help\` prints the same.\n`;
  return { source: "reference/command-line.md", markdown: [about, ...commands].join("\n") };
}

/** The command and the commands under it, each with its arguments and flags. */
function sectionOf(command: Command, depth: number): string {
  const help = command.createHelp();
  const args = help
    .visibleArguments(command)
    .map((argument) => row(help.argumentTerm(argument), help.argumentDescription(argument)));
  const options = help
    .visibleOptions(command)
    .map((option) => row(help.optionTerm(option), help.optionDescription(option)));
  const nested = command.commands.map((one) => sectionOf(one, depth + 1));
  return [
    `${"#".repeat(depth)} ${fullName(command)}\n`,
    `${command.description()}\n`,
    fenced("sh", help.commandUsage(command)),
    table("argument", args),
    table("flag", options),
    ...nested,
  ].join("\n");
}

function fullName(command: Command): string {
  return command.parent === null ? command.name() : `${fullName(command.parent)} ${command.name()}`;
}

const row = (term: string, meaning: string): string => `| \`${cell(term)}\` | ${cell(meaning)} |\n`;

function table(head: string, rows: readonly string[]): string {
  return rows.length === 0 ? "" : `| ${head} | meaning |\n|---|---|\n${rows.join("")}`;
}
