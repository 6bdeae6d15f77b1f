/** conversion: built-in kinds that are served in more than one version. To the registry, by `apiVersion Kind`. */
import type { Conversion } from "../registry/built-in.js";
import { autoscalerConversion } from "./autoscalers.js";
import { eventConversion } from "./events.js";

export const builtInConversions: ReadonlyMap<string, Conversion> = new Map([
  ["events.k8s.io/v1 Event", eventConversion],
  ["autoscaling/v1 HorizontalPodAutoscaler", autoscalerConversion],
]);
