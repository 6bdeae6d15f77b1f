/** conversion: kinds that are served in two versions of different shape, between the one that is stored and the other. Pure; to the registry. */
import type { Conversion } from "../registry/built-in.js";
import { autoscalerConversion } from "./autoscaling.js";
import { eventConversion } from "./events.js";

/** By `apiVersion Kind` of the version that is not stored. */
export const builtInConversions: ReadonlyMap<string, Conversion> = new Map([
  ["events.k8s.io/v1 Event", eventConversion],
  ["autoscaling/v1 HorizontalPodAutoscaler", autoscalerConversion],
]);
