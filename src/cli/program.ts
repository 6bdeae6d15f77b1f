/** The program: takes arguments, finds the command, and gives output and an exit code. */
import { Command, CommanderError } from "commander";
import { messageOf } from "../base/log/errors.js";
import { lookup } from "../base/members.js";
import { processTerminal, type Terminal } from "./terminal.js";
import { packageVersion, versionCommand } from "./version.js";

const commands: Readonly<Record<string, (terminal: Terminal) => Promise<Command>>> = lookup({
  up: async (terminal) => (await import("./commands/up.js")).upCommand(terminal),
  apiserver: async (terminal) => (await import("./commands/apiserver.js")).apiserverCommand(terminal),
  "controller-manager": async (terminal) =>
    (await import("./commands/controller-manager.js")).controllerManagerCommand(terminal),
  scheduler: async (terminal) => (await import("./commands/scheduler.js")).schedulerCommand(terminal),
  nodes: async (terminal) => (await import("./commands/nodes.js")).nodesCommand(terminal),
  node: async (terminal) => (await import("./commands/nodes.js")).nodeCommand(terminal),
  new: async (terminal) => (await import("./commands/new.js")).newCommand(terminal),
  manifests: async (terminal) => (await import("./commands/manifests.js")).manifestsCommand(terminal),
  types: async (terminal) => (await import("./commands/types.js")).typesCommand(terminal),
  simulate: async (terminal) => (await import("./commands/simulate.js")).simulateCommand(terminal),
  envtest: async (terminal) => (await import("./commands/envtest.js")).envtestCommand(terminal),
  migrate: async (terminal) => (await import("./commands/migrate.js")).migrateCommand(terminal),
  explain: async (terminal) => (await import("./explain/explain.js")).explainCommand(terminal),
  pause: async (terminal) => (await import("./commands/pause.js")).pauseCommand(terminal),
  resume: async (terminal) => (await import("./commands/pause.js")).resumeCommand(terminal),
  version: async (terminal) => versionCommand(terminal),
});

/** Loads only the named command, or all of them for the help: unused code costs start-up time. */
function commandsFor(name: string | undefined, terminal: Terminal): Promise<readonly Command[]> {
  const named = name === undefined ? undefined : commands[name];
  return Promise.all((named === undefined ? Object.values(commands) : [named]).map((make) => make(terminal)));
}

/** The declarations of the named command, or of all if there is no such command. */
export async function commandLine(name: string | undefined, terminal: Terminal): Promise<Command> {
  const program = new Command("coxswain")
    .description("The Kubernetes controller machinery, and a control plane to run it on.")
    .showHelpAfterError("Run with --help to see what there is.")
    .configureOutput({ writeOut: (text) => terminal.out(text), writeErr: (text) => terminal.err(text) });
  for (const command of await commandsFor(name, terminal)) program.addCommand(command);
  inherit(program);
  return program;
}

/** Exit codes: 0 success, 1 failure, 2 malformed arguments. */
export async function runCommandLine(args: readonly string[], terminal: Terminal = processTerminal): Promise<number> {
  const program = (await commandLine(args[0], terminal)).version(
    `coxswain ${packageVersion()}`,
    "-V, --version",
    "print the version",
  );
  try {
    if (args.length === 0) program.help();
    await program.parseAsync([...args], { from: "user" });
    return 0;
  } catch (error) {
    // commander has already printed the error, with the flag or argument
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2;
    terminal.err(`coxswain: ${messageOf(error)}${adviceOn(error)}\n`);
    return 1;
  }
}

/** Every command, also nested ones, writes and fails as the program does. */
function inherit(parent: Command): void {
  parent.exitOverride();
  for (const command of parent.commands) inherit(command.copyInheritedSettings(parent));
}

/** Advice for the user, if there is any that the message does not give. */
function adviceOn(error: unknown): string {
  const { code, syscall } = (error ?? {}) as NodeJS.ErrnoException;
  if (syscall !== "listen" && syscall !== "bind") return "";
  switch (code) {
    case "EADDRINUSE":
      return "\nStop what uses the port, or choose another with --port and --status-port; 0 takes a free one.";
    case "EADDRNOTAVAIL":
      return "\nGive --bind an address of this machine; 0.0.0.0 and :: are all of them.";
    case "EACCES":
      return "\nPorts below 1024 may need permission: choose another with --port.";
    default:
      return "";
  }
}
