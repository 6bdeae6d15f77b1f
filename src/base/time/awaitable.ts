/** Values that seldom have to be waited for: code between them stays synchronous, and takes no turn of the event loop, unless one is a promise. */

export type Awaitable<T> = T | Promise<T>;

/** The result of `next` for the value: at once if the value is there, else when it has come. */
export function after<T, R>(value: Awaitable<T>, next: (value: T) => Awaitable<R>): Awaitable<R> {
  return value instanceof Promise ? value.then(next) : next(value);
}

/** Asks one after the other, and gives the first answer that is not undefined. */
export function firstAnswer<T, R>(
  asked: readonly T[],
  ask: (one: T) => Awaitable<R | undefined>,
): Awaitable<R | undefined> {
  const from = (start: number): Awaitable<R | undefined> => {
    for (const [index, one] of asked.entries()) {
      if (index < start) continue;
      const answer = ask(one);
      if (answer instanceof Promise) return answer.then((late) => late ?? from(index + 1));
      if (answer !== undefined) return answer;
    }
    return undefined;
  };
  return from(0);
}
