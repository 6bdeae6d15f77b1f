/** One key of a controller: its state in time, its reasons, its error or its loop. */
import type { JSX } from "preact";
import { useMemo } from "preact/hooks";
import type { KeysAnswer } from "../../../src/dashboard/wire.js";
import { ago, isKind, millis, span } from "../parts/format.js";
import { Mark } from "../parts/small.js";
import { href } from "../state/route.js";
import { useClock } from "../state/store.js";

/** The heights of a row, and of one with an error or a loop. */
export const rowHeight = 46;
export const troubledHeight = 64;

type Row = KeysAnswer["rows"][number];

export interface KeyLineProps {
  readonly row: Row | undefined;
  /** The time of the answer that the row is from. */
  readonly at: number;
  readonly kind: string;
  readonly height: number;
}

/** Drawn once for each answer; a list is scrolled through its rows. */
export function KeyLine(props: KeyLineProps): JSX.Element {
  return useMemo(() => <KeyParts {...props} />, [props.row, props.kind, props.height]);
}

function KeyParts({ row, at, kind, height }: KeyLineProps): JSX.Element {
  if (row === undefined) return <div class="key-row blank" role="listitem" style={{ height: `${height}px` }} />;
  const [name = "", namespace = ""] = row.key.split("/").reverse();
  const isBad = row.error !== undefined || row.loop !== undefined;
  return (
    <div
      class={`key-row ${row.state}${height === troubledHeight ? " troubled" : ""}`}
      role="listitem"
      style={{ height: `${height}px` }}
    >
      <Mark tone={isBad ? "bad" : row.state === "running" ? "busy" : "none"} title={row.state} />
      <div class="what">
        {isKind(kind) ? <a href={href("why", { kind, namespace, name })}>{row.key}</a> : <code>{row.key}</code>}
        <small title={detailOf(row)}>{detailOf(row)}</small>
      </div>
      <div class="when">
        <When row={row} at={at} />
        <small>
          {row.failures > 0
            ? `${row.failures} failure${row.failures > 1 ? "s" : ""}`
            : row.again === true
              ? "and once more"
              : ""}
        </small>
      </div>
    </div>
  );
}

function When({ row, at }: { readonly row: Row; readonly at: number }): JSX.Element {
  return <b>{whenOf(row, at, useClock(250))}</b>;
}

/** The error, the loop with its writers and fields, or the reasons. */
function detailOf({ error, loop, reasons, omittedReasons }: Row): string {
  if (loop !== undefined) {
    const fields = loop.object === "" ? "" : `: ${loop.object} ${loop.fields.join(", ")}`;
    const writers = loop.writers.length > 1 ? ` (${loop.writers.join(" against ")})` : "";
    return `${loop.runs} runs in a row, ${loop.why}${writers}${fields}; slowed to one in ${span(loop.delayMs)}`;
  }
  if (error !== undefined) return error;
  const told = reasons.map(({ type, kind, key, fields, message }) =>
    [kind, key, type, fields?.join(", "), message].filter(Boolean).join(" "),
  );
  return [...told, ...(omittedReasons > 0 ? [`and ${omittedReasons} more`] : [])].join("; ");
}

function whenOf({ state, forMs, dueInMs, since }: Row, at: number, now: number): string {
  const passed = Math.max(0, now - at);
  if (dueInMs !== undefined) return dueInMs - passed <= 0 ? "due" : `in ${span(dueInMs - passed)}`;
  if (since !== undefined) return `${ago(since, now)} ago`;
  if (forMs === undefined) return "";
  return state === "running" ? `for ${millis(forMs + passed)}` : `waits ${millis(forMs + passed)}`;
}
