/** Finds the other writers of an object in the server's record of field owners. */
import type { KubeObject } from "../../api/index.js";

/** Field managers of the object other than `own`: first the managers that set the fields in question, then the ones that wrote last. */
export function rivalsOf({ metadata }: KubeObject, fields: readonly string[], own: string): readonly string[] {
  const ranked = (metadata.managedFields ?? [])
    .filter(({ manager }) => manager !== undefined && manager !== own)
    .map(({ manager = "", time = "", fieldsV1 }) => {
      return { manager, time, depth: Math.max(0, ...fields.map((path) => depthOf(fieldsV1, path.split(".")))) };
    })
    .toSorted((a, b) => b.depth - a.depth || b.time.localeCompare(a.time));
  return [...new Set(ranked.map(({ manager }) => manager))];
}

/** The number of steps of the path that are in a set of fields, in which each name has the prefix `f:`. */
function depthOf(set: unknown, [step, ...rest]: readonly string[]): number {
  if (step === undefined || typeof set !== "object" || set === null) return 0;
  const inner = (set as Readonly<Record<string, unknown>>)[`f:${step.split("[", 1).join("")}`];
  return inner === undefined ? 0 : 1 + depthOf(inner, rest);
}
