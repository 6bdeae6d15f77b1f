/** Answers to the questions that every open page repeats, whatever it shows: made once for all pages that ask within a second. */
import { JsonBody } from "./answer.js";

const sharedMs = 1_000;
/** A page asks two of them. */
const mostAnswers = 8;

/** Invariant: at most `mostAnswers` answers are kept, the oldest of which goes first. */
export class SharedAnswers {
  readonly #answers = new Map<string, { readonly body: JsonBody; readonly at: number }>();

  /** The answer to the question of this name, which is at most a second older than `now`. */
  get(name: string, now: number, make: () => unknown): JsonBody {
    const known = this.#answers.get(name);
    if (known !== undefined && now - known.at < sharedMs) return known.body;
    const body = new JsonBody(make());
    this.#answers.delete(name);
    this.#answers.set(name, { body, at: now });
    const [oldest] = this.#answers.keys();
    if (this.#answers.size > mostAnswers && oldest !== undefined) this.#answers.delete(oldest);
    return body;
  }
}
