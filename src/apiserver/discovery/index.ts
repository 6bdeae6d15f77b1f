/** discovery: the documents about the served groups and kinds, which clients read first. Pure: takes groups, gives plain data. */
export { aggregatedDiscovery, aggregatedMediaType } from "./aggregated.js";
export { builtInGroups, isBuiltInGroup } from "./built-in.js";
export {
  apiGroup,
  apiGroupList,
  apiResourceList,
  apiVersions,
} from "./legacy.js";
export { mergedGroups, type RemoteServed } from "./merged.js";
export { groupPriority, versionPriority } from "./priorities.js";
