/** The context that all parts of the simulated nodes share. */
import type { Node, Pod } from "../api/index.js";
import type { Clock, Logger, Random } from "../base/index.js";
import type { Client } from "../client/index.js";
import type { EventRecorder } from "../controller/index.js";
import type { ReadonlyStore } from "../informer/index.js";
import type { BehaviourRule } from "./pod/behaviour.js";

/** The kubelet ports of nodes. */
export interface NodePorts {
  /** The host name under which they can be reached. */
  readonly host: string;
  /** Opens a node's port, if it is not open; undefined if that is not possible. */
  open(node: string): Promise<number | undefined>;
  close(node: string): Promise<void>;
}

export interface NodeContext {
  readonly client: Client;
  readonly nodes: ReadonlyStore<Node>;
  readonly pods: ReadonlyStore<Pod>;
  readonly recorder: EventRecorder;
  readonly rules: readonly BehaviourRule[];
  /** The factor by which pods live faster than the clock. */
  readonly speed: number;
  /** Whether the outcome of simple commands is predicted. */
  readonly followCommands: boolean;
  /** Whether nodes remove the taint of new nodes themselves. */
  readonly untaint: boolean;
  /** Undefined if nodes have no port. */
  readonly ports: NodePorts | undefined;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
}
