/** One run of a key: its reasons, its time limit, its client, and the record of its reads and writes. */
import { isNotFound, type KubeObject } from "../../api/index.js";
import {
  type Clock,
  type LinkedAbort,
  linkedAbort,
  type Logger,
  messageOf,
  type Operation,
  type Random,
  type Timer,
} from "../../base/index.js";
import type { Client, PieceOfWork, WorkClient, WriteCall } from "../../client/index.js";
import type { Reason, Reasons } from "../../workqueue/index.js";
import type { JournalWrite } from "../history/journal.js";
import type { AwaitedWrites } from "../own-writes/awaited-writes.js";
import { emptyTrace, RunRecord, type RunTrace } from "./record.js";
import { writePoint } from "../trace.js";
import type { Refusals } from "./refusals.js";
import type { KeyPass } from "./shard-keys.js";

/** The state that all runs of a loop share. */
export interface RunEnvironment {
  readonly controller: string;
  readonly client: Pick<Client, "during"> | undefined;
  readonly awaited: AwaitedWrites;
  readonly refusals: Refusals;
  readonly log: Logger;
  readonly clock: Clock;
  readonly random: Random;
  readonly timeoutMs: number;
}

export interface RunFacts extends Reasons {
  /** The number of this run among the loop's runs. */
  readonly run: number;
  readonly key: string;
  readonly priority: number;
  readonly waitedMs: number;
  /** The failures of this key since its last success. */
  readonly failures: number;
  /** True if another writer may be undoing the writes of earlier runs of this key. */
  readonly suspected: boolean;
  /** On virtual time: the operation for which the clock waits. */
  readonly operation: Operation | undefined;
  /** For a key of a shared group of objects: the right to write for it. */
  readonly pass?: KeyPass | undefined;
  /** Each of these ends the run: the stop of the workers, and the loss of the lease. */
  readonly signals: readonly AbortSignal[];
}

/** A run that reads nothing and writes nothing costs neither a signal nor a timer nor a record. */
export class KeyRun implements Reasons, PieceOfWork, Disposable {
  readonly facts: RunFacts;
  readonly #environment: RunEnvironment;
  #record: RunRecord | undefined;
  #client: WorkClient | undefined;
  #log: Logger | undefined;
  #abort: LinkedAbort | undefined;
  #timer: Timer | undefined;

  constructor(environment: RunEnvironment, facts: RunFacts) {
    this.#environment = environment;
    this.facts = facts;
  }

  get key(): string {
    return this.facts.key;
  }

  get reasons(): readonly Reason[] {
    return this.facts.reasons;
  }

  get omittedReasons(): number {
    return this.facts.omittedReasons;
  }

  get clock(): Clock {
    return this.#environment.clock;
  }

  get random(): Random {
    return this.#environment.random;
  }

  /** Its calls end with the run. Its writes are noted in the journal, and the key's next run waits until the caches show them. */
  get client(): WorkClient {
    const { client } = this.#environment;
    if (client === undefined) throw new Error("the host of this loop has no client");
    return (this.#client ??= client.during(this));
  }

  /** Its lines carry controller, key and run. */
  get log(): Logger {
    return (this.#log ??= this.#environment.log.child({ key: this.key, run: this.facts.run }));
  }

  /** Aborts when the time limit of this run is over, or when one of `signals` ends it. */
  get signal(): AbortSignal {
    const { clock, timeoutMs } = this.#environment;
    const { signals } = this.facts;
    const [only] = signals;
    if (only !== undefined && signals.length === 1 && timeoutMs === Number.POSITIVE_INFINITY) return only;
    if (this.#abort === undefined) {
      const abort = linkedAbort(...signals);
      this.#abort = abort;
      this.#timer = clock.timer(timeoutMs, () => abort.abort(new Error(`the run took longer than ${timeoutMs} ms`)));
    }
    return this.#abort.signal;
  }

  /** True if the caches show all writes of this run so far. */
  get caughtUp(): boolean {
    return this.#environment.awaited.behind(this.key) === undefined;
  }

  /** The reads and writes of the run so far. */
  get trace(): RunTrace {
    return this.#record ?? emptyTrace;
  }

  /** The record in which the run's reads and writes are noted. */
  get record(): RunRecord {
    return (this.#record ??= new RunRecord(this.#environment.clock));
  }

  /** True if the run was ended by a stop or a lost lease, not by its own time limit. */
  get interrupted(): boolean {
    return this.facts.signals.some(({ aborted }) => aborted);
  }

  /** Carries out a write of `client`. A deletion is awaited as that of the object that the cache has when it is sent. */
  async write<T>(call: WriteCall, send: () => Promise<T>): Promise<T> {
    const { awaited, refusals } = this.#environment;
    const cache = awaited.cacheOf(call.type);
    const key = keyOf(call);
    const doomed = cache !== undefined && call.verb === "delete" ? cache.indexer.get(key) : undefined;
    const note = { verb: verbOf(call), kind: kindOf(call), fields: [] } as const;
    const isGone = (): void => {
      if (cache === undefined || doomed === undefined) return;
      awaited.deleted(this.key, cache, { key, uid: doomed.metadata.uid });
    };
    try {
      this.facts.pass?.check();
      const { controller } = this.#environment;
      const named = call.name === undefined ? undefined : key;
      const answer = await writePoint.around(
        // a `sync` compares before it writes
        () => ({ controller, verb: note.verb, kind: note.kind, key: named, changes: true, trace: undefined }),
        send,
      );
      refusals.allowed(note.verb, call.type);
      const { name, namespace, resourceVersion: revision = "" } = (answer as Partial<KubeObject>).metadata ?? {};
      const isObject = name !== undefined;
      if (isObject && cache !== undefined && call.subresource !== "scale") awaited.wrote(this.key, cache, revision);
      isGone();
      const written = isObject ? keyOf({ namespace, name }) : key;
      this.record.wrote(
        { key: written, revision, outcome: "done", ...note },
        // fields and values are not compared here: each write counts as a new one, and none as a fight
        { kind: note.kind, key: written, revision, fields: note.fields, value: revision, otherWriters: [] },
      );
      return answer;
    } catch (error) {
      if (isNotFound(error)) isGone();
      refusals.failed(note.verb, call.type, error);
      this.record.wrote({ key, revision: "", outcome: "failed", error: messageOf(error), ...note });
      throw error;
    }
  }

  [Symbol.dispose](): void {
    this.#timer?.[Symbol.dispose]();
    this.#abort?.[Symbol.dispose]();
  }
}

function keyOf({
  namespace,
  name = "…",
}: {
  readonly namespace?: string | undefined;
  readonly name?: string | undefined;
}): string {
  return namespace ? `${namespace}/${name}` : name;
}

function kindOf({ type, subresource }: WriteCall): string {
  return subresource === undefined || subresource === "status" ? type.kind : `${type.kind}/${subresource}`;
}

function verbOf({ verb, subresource }: WriteCall): JournalWrite["verb"] {
  if (subresource === "status") return "status";
  return verb === "deletecollection" ? "delete" : verb;
}
