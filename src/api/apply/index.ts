/** apply: what server-side apply tells its clients, as data. */
export { applyConflicts, type FieldConflict } from "./conflicts.js";
export { extractOwned, fieldManagers, type OwnedBy } from "./owned-fields.js";
