/** The recording that the page shows in the place of its process, if somebody has opened one. */
import { useEffect, useState } from "preact/hooks";
import { adjust } from "../state/route.js";
import type { Recording } from "./recording.js";

export type Opened =
  | { readonly type: "none" }
  | { readonly type: "reading"; readonly name: string }
  | { readonly type: "refused"; readonly name: string; readonly why: string }
  | { readonly type: "open"; readonly recording: Recording };

let now: Opened = { type: "none" };
const listeners = new Set<() => void>();

function become(next: Opened): void {
  now = next;
  for (const listener of listeners) listener();
}

/** The recording that answers the questions of the views. */
export const openedRecording = (): Recording | undefined => (now.type === "open" ? now.recording : undefined);

export function useOpened(): Opened {
  const [shown, show] = useState(now);
  useEffect(() => {
    const changed = (): void => show(now);
    changed();
    listeners.add(changed);
    return () => void listeners.delete(changed);
  }, []);
  return shown;
}

/** Opens a file in the place of the one that is open; its code is loaded with the first. */
export async function openFile(file: File): Promise<void> {
  const { name } = file;
  const reading: Opened = { type: "reading", name };
  become(reading);
  let next: Opened;
  try {
    const { readRecording } = await import("./read.js");
    next = { type: "open", recording: await readRecording(file) };
  } catch (error) {
    next = { type: "refused", name, why: error instanceof Error ? error.message : String(error) };
  }
  // another file may have been chosen meanwhile
  if (now !== reading) return;
  adjust({ at: undefined });
  become(next);
}

export function closeRecording(): void {
  adjust({ at: undefined });
  become({ type: "none" });
}
