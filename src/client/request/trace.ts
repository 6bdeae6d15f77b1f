/** The place at which a tracer follows requests. */
import { TracePoint } from "../../base/trace/points.js";
import type { Verb } from "./request.js";

/** A request with all its attempts; a watch and a streamed list end with their headers. */
export interface RequestFacts {
  readonly method: string;
  readonly path: string;
  /** `get pods default/web`. */
  readonly title: string;
  readonly verb: Verb | undefined;
  /** A tracer may add headers before the request is sent. */
  readonly headers: Record<string, string>;
  /** The status of the answer that was used; 0 if there is none. */
  status: number;
  readonly error?: unknown;
}

/** `coxswain:request`. */
export const requestPoint: TracePoint<RequestFacts> = new TracePoint("coxswain:request");
