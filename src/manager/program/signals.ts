/** The process's signals as an AbortSignal: the first one asks for a stop, the second one ends the process. From the system; to `run`. */

/** Where signals come from and what the second one does; a test gives its own. */
export interface SignalSource {
  on(name: "SIGINT" | "SIGTERM", listener: () => void): unknown;
  exit(code: number): void;
}

const names = ["SIGINT", "SIGTERM"] as const;
const inUse = new WeakSet<SignalSource>();

/**
 * Aborts on SIGINT or SIGTERM; a second signal exits at once with code 1. Once for a process: a second call is an error, because two
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
