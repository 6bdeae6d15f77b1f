/** Rules for object names that differ from the default. */
import { isDns1123Label, isPathSegmentName } from "../../../../api/index.js";

/** The prefix of a generated name may end in a dash: masks it before the name is validated. */
function maskTrailingDash(name: string): string {
  return name.length > 1 && name.endsWith("-") ? `${name.slice(0, -2)}a` : name;
}

type NameRule = (name: string, prefix: boolean) => readonly string[];

export const labelName: NameRule = (name, prefix) => isDns1123Label(prefix ? maskTrailingDash(name) : name);
export const pathSegment: NameRule = (name) => isPathSegmentName(name);
