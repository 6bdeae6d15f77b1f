/** Converts Events between events.k8s.io/v1 and core/v1, two sets of names for one object. core/v1 is stored. */
import type { Event, EventsV1Event, KubeObject } from "../../api/index.js";
import type { Conversion } from "../contracts/endpoint.js";
import { convert } from "./convert.js";

export const eventConversion: Conversion = {
  toStorage(object: KubeObject): KubeObject {
    const { note, regarding, deprecatedSource, deprecatedFirstTimestamp, deprecatedLastTimestamp, ...event } =
      object as EventsV1Event;
    const { deprecatedCount, reportingController, ...rest } = event;
    return convert("v1", {
      ...rest,
      message: note,
      involvedObject: regarding,
      source: deprecatedSource,
      firstTimestamp: deprecatedFirstTimestamp,
      lastTimestamp: deprecatedLastTimestamp,
      count: deprecatedCount,
      reportingComponent: reportingController,
    });
  },

  fromStorage(object: KubeObject): KubeObject {
    const { message, involvedObject, source, firstTimestamp, lastTimestamp, ...event } = object as Event;
    const { count, reportingComponent, ...rest } = event;
    return convert("events.k8s.io/v1", {
      ...rest,
      note: message,
      regarding: involvedObject,
      deprecatedSource: source,
      deprecatedFirstTimestamp: firstTimestamp,
      deprecatedLastTimestamp: lastTimestamp,
      deprecatedCount: count,
      reportingController: reportingComponent,
    });
  },
};
