/** Asks the process, or the recording that is open, for details: takes a path and its query, gives the answer, and asks again when a change is due. */
import { useEffect, useRef, useState } from "preact/hooks";
import { openedRecording } from "../recording/opened.js";

export interface Asked<T> {
  readonly answer: T | undefined;
  readonly problem: string | undefined;
  readonly isAsking: boolean;
}

export async function ask<T>(path: string, signal: AbortSignal): Promise<T> {
  const recording = openedRecording();
  if (recording !== undefined) return (await recording.answer(path)) as T;
  const response = await fetch(`./page/${path}`, { signal }).catch((error: unknown) => {
    signal.throwIfAborted();
    throw new Error("The process does not answer.", { cause: error });
  });
  const text = await response.text();
  if (response.ok) return JSON.parse(text) as T;
  throw new Error(problemIn(text) ?? `${response.status} ${response.statusText}`);
}

function problemIn(text: string): string | undefined {
  try {
    return (JSON.parse(text) as { readonly problem?: string }).problem;
  } catch {
    return text.trim() || undefined;
  }
}

/** The share of a process's time that one question may take, as a number of rests for each answer; and the longest rest. */
const restsForAnswer = 50;
const longestRestMs = 5_000;

/**
 * Asks again and again: at once at first, then whenever it is told to, at most once in `restMs`, and more seldom if the answer
 * takes long. A question that is under way is answered before the next one is asked, however often it is told to:
 * otherwise a busy process would never be seen.
 *
 * Invariant: at most one of `#timer` and `#isAsking` is set; `#isDue` only while one asks.
 */
export class Repeater {
  readonly #ask: (signal: AbortSignal) => Promise<void>;
  readonly #ended = new AbortController();
  #lastAt = Number.NEGATIVE_INFINITY;
  #tookMs = 0;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #isAsking = false;
  #isDue = false;

  /** `ask` does not reject. */
  constructor(ask: (signal: AbortSignal) => Promise<void>) {
    this.#ask = ask;
  }

  again(restMs: number): void {
    if (this.#ended.signal.aborted || this.#timer !== undefined) return;
    if (this.#isAsking) {
      this.#isDue = true;
      return;
    }
    const long = Math.max(restMs, Math.min(longestRestMs, this.#tookMs * restsForAnswer));
    this.#timer = setTimeout(() => void this.#now(restMs), Math.max(0, this.#lastAt + long - Date.now()));
  }

  end(): void {
    clearTimeout(this.#timer);
    this.#ended.abort();
  }

  async #now(restMs: number): Promise<void> {
    this.#timer = undefined;
    this.#isAsking = true;
    this.#isDue = false;
    this.#lastAt = Date.now();
    await this.#ask(this.#ended.signal);
    this.#tookMs = Date.now() - this.#lastAt;
    this.#isAsking = false;
    if (this.#isDue) this.again(restMs);
  }
}

const leastRestMs = 500;

/**
 * The answer of a path, asked again whenever `version` changes, at most twice a second, or once in `restMs`. While it asks
 * again, and when that fails, the last answer stays; another path begins with none.
 */
export function useAsk<T>(path: string | undefined, version: unknown = 0, restMs: number = leastRestMs): Asked<T> {
  const [asked, show] = useState<Asked<T> & { readonly path: string | undefined }>({ ...nothing, path });
  const repeater = useRef<Repeater>(undefined);
  useEffect(() => {
    if (path === undefined) return;
    const made = new Repeater(async (signal) => {
      try {
        const answer = await ask<T>(path, signal);
        if (!signal.aborted) show({ answer, problem: undefined, isAsking: false, path });
      } catch (error) {
        if (signal.aborted) return;
        const problem = error instanceof Error ? error.message : String(error);
        show((known) => ({ answer: known.path === path ? known.answer : undefined, problem, isAsking: false, path }));
      }
    });
    repeater.current = made;
    return () => made.end();
  }, [path]);
  useEffect(() => repeater.current?.again(restMs), [path, version]);
  return asked.path === path ? asked : { ...nothing, isAsking: path !== undefined };
}

const nothing = { answer: undefined, problem: undefined, isAsking: true } as const;
