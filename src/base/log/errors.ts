/** Turns errors into text: a message for a sentence, or stacks with causes. */
import { inspect } from "node:util";

/**
 * The message of an error, or its name if the message is empty; any other thrown value as text. The SuppressedError of a
 * block whose clean-up failed too tells nothing itself: the message is that of the first error, and of the clean-up's
 * if it is another.
 */
export function messageOf(error: unknown): string {
  const both = suppressedIn(error);
  if (both !== undefined) {
    const [first, later] = both.map(messageOf);
    return first === later ? `${first}` : `${first} (and the clean-up failed: ${later})`;
  }
  if (error instanceof Error) return error.message || error.name;
  return typeof error === "string" ? error : inspect(error, { depth: 2, breakLength: Number.POSITIVE_INFINITY });
}

/** The error itself; any other thrown value as an error that shows it, and has it as its cause. */
export function asError(thrown: unknown): Error {
  return thrown instanceof Error ? thrown : new Error(`${messageOf(thrown)} was thrown`, { cause: thrown });
}

/** The message, followed by the messages of its causes that are not part of it already. */
export function messageWithCauses(error: unknown): string {
  let told = "";
  for (const at of chainOf(error)) {
    const text = messageOf(at);
    if (!told.includes(text)) told = told === "" ? text : `${told}: ${text}`;
  }
  return told;
}

export interface StackOptions {
  /** Leaves out the stack frames of Node and of packages, except the first frame, where the error began. */
  readonly folded?: boolean;
}

/**
 * Lines of text: name and message, the frames, and the same for each cause and for each error in an AggregateError.
 * Frames come from the engine, so with `--enable-source-maps` they name the source lines. A line feed in a message does
 * not begin a new line.
 */
export function stackOf(error: unknown, { folded = false }: StackOptions = {}): readonly string[] {
  const lines: string[] = [];
  for (const [depth, at] of chainOf(error).entries()) {
    lines.push(`${depth === 0 ? "" : "caused by "}${oneLine(titleOf(at))}`);
    const frames = framesOf(at);
    lines.push(...(folded ? foldedFrames(frames) : frames));
    for (const joined of joinedIn(at)) lines.push(...stackOf(joined, { folded }).map((line) => `  ${line}`));
  }
  return lines;
}

/** Limits for chains of causes, which may be circular, and for joined errors. */
const longestChain = 8;
const mostJoined = 4;

function chainOf(error: unknown): readonly unknown[] {
  const chain: unknown[] = [];
  let at: unknown = error;
  while (chain.length < longestChain && (chain.length === 0 || at !== undefined)) {
    chain.push(at);
    at = at instanceof Error ? at.cause : undefined;
  }
  return chain;
}

function joinedIn(error: unknown): readonly unknown[] {
  const both = suppressedIn(error);
  if (both !== undefined) return both;
  return error instanceof AggregateError ? (error.errors as readonly unknown[]).slice(0, mostJoined) : [];
}

/** The error of a block and that of its clean-up, in this order; undefined for other errors. */
function suppressedIn(error: unknown): readonly [unknown, unknown] | undefined {
  // known by its name: compilers bring a SuppressedError of their own where the engine has none
  if (!(error instanceof Error) || error.name !== "SuppressedError" || !("suppressed" in error)) return undefined;
  return [error.suppressed, "error" in error ? error.error : undefined];
}

function titleOf(error: unknown): string {
  return error instanceof Error ? `${error.name}: ${error.message}` : messageOf(error);
}

function framesOf(error: unknown): readonly string[] {
  const stack: unknown = error instanceof Error ? error.stack : undefined;
  if (typeof stack !== "string") return [];
  return stack
    .split("\n")
    .filter((line) => /^\s+at /.test(line))
    .map((line) => `  ${oneLine(line.trim())}`);
}

const foreign = /\bnode:|\/node_modules\//;

function foldedFrames(frames: readonly string[]): readonly string[] {
  const shown = frames.filter((frame, index) => index === 0 || !foreign.test(frame));
  const hidden = frames.length - shown.length;
  return hidden === 0 ? shown : [...shown, `  … and ${hidden} of Node and packages`];
}

/** A line feed in a text must not begin a new line, which could be taken for another entry. */
export function oneLine(text: string): string {
  return /\p{Cc}/u.test(text) ? JSON.stringify(text) : text;
}
