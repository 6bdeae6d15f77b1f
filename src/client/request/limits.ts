/** Limits on the size of a server's answers, so that none fills the memory. */
import { ConnectionError } from "../failure.js";

export interface AnswerLimits {
  /** One object of a list or a watch, or one line of a log: 32 MiB by default. Servers store objects of at most 1.5 MiB. */
  readonly objectBytes: number;
  /** An answer that is read as a whole, such as an object, an error or a discovery document: 64 MiB by default. */
  readonly answerBytes: number;
  /** A list with all its pages, also one that a watch begins with: 2 GiB by default. An item counts as 256 bytes at least. */
  readonly listBytes: number;
}

const mebibyte = 1024 * 1024;

export const defaultLimits: AnswerLimits = {
  objectBytes: 32 * mebibyte,
  answerBytes: 64 * mebibyte,
  listBytes: 2048 * mebibyte,
};

/** An object takes memory, however short its JSON is; no object of a real server is shorter. */
const leastItemBytes = 256;

/** Counts the parts of a list; throws when they are together more than `limits.listBytes`. */
export class ListBytes {
  readonly #limit: number;
  #sum = 0;

  constructor({ listBytes }: Pick<AnswerLimits, "listBytes">) {
    this.#limit = listBytes;
  }

  get sum(): number {
    return this.#sum;
  }

  add(bytes: number, items: number): void {
    this.#sum += Math.max(bytes, items * leastItemBytes);
    if (this.#sum > this.#limit) throw oversized("the list", "listBytes", this.#limit);
  }
}

/** The error for an answer (`what`) that is larger than the named limit. */
export function oversized(what: string, limit: keyof AnswerLimits, bytes: number): ConnectionError {
  return new ConnectionError("oversized", `${what} has more than ${bytes} bytes, the client's limits.${limit}`);
}
