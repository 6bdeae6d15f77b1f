/** A program in the place of etcd or kube-apiserver, for suites that start these two. */

export interface StandIn {
  /** Starts, and resolves when `signal` has aborted and everything is stopped. */
  run(args: readonly string[], around: StandInContext): Promise<void>;
}

export interface StandInContext {
  readonly signal: AbortSignal;
  /** Writes a line for the user of the suite. */
  warn(text: string): void;
}
