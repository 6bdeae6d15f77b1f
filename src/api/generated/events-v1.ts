// Generated from the published Kubernetes sources by `npm run generate`. Do not edit.
import { defineResource } from "../define-resource.js";
import type { ObjectMeta } from "../object.js";
import type { ResourceType } from "../resource-type.js";
import type { MicroTime, Time } from "../scalars.js";
import type { EventSource, ObjectReference } from "./core-v1.js";

export interface Event {
  readonly apiVersion: "events.k8s.io/v1";
  readonly kind: "Event";
  readonly metadata: ObjectMeta;
  readonly eventTime: MicroTime;
  readonly series?: EventSeries;
  readonly reportingController?: string;
  readonly reportingInstance?: string;
  readonly action?: string;
  readonly reason?: string;
  readonly regarding?: ObjectReference;
  readonly related?: ObjectReference;
  readonly note?: string;
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
