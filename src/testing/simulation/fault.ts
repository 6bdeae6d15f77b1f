/** The interface of a kind of fault, and the controls by which it strikes a world. */
import type { KubeObject } from "../../api/index.js";
import type { Fault } from "../../client/index.js";
import type { PlannableFault, PlannedFault } from "./plan.js";
import type { Target } from "./record.js";

/** The fate of one exchange: a fault of the network, or the death of the process around it. */
export type Strike = Fault | { readonly type: "kill-before" | "kill-after"; readonly downMs: number };

export interface HoldOptions {
  /** The resource whose events are held back; undefined for all. */
  readonly resource?: string;
  readonly forMs: number;
  /** At the end of the spell the events come late, or never because the watch ends with 410 and the operator lists again. */
  readonly end: "deliver" | "gone";
}

/** An object's place, as its creator named it. */
export interface Place {
  readonly apiVersion: string;
  readonly kind: string;
  readonly namespace: string;
  readonly name: string;
}

export interface Controls {
  /** The request that is struck, for faults that strike on a write or read. */
  readonly target: Target | undefined;
  /** The resource of the watch event that is struck, for faults that strike on an event. */
  readonly resource: string | undefined;
  /** Ends the struck process; it starts again after the time. */
  kill(downMs: number): void;
  /** The struck process does nothing for a while, and does not notice. */
  pause(ms: number): void;
  /** The wall clock of the struck process jumps. */
  jumpClock(ms: number): void;
  hold(options: HoldOptions): void;
  withholdBookmarks(forMs: number): void;
  cutWatches(how: "end" | "reset" | "gone"): void;
  /** Every write of the operator is refused for a while with 403. */
  refuseWrites(forMs: number): void;
  /**
   * For a while the successor of the struck process lists and watches a server that is behind by the changes of the
   * last `byMs`.
   */
  travelBack(options: { readonly byMs: number; readonly forMs: number }): void;
  /** The objects that the operator has created so far, also those that are gone by now. */
  readonly created: readonly Place[];
  /** The objects that the scenario has created so far. */
  readonly asked: readonly Place[];
  /**
   * Lets another user act; the history's faults last at least until the action is over. With `afterScenario` it waits
   * for the end of the scenario.
   */
  somebody(does: string, act: (user: Somebody) => Promise<void>, options?: { readonly afterScenario?: boolean }): void;
}

/** Another user of the cluster. */
export interface Somebody {
  read(place: Place): Promise<KubeObject | undefined>;
  remove(place: Place): Promise<void>;
  patch(place: Place, patch: object, subresource?: "status"): Promise<void>;
  create(object: KubeObject): Promise<void>;
  sleep(ms: number): Promise<void>;
}

export interface FaultKind extends PlannableFault {
  /** A built-in controller without which no operator could answer the fault; the kind is left out of worlds that lack it. */
  readonly needs?: string;
  /** One sentence, for documents and stories. */
  readonly about: string;
  /** Strikes. For a moment at a write or read, gives the fate of that exchange. */
  strike(fault: PlannedFault, controls: Controls): Strike | undefined;
}

/** The element at a share from 0 to 1 of a list. */
export const chosen = <T>(list: readonly T[], choice = 0): T | undefined =>
  list[Math.min(list.length - 1, Math.floor(choice * list.length))];
