/** A body that tells when it has been read to its end, or is read no further. */
import type { Answer } from "../../contracts/answer.js";
import type { HttpBody } from "../../../base/index.js";

/** `ended` is called once, after the last piece, an error, or the reader's end. */
export function endingWith(body: AsyncIterable<Uint8Array>, ended: () => void): AsyncIterable<Uint8Array> {
  return {
    [Symbol.asyncIterator]() {
      const inner = body[Symbol.asyncIterator]();
      return {
        async next() {
          try {
            const result = await inner.next();
            if (result.done) ended();
            return result;
          } catch (error) {
            ended();
            throw error;
          }
        },
        async return() {
          ended();
          await inner.return?.();
          return { done: true, value: undefined };
        },
      };
    },
  };
}

/** The answer of the work. `over` is called once: when the work has failed, or with the end of the answer's body. */
export async function untilEnd(work: Promise<Answer>, over: () => void): Promise<Answer> {
  let answer: Answer;
  try {
    answer = await work;
  } catch (error) {
    over();
    throw error;
  }
  if (!(answer.body instanceof Uint8Array)) return { ...answer, body: endingWith(answer.body, over) };
  over();
  return answer;
}

/** Ends a body that nobody will read, as that of an answer to HEAD, so that its seat and its sources are freed. */
export async function leaveUnread(body: HttpBody): Promise<void> {
  if (!(body instanceof Uint8Array)) await body[Symbol.asyncIterator]().return?.();
}
