/** How much a server may send, so that no answer fills the memory. From ClientOptions; to the code that reads answers. */
import { ConnectionError } from "../failure.js";

export interface AnswerLimits {
  /** One object of a list or a watch, or one line of a log: 32 MiB unless it is said. Servers store objects of 1.5 MiB at most. */
  readonly objectBytes: number;
  /** An answer that is read as a whole, such as an object, an error or a discovery document: 64 MiB unless it is said. */
  readonly answerBytes: number;
  /** A list with all its pages: 2 GiB unless it is said. */
  readonly listBytes: number;
}

const mebibyte = 1024 * 1024;

export const defaultLimits: AnswerLimits = {
  objectBytes: 32 * mebibyte,
  answerBytes: 64 * mebibyte,
  listBytes: 2048 * mebibyte,
};

/** `what` of an answer is larger than the limit of that name allows. */
export function oversized(what: string, limit: keyof AnswerLimits, bytes: number): ConnectionError {
  return new ConnectionError("oversized", `${what} has more than ${bytes} bytes, the client's limits.${limit}`);
}
