/** The interface of an oracle: it judges a finished history, or watches every revision of one. */
import type { KubeObject, ResourceType } from "../../api/index.js";
import type { History } from "./history.js";

/** The cluster's objects as of one revision. */
export interface StateView {
  readonly revision: number;
  list<T extends KubeObject>(type: ResourceType<T>, options?: { readonly namespace?: string }): readonly T[];
  get<T extends KubeObject>(type: ResourceType<T>, name: string, namespace?: string): T | undefined;
}

export interface JudgedRun {
  readonly history: History;
  /** The history without faults. */
  readonly reference: History;
}

export interface Oracle {
  readonly name: string;
  /** The faults of a finished history, one message each; empty if all is well. */
  judge?(judged: JudgedRun): readonly string[];
  /** Called once for each history; the watch sees every revision in order. */
  watch?(): OracleWatch;
}

export interface OracleWatch {
  /** A message about a fault at this revision; undefined if all is well. */
  see?(view: StateView): string | undefined;
  /** A message about a state that never came, asked at the end of the history. */
  finish?(view: StateView): string | undefined;
}
