/** filters: the conditions that a node must satisfy, in the order in which they are asked. */
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

/** The order decides which reason is reported for a node that several filters refuse. */
export const defaultFilters: readonly Filter[] = [...ofNodes, ...ofOtherPods];

export interface FurtherFilters {
  /** Filters for volumes, in their order: before those that look at other pods. */
  readonly volumes?: readonly Filter[];
  readonly devices?: Filter;
}

/** The default filters, and those that read further caches. */
export const filtersWith = ({ volumes = [], devices }: FurtherFilters): readonly Filter[] => [
  ...ofNodes,
  ...volumes,
  ...ofOtherPods,
  ...(devices ? [devices] : []),
];
