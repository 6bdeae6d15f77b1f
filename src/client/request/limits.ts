/** Limits on the size of a server's answers, so that none fills the memory. */
import { ConnectionError } from "../failure.js";

export interface AnswerLimits {
  /** One object of a list or a watch, or one line of a log: 32 MiB by default. Servers store objects of at most 1.5 MiB. */
  readonly objectBytes: number;
  /** An answer that is read as a whole, such as an object, an error or a discovery document: 64 MiB by default. */
  readonly answerBytes: number;
  /** A list with all its pages: 2 GiB by default. */
  readonly listBytes: number;
}

const mebibyte = 1024 * 1024;

export const defaultLimits: AnswerLimits = {
  objectBytes: 32 * mebibyte,
  answerBytes: 64 * mebibyte,
  listBytes: 2048 * mebibyte,
};

/** The error for an answer (`what`) that is larger than the named limit. */
export function oversized(what: string, limit: keyof AnswerLimits, bytes: number): ConnectionError {
  return new ConnectionError("oversized", `${what} has more than ${bytes} bytes, the client's limits.${limit}`);
}
