/** filters: what a node must satisfy, in the order in which nodes are asked. */
import type { Filter } from "./filter.js";
import {
  nodeAffinityFilter,
  nodeNameFilter,
  portsFilter,
  resourcesFilter,
  taintFilter,
  unschedulableFilter,
} from "./node-filters.js";
import { podAffinityFilter } from "./pod-affinity-filter.js";
import { spreadFilter } from "./spread-filter.js";

/** The order decides which reason is told of a node that several would refuse. */
export const defaultFilters: readonly Filter[] = [
  unschedulableFilter,
  nodeNameFilter,
  taintFilter,
  nodeAffinityFilter,
  portsFilter,
  resourcesFilter,
  spreadFilter,
  podAffinityFilter,
];
