/** The places of a controller that a tracer follows, and the trace that an object carries to the controllers which react to it. */
import type { KubeObject } from "../api/index.js";
import { TracePoint } from "../base/trace/points.js";
import type { ObjectChange } from "../informer/index.js";
import type { Reason } from "../workqueue/index.js";
import type { JournalWrite, RunOutcome } from "./history/journal.js";

export interface ReconcileFacts {
  readonly controller: string;
  readonly kind: string;
  readonly key: string;
  readonly run: number;
  readonly reasons: readonly Reason[];
  /** The failures of this key since its last success. */
  readonly failures: number;
  /** The time that the key waited in the queue. */
  readonly waitedMs: number;
  readonly result?: RunOutcome;
}

/** A write of a reconcile, from the call to the answer. */
export interface WriteFacts {
  readonly controller: string;
  readonly verb: JournalWrite["verb"];
  readonly kind: string;
  /** Undefined if the server makes the name. */
  readonly key: string | undefined;
  /** False for a write that may leave the object as it is; a tracer that then leaves its mark would make it a change. */
  readonly changes: boolean;
  /** The trace that the object carries before the write. */
  readonly trace: string | undefined;
  readonly result?: Partial<KubeObject>;
  readonly error?: unknown;
}

/** `coxswain:reconcile`, and in it `coxswain:write`. */
export const reconcilePoint: TracePoint<ReconcileFacts> = new TracePoint("coxswain:reconcile");
export const writePoint: TracePoint<WriteFacts> = new TracePoint("coxswain:write");

/** Holds the trace of an object's last writer, as the Kubernetes enhancement proposal 5915 names it. */
export const traceAnnotation = "tracing.k8s.io/traceparent";

/**
 * The trace of the write that made this change, if a tracer follows and the writer left one. Each write leaves another: a
 * change that leaves the annotation alone was made by a writer without a trace, and a restart or a resync has no writer.
 */
export function writersTrace(change: ObjectChange<KubeObject>): string | undefined {
  if (!reconcilePoint.isFollowed) return undefined;
  const left = change.object.metadata.annotations?.[traceAnnotation];
  if (change.type === "added") return change.initial ? undefined : left;
  const isNew = change.type === "updated" && left !== change.previous.metadata.annotations?.[traceAnnotation];
  return isNew ? left : undefined;
}
