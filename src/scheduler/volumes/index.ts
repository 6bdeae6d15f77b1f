/** volumes: the conditions on a pod's volumes that a node must satisfy, in the order in which they are asked. */
import type { Filter } from "../filters/filter.js";
import type { VolumeView } from "./needs.js";
import { volumeAccessFilter } from "./volume-access.js";
import { volumeFilter } from "./volume-filter.js";
import { volumeLimitsFilter } from "./volume-limits.js";
import { zoneFilter } from "./volume-zone.js";

export const volumeFilters = (view: VolumeView): readonly Filter[] => [
  volumeAccessFilter(view),
  volumeLimitsFilter(view),
  volumeFilter(view),
  zoneFilter(view),
];
