/** Takes the error of a request, and forgives it if it only says that the object is gone, or is there already. */
import { isAlreadyExists, isNotFound } from "../../api/index.js";

/** For `catch`: gives undefined if the object does not exist, and throws any other error. */
export function unlessNotFound(error: unknown): undefined {
  if (isNotFound(error)) return undefined;
  throw error;
}

/** For `catch` of a creation: gives undefined if the object exists already, and throws any other error. */
export function unlessThere(error: unknown): undefined {
  if (isAlreadyExists(error)) return undefined;
  throw error;
}
