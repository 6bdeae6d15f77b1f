/** Refuses bodies that are nested too deeply, or have very many small parts, before they are parsed. */
import { newBadRequest, newRequestEntityTooLarge } from "../../../api/index.js";
import { complaintAbout, jsonExtent, mayBeDeep } from "../../../api/decode/json-extent.js";
import { maxParts } from "../../contracts/codec.js";

/** Throws a 400 or a 413. A text that is too short to have so many parts is scanned only if it may be too deep. */
export function checkExtent(bytes: Uint8Array): void {
  if (bytes.length <= 2 * maxParts && !mayBeDeep(bytes)) return;
  const { depth, parts } = jsonExtent(bytes);
  const complaint = complaintAbout(depth);
  if (complaint !== undefined) throw newBadRequest(complaint);
  if (parts > maxParts) {
    throw newRequestEntityTooLarge(`the body has more than ${maxParts} members, objects and lists`);
  }
}
