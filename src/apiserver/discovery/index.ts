/** discovery: what is served, as the documents that clients read first. Pure: groups in, plain data out. */
export { aggregatedDiscovery, aggregatedMediaType } from "./aggregated.js";
export { builtInGroups, isBuiltInGroup } from "./built-in.js";
export {
  type ApiGroup,
  type ApiResource,
  type ApiResourceList,
  apiGroup,
  apiGroupList,
  apiResourceList,
  apiVersions,
} from "./legacy.js";
