/** What a reconciler is given: made for each run by the controller, with the dear parts only when they are asked for. */
import type { KubeObject } from "../../api/index.js";
import {
  type Clock,
  clockOf,
  linkedAbort,
  type LinkedAbort,
  type Logger,
  type Operation,
  type Timer,
} from "../../base/index.js";
import type { Reason, Reasons } from "../../workqueue/index.js";
import type { CacheReader } from "../cache/cluster-cache.js";
import type { EventRecorder } from "../events/index.js";
import type { ReconcileContext, Request } from "../reconcile.js";
import { type ReconcileClient, RunClient, type WriterEnvironment } from "./client.js";
import { emptyTrace, RecordingReader, RunRecord, type RunTrace } from "./record.js";

/** What all runs of a controller share. */
export interface RunEnvironment {
  readonly writer: WriterEnvironment;
  readonly clusters: ReadonlyMap<string, WriterEnvironment>;
  readonly events: EventRecorder;
  readonly log: Logger;
  readonly clock: Clock;
  readonly timeoutMs: number;
}

export interface RunRequest<T extends KubeObject> extends Reasons {
  readonly run: number;
  readonly key: string;
  readonly request: Request;
  readonly object: T;
  readonly failures: number;
  /** Somebody may be undoing what earlier runs of this key wrote. */
  readonly suspected: boolean;
  /** On virtual time: the operation for which the clock waits. */
  readonly operation: Operation | undefined;
  /** Each of them ends the run: the workers' patience, the lease. */
  readonly signals: readonly AbortSignal[];
}

/** A run that reads nothing and writes nothing costs neither a signal nor a timer. */
export class RunContextOf<T extends KubeObject> implements ReconcileContext<T>, Disposable {
  /** Replaced by the controller before the reconciler sees it, never later. */
  object: T;
  /** The revision at which the framework put its finalizer on the object: the reconciler has seen it so. */
  finalizedAt: string | undefined;
  readonly #environment: RunEnvironment;
  readonly #request: RunRequest<T>;
  #record: RunRecord | undefined;
  #cache: CacheReader | undefined;
  #client: ReconcileClient | undefined;
  #log: Logger | undefined;
  #abort: LinkedAbort | undefined;
  #timer: Timer | undefined;

  constructor(environment: RunEnvironment, request: RunRequest<T>) {
    this.#environment = environment;
    this.#request = request;
    this.object = request.object;
  }

  get key(): string {
    return this.#request.key;
  }

  get request(): Request {
    return this.#request.request;
  }

  get reasons(): readonly Reason[] {
    return this.#request.reasons;
  }

  get omittedReasons(): number {
    return this.#request.omittedReasons;
  }

  get failures(): number {
    return this.#request.failures;
  }

  get events(): EventRecorder {
    return this.#environment.events;
  }

  get clock(): Clock {
    const { operation } = this.#request;
    const { clock } = this.#environment;
    return operation === undefined ? clock : clockOf(operation, clock);
  }

  get cache(): CacheReader {
    this.#cache ??= new RecordingReader(this.#environment.writer.cache, this.#recording());
    return this.#cache;
  }

  get client(): ReconcileClient {
    this.#client ??= this.#clientOf(this.#environment.writer);
    return this.#client;
  }

  /** A getter, because reconcilers take the context apart. */
  get cluster(): ReconcileContext<T>["cluster"] {
    return (name) => {
      const writer = this.#environment.clusters.get(name);
      if (writer === undefined) throw new Error(`this manager has no cluster ${name}`);
      return {
        cache: new RecordingReader(writer.cache, this.#recording()),
        client: this.#clientOf(writer),
      };
    };
  }

  get log(): Logger {
    this.#log ??= this.#environment.log.child({ key: this.#request.key, run: this.#request.run });
    return this.#log;
  }

  get signal(): AbortSignal {
    if (this.#abort === undefined) {
      const { clock, timeoutMs } = this.#environment;
      const abort = linkedAbort(...this.#request.signals);
      this.#abort = abort;
      this.#timer = clock.timer(timeoutMs, () => abort.abort(new Error(`the run took longer than ${timeoutMs} ms`)));
    }
    return this.#abort.signal;
  }

  /** What the run has done so far. */
  get trace(): RunTrace {
    return this.#record ?? emptyTrace;
  }

  /** Ended by others, not by its own time. */
  get interrupted(): boolean {
    return this.#request.signals.some(({ aborted }) => aborted);
  }

  #clientOf(writer: WriterEnvironment): ReconcileClient {
    const { suspected, operation } = this.#request;
    return new RunClient(writer, { record: this.#recording(), signal: () => this.signal, suspected, operation });
  }

  #recording(): RunRecord {
    this.#record ??= new RunRecord();
    return this.#record;
  }

  [Symbol.dispose](): void {
    this.#timer?.[Symbol.dispose]();
    this.#abort?.[Symbol.dispose]();
  }
}
