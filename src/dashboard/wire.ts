/** The data that travels to the page, as JSON: shared by the server side and the web side. Times are milliseconds since the epoch. */
import type { ControllerFigures, JournalEntry, KeyPage } from "../controller/index.js";
import type { HandlerState } from "../informer/index.js";
import type { Leadership } from "./sources.js";

/** One informer: the way of one kind from the server to its listeners. */
export interface Lane {
  readonly id: string;
  /** "" for the process's own cluster. */
  readonly cluster: string;
  readonly kind: string;
  /** `apps/v1/deployments`. */
  readonly resource: string;
  /** The selection of objects, if it is not all of them. */
  readonly scope: string;
  readonly phase: string;
  /** The error of the last list or watch, until the next success. */
  readonly problem?: string;
  readonly hasSynced: boolean;
  /** The revision that the reflector has read, and the one that the cache shows. */
  readonly revision: string;
  readonly storeRevision: string;
  readonly lists: number;
  readonly watches: number;
  readonly events: number;
  readonly failures: number;
  /** The bytes of all objects that have come from the server; absent if they are not counted. */
  readonly bytesRead?: number;
  readonly lastEventAt?: number;
  readonly lastBookmarkAt?: number;
  /** Deltas that wait in the FIFO. */
  readonly queued: number;
  readonly objects: number;
  readonly bytes: number;
  readonly indices: readonly string[];
  readonly listeners: readonly HandlerState[];
}

/** One controller's queue and workers. */
export interface ControllerLine extends ControllerFigures {
  /** Failed runs among those of this controller that the journal remembers or has told of since the page was opened. */
  readonly lastError?: { readonly key: string; readonly message: string; readonly at: number };
}

/** A reconcile in one line. */
export interface RunLine {
  readonly controller: string;
  readonly key: string;
  readonly run: number;
  readonly startedAt: number;
  readonly waitedMs: number;
  readonly durationMs: number;
  readonly result: JournalEntry["result"]["type"];
  /** The first reason, for people. */
  readonly because: string;
  /** Changes of objects that woke it, as `Kind key@revision`. */
  readonly wokenBy: readonly string[];
  /** The first writes that changed something, in the same form, and their times. */
  readonly wrote: readonly { readonly change: string; readonly at: number }[];
  /** The number of writes that changed something. */
  readonly writes: number;
}

export interface ProcessLine {
  readonly title: string;
  readonly version: string;
  readonly startedAt: number;
  readonly rssBytes: number;
  readonly heapBytes: number;
  /** The longest delay of the event loop in the last second. */
  readonly lagMs: number;
  readonly cpuPercent: number;
  readonly problems: readonly string[];
  readonly leadership?: Leadership;
  /** False if this process has no client with which objects could be read. */
  readonly hasObjects: boolean;
}

/** The fields of a line that have changed; null is a field, or a line, that is gone. */
export type LineChange<Line> = { readonly [Name in keyof Line]?: Line[Name] | null } | null;

/** One message of the stream: the whole state, or only its changes. An absent member has not changed. */
export interface Frame {
  readonly at: number;
  readonly whole: boolean;
  readonly lanes?: Readonly<Record<string, LineChange<Lane>>>;
  readonly controllers?: Readonly<Record<string, LineChange<ControllerLine>>>;
  readonly process?: ProcessLine;
  /** The newest reconciles, oldest first. */
  readonly runs?: readonly RunLine[];
  /** Reconciles that were too many for this frame. */
  readonly omittedRuns?: number;
}

/** The controllers at a moment of the past, by the journal. */
export interface PastState {
  readonly controllers: readonly ControllerLine[];
  /** The newest reconciles that had begun then, oldest first. */
  readonly runs: readonly RunLine[];
  /** The start of the oldest reconcile that the journal remembers; absent if it remembers none. */
  readonly since?: number;
}

export interface KeysAnswer extends KeyPage {
  readonly at: number;
  /** The place of the first row among all that match. */
  readonly offset: number;
}

export interface KindLine {
  readonly resource: string;
  readonly kind: string;
  readonly group: string;
  readonly namespaced: boolean;
  readonly custom: boolean;
}

export interface TableAnswer {
  readonly columns: readonly { readonly name: string; readonly wide: boolean; readonly about: string }[];
  readonly rows: readonly TableRow[];
  readonly revision: string;
  /** Objects that were left out because there are too many. */
  readonly more: number;
}

interface TableRow {
  readonly namespace: string;
  readonly name: string;
  readonly cells: readonly (string | number | boolean | null)[];
}

/** An object on the page: enough to name it and to ask for it. */
export interface ObjectLink {
  readonly kind: string;
  readonly resource: string;
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
}

