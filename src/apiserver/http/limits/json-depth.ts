/** Refuses bodies that are nested too deeply, before they are parsed. */
import { newBadRequest } from "../../../api/index.js";
import { depthComplaint } from "../../../api/decode/json-depth.js";

export function checkDepth(bytes: Uint8Array): void {
  const complaint = depthComplaint(bytes);
  if (complaint !== undefined) throw newBadRequest(complaint);
}
