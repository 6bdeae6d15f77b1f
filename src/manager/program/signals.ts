/** The process's signals as an AbortSignal: the first asks for a stop, the second ends the process. */

/** The source of signals, and the exit that the second one causes; a test gives its own. */
export interface SignalSource {
  on(name: "SIGINT" | "SIGTERM", listener: () => void): unknown;
  exit(code: number): void;
}

const names = ["SIGINT", "SIGTERM"] as const;
const inUse = new WeakSet<SignalSource>();

/**
 * Aborts on SIGINT or SIGTERM; a second signal exits at once with code 1. May be called once for a process, because two
 * handlers would count each other's signals.
 */
export function setupSignalHandler(source: SignalSource = process): AbortSignal {
  if (inUse.has(source)) throw new Error("setupSignalHandler was called already");
  inUse.add(source);
  const controller = new AbortController();
  for (const name of names) {
    source.on(name, () => {
      if (controller.signal.aborted) source.exit(1);
      else controller.abort(new Error(`received ${name}`));
    });
  }
  return controller.signal;
}
