/** An event of the cluster in one line: takes it in either of its two forms. Pure. */
import { type Event as EventObject, resourceKey, type ResourceType } from "../../api/index.js";
import type { EventLine } from "../wire.js";

export function eventLine(
  event: EventObject,
  typeOf: (apiVersion: string, kind: string) => ResourceType | undefined,
): EventLine {
  const { involvedObject: about, type = "", reason = "", message = "", source, reportingComponent, series } = event;
  const { kind = "", apiVersion = "v1", namespace = "", name = "", uid = "" } = about;
  const times = [series?.lastObservedTime, event.lastTimestamp, event.eventTime, event.metadata.creationTimestamp];
  const at = Math.max(0, ...times.map((time) => (time ? Date.parse(time) : 0)).filter((ms) => !Number.isNaN(ms)));
  const known = typeOf(apiVersion, kind);
  return {
    at,
    type,
    reason,
    message,
    source: source?.component || reportingComponent || "",
    count: series?.count ?? event.count ?? 1,
    about: { kind, resource: known === undefined ? "" : resourceKey(known), namespace, name, uid },
  };
}
