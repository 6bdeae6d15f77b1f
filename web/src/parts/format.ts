/** Numbers, sizes and times as short text of a steady width. */

export function count(value: number): string {
  if (value < 10_000) return String(Math.round(value));
  if (value < 1_000_000) return `${(value / 1_000).toFixed(value < 100_000 ? 1 : 0)}k`;
  return `${(value / 1_000_000).toFixed(1)}M`;
}

export function rate(perSecond: number): string {
  return perSecond === 0 ? "0" : perSecond < 10 ? perSecond.toFixed(1) : count(perSecond);
}

export function bytes(value: number): string {
  if (value < 1_000) return `${Math.round(value)} B`;
  if (value < 1_000_000) return `${Math.round(value / 1_000)} kB`;
  return value < 1e9 ? `${(value / 1e6).toFixed(value < 1e7 ? 1 : 0)} MB` : `${(value / 1e9).toFixed(1)} GB`;
}

export function millis(ms: number): string {
  if (ms < 10) return `${ms.toFixed(1)} ms`;
  if (ms < 1_000) return `${Math.round(ms)} ms`;
  return span(ms);
}

/** `4 s`, `3 min`, `2 h`, `5 d`. */
export function span(ms: number): string {
  const seconds = Math.max(0, ms) / 1_000;
  if (seconds < 10) return `${seconds.toFixed(1)} s`;
  if (seconds < 120) return `${Math.round(seconds)} s`;
  if (seconds < 7_200) return `${Math.round(seconds / 60)} min`;
  return seconds < 172_800 ? `${Math.round(seconds / 3_600)} h` : `${Math.round(seconds / 86_400)} d`;
}

export function ago(at: number | undefined, now: number): string {
  if (at === undefined) return "—";
  const ms = now - at;
  return ms < 1_500 ? "now" : span(Math.round(ms / 1_000) * 1_000).replace(".0", "");
}

const clock = new Intl.DateTimeFormat("en-GB", { hour: "2-digit", minute: "2-digit", second: "2-digit" });

/** `14:03:21.482` */
export function timeOfDay(at: number): string {
  return `${clock.format(at)}.${String(Math.floor(at % 1_000)).padStart(3, "0")}`;
}

/** `apps/v1/deployments?namespace=x` is shown by its kind; this is the rest. */
export function groupOf(resource: string): string {
  const parts = resource.split("/");
  return parts.length > 2 ? (parts[0] ?? "") : "";
}

/** False for the keys of a controller that are no objects, but rounds or identifiers: it names them in small letters. */
export const isKind = (kind: string): boolean => /^[A-Z]/.test(kind);

export function keyOf({ namespace, name }: { readonly namespace: string; readonly name: string }): string {
  return namespace === "" ? name : `${namespace}/${name}`;
}
