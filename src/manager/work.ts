/** The controllers and other work of a manager: runs each part for as long as it may, alone or in the terms of a lease. */
import type { KubeObject } from "../api/index.js";
import { defined } from "../base/defined.js";
import { isAbortOf, linkedAbort } from "../base/index.js";
import type { Controller, ControllerRunOptions } from "../controller/index.js";
import type { LeaderTerm } from "./leader-election/index.js";
import type { Sharder } from "./sharding/index.js";
import type { Runnable } from "./stages.js";

export interface WorkOptions {
  readonly controllers: () => Iterable<Controller<KubeObject>>;
  readonly runnables: readonly Runnable[];
  /** True if each controller runs on all replicas, for the keys of their shards. */
  readonly isSharded: boolean;
  /** Called with the promise of each part; its failure is that of the manager. */
  readonly watched: (name: string, run: Promise<void>) => void;
  readonly stop: AbortSignal;
  readonly graceMs: number;
}

/** The shard whose holder also runs the work that only one replica may do. */
const leadingShard = 0;

export class ManagerWork {
  readonly #options: WorkOptions;
  #leading: Promise<void> = Promise.resolve();
  #always: Promise<void> = Promise.resolve();

  constructor(options: WorkOptions) {
    this.#options = options;
  }

  /** Runs the parts that need no lease, until the stop. */
  runAlways(): void {
    const { stop: signal, graceMs } = this.#options;
    this.#always = this.#runAll(false, { signal, graceMs });
    this.#options.watched("a part of the manager", this.#always);
  }

  /**
   * Runs the parts that need the lease, until the stop or the end of the term. The end of the term aborts work in flight;
   * a stop lets it finish.
   */
  async lead(term?: Pick<LeaderTerm, "signal">): Promise<void> {
    const { stop, graceMs, watched } = this.#options;
    const both = linkedAbort(stop, term?.signal);
    const run = this.#runAll(true, { signal: both.signal, graceMs, ...defined({ abort: term?.signal }) });
    this.#leading = run;
    watched("a part of the manager", run);
    await run.catch(() => {});
    both[Symbol.dispose]();
  }

  /** Leads whenever this process holds the first shard, and ends before it gives the shard away. */
  leadWith(sharder: Sharder): Disposable {
    return sharder.onAcquired((has) => {
      const pass = has(leadingShard) ? sharder.enter(leadingShard) : undefined;
      if (pass === undefined) return;
      const either = linkedAbort(pass.leaving, pass.lost);
      void this.lead({ signal: either.signal }).finally(() => {
        either[Symbol.dispose]();
        pass[Symbol.dispose]();
      });
    });
  }

  /** Resolves when everything has ended, after the stop. */
  async ended(): Promise<void> {
    await Promise.all([this.#always, this.#leading]);
  }

  async #runAll(leased: boolean, options: ControllerRunOptions): Promise<void> {
    const { controllers, runnables, isSharded } = this.#options;
    const isChosen = ({ withoutLease = false }: Pick<Runnable, "withoutLease">): boolean => withoutLease !== leased;
    const chosen = [...controllers()].filter(({ options: { withoutLease = false } }) =>
      isChosen({ withoutLease: withoutLease || isSharded }),
    );
    await Promise.all([
      ...chosen.map((controller) => controller.run(options)),
      ...runnables.filter(isChosen).map((runnable) => runRunnable(runnable, options.signal)),
    ]);
  }
}

async function runRunnable(runnable: Runnable, signal: AbortSignal): Promise<void> {
  try {
    await runnable.run({ signal });
  } catch (error) {
    if (!isAbortOf(signal, error)) throw new Error(`${runnable.name} failed`, { cause: error });
  }
}
