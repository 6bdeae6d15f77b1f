/**
 * Turns the body of a request into the bytes that are sent. From request.ts; values that JSON cannot say are errors
 * that name their place.
 */
import { escapedAsGo } from "../../api/go-quote.js";
import { messageOf } from "../../base/index.js";

/** `title` names the request, for errors. Bytes are sent as they are. */
export function bodyBytes(body: unknown, title: string): Uint8Array {
  if (body instanceof Uint8Array) return body;
  let text: string;
  try {
    text = JSON.stringify(body);
  } catch (error) {
    throw new TypeError(`${title}: the object cannot be sent as JSON: ${messageOf(error)}`, { cause: error });
  }
  // JSON writes NaN as null, for which a server would take its default
  if (text.includes("null")) refuseNonNumbers(body, title);
  // what a server keeps as bytes, such as a ControllerRevision's data, must look as if it had written it itself
  return Buffer.from(escapedAsGo(text));
}

function refuseNonNumbers(value: unknown, title: string, path: readonly string[] = []): void {
  if (typeof value === "number" && !Number.isFinite(value))
    throw new TypeError(`${title}: ${path.join(".")} is ${value}, which is no number in JSON`);
  if (typeof value !== "object" || value === null) return;
  for (const [name, member] of Object.entries(value)) refuseNonNumbers(member, title, [...path, name]);
}
