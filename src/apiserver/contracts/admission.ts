/**
 * Admission: decisions about a write that need more than the object itself. The registry asks the plug-ins between
 * defaulting and storing.
 */
import type { GroupVersionKind, GroupVersionResource, KubeObject } from "../../api/index.js";
import type { Cooperative } from "../../base/index.js";
import type { UserInfo } from "./user.js";

export interface AdmissionRequest {
  readonly operation: "CREATE" | "UPDATE" | "DELETE" | "CONNECT";
  readonly resource: GroupVersionResource;
  readonly subresource: string;
  readonly kind: GroupVersionKind;
  readonly namespace: string;
  readonly name: string;
  /** Absent for DELETE. */
  readonly object?: KubeObject;
  /** Absent for CREATE. */
  readonly old?: KubeObject;
  readonly options: KubeObject | undefined;
  readonly user: UserInfo;
  readonly dryRun: boolean;
  /** For plug-ins that may work for long: they pause when it is due, and then give a promise. */
  readonly slice: Cooperative;
  /** The rounds of hooks in this write. */
  readonly rounds: Rounds;
  warn(text: string): void;
  /** Undefined if no audit event is made. */
  readonly annotate?: Annotate | undefined;
}

/**
 * Adds to the audit event of the request; with the level "Request", only if the event has the request's object. The
 * first value of a key stays.
 */
export type Annotate = (key: string, value: string, level?: "Request") => void;

/** Decides which hooks of a write are asked again because others changed the object after them. */
export interface Rounds {
  /** Zero, and one when every plug-in is run once more. */
  readonly number: number;
  /** True if every plug-in has to be run once more. */
  next(): boolean;
  mayAsk(hook: string): boolean;
  /** Call it before the hooks of one plug-in are asked. */
  enter(object: KubeObject): void;
  /** Call it when all hooks of one plug-in have answered. */
  leave(object: KubeObject): void;
  /** `reinvocable`: the hook wants to be asked again if the object changes later. */
  asked(hook: string, outcome: { readonly changed: boolean; readonly reinvocable: boolean }): void;
}

/**
 * One plug-in. `mutate` gives the object to go on with (the same one if nothing changes); `validate` throws a
 * StatusError to refuse. Both may wait (webhooks), so the state that they read can be stale when the write commits; the
 * commit's expectation catches a change of the object itself. A plug-in that reads only memory returns plain values, so
 * that a write without webhooks stays synchronous.
 */
export interface AdmissionPlugin {
  readonly name: string;
  mutate?(request: AdmissionRequest & { readonly object: KubeObject }): KubeObject | Promise<KubeObject>;
  validate?(request: AdmissionRequest): void | Promise<void>;
}
