/** The program: takes arguments, finds the command, and turns whatever happens into output and an exit code. */
import { Command, CommanderError } from "commander";
import { lookup } from "../base/members.js";
import { packageVersion, versionCommand } from "./version.js";

/** Where a command writes and what ends it; the real process unless a test says otherwise. */
export interface Terminal {
  out(text: string): void;
  err(text: string): void;
  /** True: a person looks at what is written, and a line may be rewritten. */
  readonly isInteractive?: boolean;
  /** How wide a line may be. */
  columns?(): number;
  /** Aborts when the user or the system asks the program to stop. A program that ends disposes it. */
  stopSignal(): Disposable & { readonly signal: AbortSignal };
}

/** Ctrl-C, whoever supervises the process, and a terminal that is closed. */
const stopSignals = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

const processTerminal: Terminal = {
  out: (text) => void process.stdout.write(text),
  err: (text) => void process.stderr.write(text),
  isInteractive: process.stdout.isTTY && process.env["TERM"] !== "dumb",
  columns: () => process.stdout.columns,
  stopSignal() {
    const stop = new AbortController();
    // the first signal stops in order; the second finds Node's own handler, which ends the process at once
    const onSignal = (name: NodeJS.Signals): void => stop.abort(new Error(`received ${name}`));
    for (const name of stopSignals) process.once(name, onSignal);
    return {
      signal: stop.signal,
      [Symbol.dispose]() {
        for (const name of stopSignals) process.off(name, onSignal);
      },
    };
  },
};

const commands: Readonly<Record<string, (terminal: Terminal) => Promise<Command>>> = lookup({
  up: async (terminal) => (await import("./commands/up.js")).upCommand(terminal),
  apiserver: async (terminal) => (await import("./commands/apiserver.js")).apiserverCommand(terminal),
  "controller-manager": async (terminal) =>
    (await import("./commands/controller-manager.js")).controllerManagerCommand(terminal),
  scheduler: async (terminal) => (await import("./commands/scheduler.js")).schedulerCommand(terminal),
  nodes: async (terminal) => (await import("./commands/nodes.js")).nodesCommand(terminal),
  node: async (terminal) => (await import("./commands/nodes.js")).nodeCommand(terminal),
  version: async (terminal) => versionCommand(terminal),
});

/** The command that was named, or all of them to choose from: nobody waits for code that is not run. */
function commandsFor(name: string | undefined, terminal: Terminal): Promise<readonly Command[]> {
  const named = name === undefined ? undefined : commands[name];
  return Promise.all((named === undefined ? Object.values(commands) : [named]).map((make) => make(terminal)));
}

/** Exit codes: 0 done, 1 failed, 2 the arguments make no sense. */
export async function runProgram(args: readonly string[], terminal: Terminal = processTerminal): Promise<number> {
  const program = new Command("coxswain")
    .description("The Kubernetes controller machinery, and a control plane to run it on.")
    .version(`coxswain ${packageVersion()}`, "-V, --version", "print the version")
    .showHelpAfterError("Run with --help to see what there is.")
    .configureOutput({ writeOut: (text) => terminal.out(text), writeErr: (text) => terminal.err(text) });
  for (const command of await commandsFor(args[0], terminal)) program.addCommand(command);
  inherit(program);
  try {
    if (args.length === 0) program.help();
    await program.parseAsync([...args], { from: "user" });
    return 0;
  } catch (error) {
    // commander has already said what is wrong, naming the flag or argument
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2;
    terminal.err(`coxswain: ${error instanceof Error ? error.message : String(error)}${adviceOn(error)}\n`);
    return 1;
  }
}

/** Every command writes and fails as the program does, also those within others. */
function inherit(parent: Command): void {
  parent.exitOverride();
  for (const command of parent.commands) inherit(command.copyInheritedSettings(parent));
}

/** What to do about it, if there is something that the message does not say. */
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
