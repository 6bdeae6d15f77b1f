/** Prints time spans, lists and labels as kubectl does. */
import { parseMicroTime, parseTime } from "../../api/index.js";
import { entriesByName } from "../../base/members.js";

/** A span in milliseconds with two or three significant figures: `45s`, `3m20s`, `5h`, `2d3h`, `400d`. */
export function humanDuration(ms: number): string {
  const seconds = Math.trunc(ms / 1000);
  // tolerates a small difference between clocks
  if (seconds < -1) return "<invalid>";
  if (seconds < 0) return "0s";
  if (seconds < 120) return `${seconds}s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 10) return withRest(minutes, "m", seconds % 60, "s");
  if (minutes < 180) return `${minutes}m`;
  const hours = Math.floor(minutes / 60);
  if (hours < 8) return withRest(hours, "h", minutes % 60, "m");
  if (hours < 48) return `${hours}h`;
  const days = Math.floor(hours / 24);
  if (hours < 24 * 8) return withRest(days, "d", hours % 24, "h");
  if (hours < 24 * 365 * 2) return `${days}d`;
  const years = Math.floor(days / 365);
  return hours < 24 * 365 * 8 ? withRest(years, "y", days % 365, "d") : `${years}y`;
}

function withRest(whole: number, unit: string, rest: number, restUnit: string): string {
  return rest === 0 ? `${whole}${unit}` : `${whole}${unit}${rest}${restUnit}`;
}

/** The time since a Time; `<unknown>` if there is none. */
export function since(time: string | null | undefined, now: number): string {
  return time ? humanDuration(now - parseTime(time)) : "<unknown>";
}

/** The time since a MicroTime; `<unknown>` if there is none. */
export function sinceMicro(time: string | null | undefined, now: number): string {
  return time ? humanDuration(now - parseMicroTime(time) / 1000) : "<unknown>";
}

/** As upstream. */
const few = 3;

/** The first few items and the number of the others; `empty` if there are none. */
export function firstFew(items: readonly string[], empty: string): string {
  if (items.length > few) return `${items.slice(0, few).join(",")} + ${items.length - few} more...`;
  return items.join(",") || empty;
}

/** `a=b,c=d` in the order of keys; `<none>` if there are no labels. */
export function formatLabels(labels: Readonly<Record<string, string>> | undefined): string {
  const pairs = entriesByName(labels ?? {});
  return pairs.map(([key, value]) => `${key}=${value}`).join(",") || "<none>";
}
