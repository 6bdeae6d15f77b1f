/** Answers to the questions that every open page repeats, whatever it shows: made once for all pages that ask within a second. */
import { Recent } from "../../base/index.js";
import { JsonBody } from "./answer.js";

const sharedMs = 1_000;

export class SharedAnswers {
  readonly #answers = new Recent<string, { readonly body: JsonBody; readonly at: number }>({ weight: 8 });

  /** The answer to the question of this name, which is at most a second older than `now`. */
  get(name: string, now: number, make: () => unknown): JsonBody {
    const known = this.#answers.get(name);
    if (known !== undefined && now - known.at < sharedMs) return known.body;
    const body = new JsonBody(make());
    this.#answers.set(name, { body, at: now });
    return body;
  }
}
