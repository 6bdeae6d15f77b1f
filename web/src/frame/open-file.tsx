/** Opens the file of a recording: by a button, or by dropping the file anywhere on the page. */
import type { JSX } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { openFile } from "../recording/opened.js";

export function OpenButton(): JSX.Element {
  const input = useRef<HTMLInputElement>(null);
  return (
    <>
      <button
        class="icon"
        type="button"
        title="open a recording of simulate (--out)"
        aria-label="open a recording of simulate"
        onClick={() => input.current?.click()}
      >
        <svg viewBox="0 0 16 16" aria-hidden="true">
          <path d="M1.500 12.500v-9h4.500l1.500 2h7v7z" />
        </svg>
      </button>
      <input
        ref={input}
        class="unseen"
        type="file"
        accept=".json,application/json"
        tabIndex={-1}
        aria-label="the file of a recording"
        onChange={({ currentTarget }) => {
          const file = currentTarget.files?.[0];
          if (file !== undefined) void openFile(file);
          // the same file may be chosen again after a change
          currentTarget.value = "";
        }}
      />
    </>
  );
}

export function useDroppedFiles(): void {
  useEffect(() => {
    const over = (event: DragEvent): void => {
      if (event.dataTransfer?.types.includes("Files") === true) event.preventDefault();
    };
    const dropped = (event: DragEvent): void => {
      const file = event.dataTransfer?.files[0];
      if (file === undefined) return;
      event.preventDefault();
      void openFile(file);
    };
    addEventListener("dragover", over);
    addEventListener("drop", dropped);
    return () => {
      removeEventListener("dragover", over);
      removeEventListener("drop", dropped);
    };
  }, []);
}
