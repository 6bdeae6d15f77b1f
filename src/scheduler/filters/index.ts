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

const ofNodes: readonly Filter[] = [
  unschedulableFilter,
  nodeNameFilter,
  taintFilter,
  nodeAffinityFilter,
  portsFilter,
  resourcesFilter,
];
const ofOtherPods: readonly Filter[] = [spreadFilter, podAffinityFilter];

/** The order decides which reason is told of a node that several would refuse. */
export const defaultFilters: readonly Filter[] = [...ofNodes, ...ofOtherPods];

/** With one for whom volumes must be known. */
export const filtersWith = (volumes: Filter): readonly Filter[] => [...ofNodes, volumes, ...ofOtherPods];
