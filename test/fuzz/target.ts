/** The contract between the fuzzer's driver and its targets, and the checks that several targets share. */
import type { Material } from "./mutate.js";

/** A kind of input, and the code that must bear it. Opening one has no other effect; disposing frees all of it. */
export interface TargetKind {
  readonly name: string;
  /** Valid inputs, from which the others are made. */
  readonly seeds: readonly Uint8Array[];
  /** Tokens that mean something in this kind of input. */
  readonly words: readonly string[];
  /** Changes an input; by default anywhere. */
  mutate?(input: Uint8Array, material: Material): Uint8Array;
  open(): Promise<Target>;
}

/**
 * The first input of each outcome is kept for further changes, within a limit for each kind, because details may repeat
 * the input.
 */
export interface Outcome {
  readonly kind: string;
  readonly detail: string;
}

export interface Target extends AsyncDisposable {
  /** A throw is a finding. The same input always has the same outcome on a newly opened target. */
  run(input: Uint8Array): Promise<Outcome>;
}

/** A promise that the target broke, in words. */
export class Finding extends Error {
  override readonly name = "Finding";
}

/**
 * The result of the promise; a finding if it takes more turns of the event loop than any sound work. Only for work that
 * does not wait for anything outside this thread.
 */
export async function withinTurns<T>(promise: Promise<T>, what: string, turns = 20_000): Promise<T> {
  let isDone = false;
  const done = promise.finally(() => {
    isDone = true;
  });
  const late = async (): Promise<never> => {
    for (let turn = 0; turn < turns && !isDone; turn++) await new Promise<void>((resolve) => setImmediate(resolve));
    if (isDone) await done;
    throw new Finding(`${what} has not ended after ${turns} turns of the event loop`);
  };
  return Promise.race([done, late()]);
}

type ErrorClass = abstract new (...given: never[]) => Error;

/** The result of the function, or the name and shape of an allowed error; any other error is a finding. */
export function resultOr<T>(allowed: readonly ErrorClass[], run: () => T, outcomeOf: (result: T) => Outcome): Outcome {
  let result: T;
  try {
    result = run();
  } catch (error) {
    if (!(error instanceof Error) || !allowed.some((one) => error instanceof one)) throw error;
    return { kind: error.name, detail: shapeOf(error.message) };
  }
  return outcomeOf(result);
}

/** A message without its quotations and numbers, so that messages of one origin are alike. */
export function shapeOf(message: string): string {
  return message
    .replaceAll(/"(?:[^"\\]|\\.)*"|'[^']*'|`[^`]*`/g, "…")
    .replaceAll(/\d+/g, "0")
    .replaceAll(/[^\x20-\x7e…]+/g, "·")
    .slice(0, 60);
}

export const bytesOf = (text: string): Uint8Array => Buffer.from(text);

/** The input as text; bytes that are no UTF-8 are replaced. */
export const textOf = (input: Uint8Array): string => Buffer.from(input).toString();
