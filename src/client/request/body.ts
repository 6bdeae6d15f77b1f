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
  const wrong = text.includes("null") ? nonNumber(body) : undefined;
  if (wrong !== undefined) {
    throw new TypeError(`${title}: ${wrong.path.join(".")} is ${wrong.value}, which is no number in JSON`);
  }
  // a value that a server keeps as bytes, such as a ControllerRevision's data, must look as if the server had written it
  return Buffer.from(escapedAsGo(text));
}

interface NonNumber {
  readonly path: readonly string[];
  readonly value: number;
}

/** The first NaN or infinity. Most bodies with a null have none, so the path to it is made on the way back. */
function nonNumber(value: unknown): NonNumber | undefined {
  if (typeof value === "number") return Number.isFinite(value) ? undefined : { path: [], value };
  if (typeof value !== "object" || value === null) return undefined;
  for (const name of Object.keys(value)) {
    const found = nonNumber((value as Record<string, unknown>)[name]);
    if (found !== undefined) return { ...found, path: [name, ...found.path] };
  }
  return undefined;
}
