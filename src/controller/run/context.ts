/** The context of a reconciler: the run of its key, with the object, and with a client and a cache that note reads and writes. */
import type { KubeObject } from "../../api/index.js";
import { type Clock, clockOf, type Logger } from "../../base/index.js";
import type { Reason } from "../../workqueue/index.js";
import type { CacheReader } from "../cache/cluster-cache.js";
import type { EventRecorder } from "../events/index.js";
import type { KeyRun } from "../loop/key-run.js";
import type { ReconcileContext, Request } from "../reconcile.js";
import type { ReconcileClient } from "../reconcile-client.js";
import { RunClient, type WriterEnvironment } from "./client.js";
import type { OwnerOfRun } from "./write-mistakes.js";
import { RecordingReader } from "./recording-reader.js";

/** The state that all runs of a controller share. */
export interface ReconcileEnvironment {
  readonly writer: WriterEnvironment;
  readonly clusters: ReadonlyMap<string, WriterEnvironment>;
  readonly events: EventRecorder;
}

/** The parts are made when the reconciler first asks for them. */
export class ReconcileContextOf<T extends KubeObject> implements ReconcileContext<T> {
  /** Replaced by the controller before the reconciler sees it, never later. */
  object: T;
  /** The revision at which the framework added its finalizer to the object; the reconciler has seen that state. */
  finalizedAt: string | undefined;
  readonly request: Request;
  readonly #environment: ReconcileEnvironment;
  readonly #run: KeyRun;
  #cache: CacheReader | undefined;
  #client: ReconcileClient | undefined;

  constructor(environment: ReconcileEnvironment, run: KeyRun, of: { readonly request: Request; readonly object: T }) {
    this.#environment = environment;
    this.#run = run;
    this.request = of.request;
    this.object = of.object;
  }

  get key(): string {
    return this.#run.key;
  }

  get reasons(): readonly Reason[] {
    return this.#run.reasons;
  }

  get omittedReasons(): number {
    return this.#run.omittedReasons;
  }

  get failures(): number {
    return this.#run.facts.failures;
  }

  get events(): EventRecorder {
    return this.#environment.events;
  }

  get log(): Logger {
    return this.#run.log;
  }

  get signal(): AbortSignal {
    return this.#run.signal;
  }

  get clock(): Clock {
    const { operation } = this.#run.facts;
    return operation === undefined ? this.#run.clock : clockOf(operation, this.#run.clock);
  }

  get cache(): CacheReader {
    return (this.#cache ??= new RecordingReader(this.#environment.writer.cache, this.#run.record));
  }

  get client(): ReconcileClient {
    return (this.#client ??= this.#clientOf(this.#environment.writer));
  }

  /** A getter, because reconcilers destructure the context. */
  get cluster(): ReconcileContext<T>["cluster"] {
    return (name) => {
      const writer = this.#environment.clusters.get(name);
      if (writer === undefined) throw new Error(`this manager has no cluster ${name}`);
      return { cache: new RecordingReader(writer.cache, this.#run.record), client: this.#clientOf(writer) };
    };
  }

  #clientOf(writer: WriterEnvironment): ReconcileClient {
    const isElsewhere = writer !== this.#environment.writer;
    const owner = (): OwnerOfRun => ({ object: this.object, isElsewhere });
    return new RunClient(writer, this.#run, owner);
  }
}
