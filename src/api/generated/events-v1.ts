// Generated from the published Kubernetes sources by `npm run generate`. Do not edit.
import { defineResource } from "../define-resource.js";
import type { ObjectMeta } from "../object.js";
import type { ResourceType } from "../resource-type.js";
import type { MicroTime, Time } from "../scalars.js";
import type { EventSource, ObjectReference } from "./core-v1.js";

/** A note that something happened to an object. Kept for a while only. */
export interface Event {
  readonly apiVersion: "events.k8s.io/v1";
  readonly kind: "Event";
  readonly metadata: ObjectMeta;
  /** When it first happened. */
  readonly eventTime: MicroTime;
  /** That it went on happening. */
  readonly series?: EventSeries;
  /** The component that reports it. */
  readonly reportingController?: string;
  readonly reportingInstance?: string;
  /** The action that was taken or failed. */
  readonly action?: string;
  /** One word for what happened. */
  readonly reason?: string;
  /** The object that it is about. */
  readonly regarding?: ObjectReference;
  /** Another object that it is about. */
  readonly related?: ObjectReference;
  /** A description of the occurrence, for people. */
  readonly note?: string;
  /** Normal or Warning. */
  readonly type?: string;
  readonly deprecatedSource?: EventSource;
  readonly deprecatedFirstTimestamp?: Time;
  readonly deprecatedLastTimestamp?: Time;
  readonly deprecatedCount?: number;
}
export const Event: ResourceType<Event> = /* @__PURE__ */ defineResource<Event>({ group: "events.k8s.io", version: "v1", kind: "Event", plural: "events", scope: "Namespaced", shortNames: ["ev"] });

export interface EventSeries {
  readonly count: number;
  readonly lastObservedTime: MicroTime;
}
