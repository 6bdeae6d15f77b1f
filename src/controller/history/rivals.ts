/** Who else writes an object, from the server's record of fields. For reports of loops. */
import type { KubeObject } from "../../api/index.js";

/** Field managers of the object besides `own`: first those that have set the fields in question, then those that wrote last. */
export function rivalsOf({ metadata }: KubeObject, fields: readonly string[], own: string): readonly string[] {
  const ranked = (metadata.managedFields ?? [])
    .filter(({ manager }) => manager !== undefined && manager !== own)
    .map(({ manager = "", time = "", fieldsV1 }) => {
      return { manager, time, depth: Math.max(0, ...fields.map((path) => depthOf(fieldsV1, path.split(".")))) };
    })
    .toSorted((a, b) => b.depth - a.depth || b.time.localeCompare(a.time));
  return [...new Set(ranked.map(({ manager }) => manager))];
}

/** How many steps of the path are in a set of fields, in which each has an `f:` before its name. */
function depthOf(set: unknown, [step, ...rest]: readonly string[]): number {
  if (step === undefined || typeof set !== "object" || set === null) return 0;
  const inner = (set as Readonly<Record<string, unknown>>)[`f:${step.replace(/\[.*$/, "")}`];
  return inner === undefined ? 0 : 1 + depthOf(inner, rest);
}
