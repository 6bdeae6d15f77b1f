/** Takes the error of a request, and gives undefined if it only says that the object is gone. */
import { isNotFound } from "../../api/index.js";

/** For `catch`: gives undefined if the object does not exist, and throws any other error. */
export function unlessNotFound(error: unknown): undefined {
  if (isNotFound(error)) return undefined;
  throw error;
}
