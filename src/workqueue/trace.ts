/** The place at which a tracer learns how long keys waited. */
import { TraceSignal } from "../base/trace/points.js";
import type { Reason } from "./reasons.js";

export interface WaitFacts {
  /** The name of the queue. */
  readonly queue: string;
  readonly key: unknown;
  readonly waitedMs: number;
  readonly reasons: readonly Reason[];
}

/** `coxswain:queue-wait`: a worker takes a key. */
export const waitSignal: TraceSignal<WaitFacts> = new TraceSignal("coxswain:queue-wait");
