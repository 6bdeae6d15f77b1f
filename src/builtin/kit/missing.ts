/** What to do about objects that are gone: nothing. */
import { isNotFound } from "../../api/index.js";

/** For `catch`: gives undefined if the object does not exist, and throws any other error. */
export function unlessNotFound(error: unknown): undefined {
  if (isNotFound(error)) return undefined;
  throw error;
}
