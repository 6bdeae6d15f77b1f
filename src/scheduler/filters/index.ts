/** filters: the conditions that a node must satisfy, in the order in which they are asked by default. */
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

/** The filters that need no further caches, without arguments. */
export const defaultFilters: readonly Filter[] = [
  unschedulableFilter,
  nodeNameFilter,
  taintFilter,
  nodeAffinityFilter(),
  portsFilter,
  resourcesFilter(),
  spreadFilter(),
  podAffinityFilter,
];
