/** What to do about objects that are gone: nothing. */
import { isNotFound } from "../../api/index.js";

/** For `catch`: undefined if the object is not there; any other failure stays one. */
export function unlessNotFound(error: unknown): undefined {
  if (isNotFound(error)) return undefined;
  throw error;
}
