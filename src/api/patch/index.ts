/** Patches: takes documents as readonly data; gives changed documents, and patches made from two or three documents. */
export type { Json, JsonObject } from "./json.js";
export {
  applyJsonPatch,
  type JsonPatchOperation,
  type JsonPatchOptions,
} from "./json-patch.js";
export { createJsonPatch } from "./json-patch-create.js";
export { formatJsonPointer, parseJsonPointer } from "./json-pointer.js";
export {
  applyMergePatch,
  createMergePatch,
  createThreeWayMergePatch,
  type MergePatchOptions,
  type ThreeWayDocuments,
} from "./merge-patch.js";
export { PatchError, type PatchFailure } from "./patch-error.js";
export { type PatchField, type PatchSchema, patchSchemaOf, type PatchTypes } from "./patch-schema.js";
export { createStrategicMergePatch, createThreeWayStrategicMergePatch } from "./strategic-create.js";
export { applyStrategicMergePatch } from "./strategic-merge.js";
