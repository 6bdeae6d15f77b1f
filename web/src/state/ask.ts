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
  const response = await fetch(`./page/${path}`, { signal });
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

const restMs = 500;

/**
 * The answer of a path, asked again whenever `version` changes, at most twice a second. While it asks again, and when that
 * fails, the last answer stays; another path begins with none.
 */
export function useAsk<T>(path: string | undefined, version: unknown = 0): Asked<T> {
  const [asked, show] = useState<Asked<T> & { readonly path: string | undefined }>({ ...nothing, path });
  const lastAt = useRef(0);
  useEffect(() => {
    if (path === undefined) return;
    const ended = new AbortController();
    const waitMs = Math.max(0, lastAt.current + restMs - Date.now());
    const timer = setTimeout(() => {
      lastAt.current = Date.now();
      ask<T>(path, ended.signal).then(
        (answer) => show({ answer, problem: undefined, isAsking: false, path }),
        (error: unknown) => {
          if (ended.signal.aborted) return;
          const problem = error instanceof Error ? error.message : String(error);
          show((known) => ({ answer: known.path === path ? known.answer : undefined, problem, isAsking: false, path }));
        },
      );
    }, waitMs);
    return () => {
      clearTimeout(timer);
      ended.abort();
    };
  }, [path, version]);
  return asked.path === path ? asked : { ...nothing, isAsking: path !== undefined };
}

const nothing = { answer: undefined, problem: undefined, isAsking: true } as const;
