/** The interface of a kind of fault, and the controls by which it strikes a world. */
import type { KubeObject } from "../../api/index.js";
import type { Fault } from "../../client/index.js";
import type { EndState } from "./end-state.js";
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

/** An object that the operator has made. */
export interface Child extends Place {
  /** The bodies of the requests that made and patched it: they name the fields that the operator wants, without the fields that the server fills in. */
  readonly sent: readonly unknown[];
}

/** The members of an object's metadata in which another user leaves a mark. */
export type MarkedMember = "annotations" | "labels";

export interface Controls {
  /** The request that is struck, for faults that strike on a write or read. */
  readonly target: Target | undefined;
  /** The resource of the watch event that is struck, for faults that strike on an event. */
  readonly resource: string | undefined;
  /** Ends the struck process; it starts again after the time. */
  kill(downMs: number): void;
  /** Kills all processes and starts them at once; neither they nor their successors are shown a state before this moment. */
  startAnew(): void;
  /** The struck process does nothing for a while, and does not notice. */
  pause(ms: number): void;
  /** The wall clock of the struck process jumps. */
  jumpClock(ms: number): void;
  /** The clock of the struck process runs at this rate from now on, 1 being right; its timers follow it. */
  driftClock(rate: number): void;
  /** The struck process does not reach the server for a while, not even for its lease; its watches break. */
  partition(forMs: number): void;
  hold(options: HoldOptions): void;
  withholdBookmarks(forMs: number): void;
  cutWatches(how: "end" | "reset" | "gone"): void;
  /** The operator's writes, all or those of one resource, are refused for a while with 403. */
  refuseWrites(options: { readonly forMs: number; readonly resource?: string }): void;
  /**
   * For a while the lists of the struck process that accept any version come from a cache that lacks the changes of the
   * last `byMs`.
   */
  listOld(options: { readonly byMs: number; readonly forMs: number }): void;
  /**
   * For a while the successor of the struck process lists and watches a server that is behind by the changes of the
   * last `byMs`.
   */
  travelBack(options: { readonly byMs: number; readonly forMs: number }): void;
  /** The names of the built-in controllers of the world. */
  readonly running: ReadonlySet<string>;
  /** The objects that the operator has created so far, even if they are gone by now. */
  readonly created: readonly Child[];
  /** The objects that the scenario has created so far. */
  readonly asked: readonly Place[];
  /**
   * Lets another user act; the history's faults last at least until the action is over. With `afterScenario` it waits
   * for the end of the scenario, and of the acts that waited for it before.
   */
  somebody(does: string, act: (user: Somebody) => Promise<void>, options?: { readonly afterScenario?: boolean }): void;
}

/** The world when the operator rests. */
export interface Rest {
  readonly end: EndState;
  /** True if no key fails or was given up, and the server has refused no write of the operator since it was asked to rest. */
  readonly isWell: boolean;
}

/** Another user of the cluster. */
export interface Somebody {
  read(place: Place): Promise<KubeObject | undefined>;
  /** All objects of a kind, in all namespaces. */
  list(kind: Pick<Place, "apiVersion" | "kind">): Promise<readonly KubeObject[]>;
  remove(place: Place): Promise<void>;
  /** Gives whether the object was there. */
  patch(place: Place, patch: object, subresource?: "status"): Promise<boolean>;
  create(object: KubeObject): Promise<void>;
  sleep(ms: number): Promise<void>;
  /** Waits until the operator has written nothing for long; gives the state that is then there, or undefined if it goes on for too long. */
  settled(): Promise<Rest | undefined>;
  /** Tells that two ways to the same desired state have led to different ends: the history fails if nothing else has struck. */
  contradicts(contradiction: string): void;
  /** Puts an annotation or label on an object, which must stay there for as long as the object does. */
  mark(place: Place, member: MarkedMember): Promise<void>;
  /** Makes an object of its own, which must stay as it is. It is no part of the end state. */
  add(object: KubeObject): Promise<void>;
  /** Tells of harm that was done to a belonging: the history fails. */
  complains(harm: string): void;
  /** Adds a line to the record. */
  says(text: string): void;
}

/** The facts of the history without faults by which kinds of faults are chosen. */
export interface ReferenceFacts {
  /** The objects that the scenario or the operator created. */
  readonly asked: readonly Place[];
  readonly created: readonly Place[];
  /** True if the operator used leases. */
  readonly hasLeases: boolean;
}

export interface FaultKind extends PlannableFault {
  /** A built-in controller without which no operator could answer the fault; the kind is left out of worlds that lack it. */
  readonly needs?: string;
  /** False for operators and scenarios on which the kind has no effect; the search then leaves it out. */
  readonly fits?: (reference: ReferenceFacts) => boolean;
  /** One sentence, for documents and stories. */
  readonly about: string;
  /** Strikes. For a moment at a write or read, gives the fate of that exchange. */
  strike(fault: PlannedFault, controls: Controls): Strike | undefined;
}

export const placeNamed = ({ apiVersion, kind, metadata }: KubeObject): Place => ({
  apiVersion,
  kind,
  namespace: metadata.namespace ?? "",
  name: metadata.name,
});

export const describePlace = ({ kind, namespace, name }: Place): string =>
  `${kind} ${namespace === "" ? name : `${namespace}/${name}`}`;

/** The element at a share from 0 to 1 of a list. */
export const chosen = <T>(list: readonly T[], choice = 0): T | undefined =>
  list[Math.min(list.length - 1, Math.floor(choice * list.length))];
