/** The context that all parts of the simulated nodes share. */
import type { Node, Pod } from "../api/index.js";
import type { Clock, Logger, Random } from "../base/index.js";
import type { Client } from "../client/index.js";
import type { EventRecorder } from "../controller/index.js";
import type { ReadonlyStore } from "../informer/index.js";
import type { BehaviourRule } from "./pod/behaviour.js";

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
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
}
