/** The place at which a tracer follows reviews. */
import type { IncomingHttpHeaders } from "node:http";
import { TracePoint } from "../base/trace/points.js";

/** A review, from its arrival to its answer. */
export interface ReviewFacts {
  readonly path: string;
  readonly uid: string;
  /** The headers of the request: an API server that is traced sends its trace in them. */
  readonly headers: IncomingHttpHeaders;
  readonly error?: unknown;
}

/** `coxswain:review`. */
export const reviewPoint: TracePoint<ReviewFacts> = new TracePoint("coxswain:review");
