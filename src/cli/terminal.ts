/** The terminal of a command: its output, and the signal by which its user stops it. */

/** The command's output and its stop signal; the real process unless a test gives another. */
export interface Terminal {
  out(text: string): void;
  err(text: string): void;
  /** True if a person reads the output, so that a line may be rewritten. */
  readonly isInteractive?: boolean;
  /** The width of a line. */
  columns?(): number;
  /** Aborts when the user or the system asks the program to stop. Dispose it at the end of the program. */
  stopSignal(): Disposable & { readonly signal: AbortSignal };
}

/** Ctrl-C, a supervisor's request, and a closed terminal. */
const stopSignals = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

export const processTerminal: Terminal = {
  out: (text) => void process.stdout.write(text),
  err: (text) => void process.stderr.write(text),
  isInteractive: process.stdout.isTTY && process.env["TERM"] !== "dumb",
  columns: () => process.stdout.columns,
  stopSignal() {
    const stop = new AbortController();
    // the first signal stops in order; for the second, Node's own handler ends the process at once
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
