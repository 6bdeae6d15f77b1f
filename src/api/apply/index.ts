/** apply: reads the results of server-side apply (conflicts, owned fields) as data. */
export { applyConflicts, type FieldConflict } from "./conflicts.js";
export { extractOwned, fieldManagers, type OwnedBy } from "./owned-fields.js";
