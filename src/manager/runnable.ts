/** Something else that runs with the manager: a server, a poller, a migration. Given by the program; run by the manager. */

export interface Runnable {
  readonly name: string;
  /** Runs until the signal aborts. Its failure stops the manager. */
  run(options: { readonly signal: AbortSignal }): Promise<void>;
  /** Runs on every replica, leader or not. */
  readonly withoutLease?: boolean;
}
