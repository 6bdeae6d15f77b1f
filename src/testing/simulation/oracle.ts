/** What an oracle is: it judges a finished history, or watches every revision of one. */
import type { KubeObject, ResourceType } from "../../api/index.js";
import type { History } from "./history.js";

/** The cluster's objects as of one revision. */
export interface StateView {
  readonly revision: number;
  list<T extends KubeObject>(type: ResourceType<T>, options?: { readonly namespace?: string }): readonly T[];
  get<T extends KubeObject>(type: ResourceType<T>, name: string, namespace?: string): T | undefined;
}

export interface Judged {
  readonly history: History;
  /** The history without faults. */
  readonly reference: History;
}

export interface Oracle {
  readonly name: string;
  /** What is wrong with a finished history, a message for each fault found; nothing if all is well. */
  judge?(judged: Judged): readonly string[];
  /** Called once for each history; the watch sees every revision in order. */
  watch?(): OracleWatch;
}

export interface OracleWatch {
  /** What is wrong as of this revision; undefined if nothing is. */
  see?(view: StateView): string | undefined;
  /** What was never right, asked at the end of the history. */
  finish?(view: StateView): string | undefined;
}