export interface TreeNode extends ObjectLink {
  /** A word or two about its state, and whether that is good, in progress or bad. */
  readonly state: string;
  readonly tone: Tone;
  readonly children: readonly TreeNode[];
  /** Children that were left out because there are too many. */
  readonly more: number;
}

export type Tone = "good" | "busy" | "bad" | "none";

export interface EventLine {
  readonly at: number;
  readonly type: string;
  readonly reason: string;
  readonly message: string;
  readonly source: string;
  readonly count: number;
  readonly about: ObjectLink;
}

/** A change of an object: who wrote it, and what. */
export interface Revision {
  readonly revision: string;
  readonly at: number;
  readonly fields: readonly string[];
  /** The controller or field manager; "" if it is not known. */
  readonly writer: string;
  /** The run that wrote it, if it was a run of this process. */
  readonly run?: number;
  /** True if the write created the object. */
  readonly isCreation?: boolean;
  /** The differences from the revision before; absent if the server does not remember it any more. */
  readonly changes?: readonly FieldChange[];
  /** Differences that were left out because there are too many. */
  readonly omittedChanges?: number;
}

/** A difference of one field; an absent side means that the field was not there. Values are JSON, clipped if they are long. */
export interface FieldChange {
  readonly path: string;
  readonly before?: string;
  readonly after?: string;
}

export interface WhyAnswer {
  readonly object: ObjectLink;
  /** Undefined if the object is gone, or must not be read. */
  readonly manifest?: unknown;
  readonly problem?: string;
  /** The troubles that the object tells of itself, in sentences. */
  readonly troubles: readonly string[];
  /** The topmost owner with everything below it, the object among them. */
  readonly family?: TreeNode;
  /** The reason why the family may lack members. */
  readonly familyProblem?: string;
  readonly revisions: readonly Revision[];
  /** The reason why revisions before the oldest one are not shown, unless that one created the object. */
  readonly revisionsProblem?: string;
  readonly events: readonly EventLine[];
  /** The reason why events cannot be shown. */
  readonly eventsProblem?: string;
  readonly chain: Chain;
}

/** Reconciles that caused each other: a link leads from a run to another one that it woke by a write. */
export interface Chain {
  readonly runs: readonly ChainRun[];
  readonly links: readonly ChainLink[];
}

export interface ChainRun extends JournalEntry {
  readonly id: string;
}

export interface ChainLink {
  /** The run that the change goes back to, if it is remembered. */
  readonly from?: string;
  /** `wrote`: that run wrote this very revision. `created`: it created the object, which somebody else has changed since. */
  readonly how: "wrote" | "created";
  readonly to: string;
  readonly kind: string;
  readonly key: string;
  readonly revision: string;
}

export interface ClusterMap {
  readonly nodes: readonly MapNode[];
  /** Nodes that were left out because there are too many: those in trouble are not among them as long as there is room. */
  readonly nodesMore: number;
  /** Pods without a node. */
  readonly unassigned: readonly MapPod[];
  readonly unassignedMore: number;
  readonly workloads: readonly Workload[];
  /** Workloads that were left out because there are too many. */
  readonly workloadsMore: number;
  /** Pods that were not read, because this process does not cache them and there are too many. */
  readonly podsMore: number;
  readonly revision: string;
}

/** A workload and its rollout: the pods that it wants, its pods of the newest template, and its ready pods. Of a Job: its completions. */
export interface Workload extends ObjectLink {
  readonly wanted: number;
  readonly updated: number;
  readonly ready: number;
  readonly tone: Tone;
}

export interface MapNode {
  readonly name: string;
  readonly isReady: boolean;
  readonly isCordoned: boolean;
  readonly capacity: number;
  readonly pods: readonly MapPod[];
  /** All of its pods by their state, also the pods that are left out. */
  readonly counts: PodCounts;
  /** Pods that were left out because there are too many. */
  readonly more: number;
}

export interface PodCounts {
  readonly good: number;
  readonly busy: number;
  readonly bad: number;
}

export interface MapPod {
  readonly namespace: string;
  readonly name: string;
  readonly state: string;
  readonly tone: Tone;
}

/** A revision of the cluster and the time of its write. */
export interface MomentLine {
  readonly at: number;
  readonly revision: string;
}

/** A metric: its series with their labels. A histogram gives its count and sum. */
export interface NumbersAnswer {
  readonly at: number;
  readonly counters: Readonly<Record<string, readonly NumberSeries[]>>;
}

export interface NumberSeries {
  readonly labels: readonly string[];
  readonly value: number;
  readonly sum?: number;
}
