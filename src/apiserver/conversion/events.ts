/** Two views of one event: the stored core/v1 form and that of events.k8s.io/v1. Pure. */
import type { Event, EventsV1Event, KubeObject } from "../../api/index.js";
import type { Conversion } from "../registry/built-in.js";

export const eventConversion: Conversion = {
  toStorage(object) {
    const {
      kind,
      metadata,
      note,
      regarding,
      reportingController,
      deprecatedSource,
      deprecatedFirstTimestamp,
      deprecatedLastTimestamp,
      deprecatedCount,
      ...same
    } = object as EventsV1Event;
    return {
      ...same,
      kind,
      apiVersion: "v1",
      metadata,
      involvedObject: regarding ?? {},
      ...present("message", note),
      source: deprecatedSource ?? {},
      firstTimestamp: deprecatedFirstTimestamp ?? null,
      lastTimestamp: deprecatedLastTimestamp ?? null,
      ...present("count", deprecatedCount),
      reportingComponent: reportingController ?? "",
      reportingInstance: same.reportingInstance ?? "",
    } as unknown as KubeObject;
  },
  fromStorage(object) {
    const {
      kind,
      metadata,
      message,
      involvedObject,
      reportingComponent,
      source,
      firstTimestamp,
      lastTimestamp,
      count,
      ...same
    } = object as Event;
    const { apiVersion: _, ...rest } = same;
    return {
      kind,
      apiVersion: "events.k8s.io/v1",
      metadata,
      ...rest,
      eventTime: same.eventTime ?? null,
      ...present("reportingController", reportingComponent || undefined),
      regarding: involvedObject ?? {},
      ...present("note", message),
      deprecatedSource: source ?? {},
      deprecatedFirstTimestamp: firstTimestamp ?? null,
      deprecatedLastTimestamp: lastTimestamp ?? null,
      ...present("deprecatedCount", count),
    } as unknown as KubeObject;
  },
};

function present(name: string, value: unknown): Readonly<Record<string, unknown>> {
  return value === undefined ? {} : { [name]: value };
}
