/** Rules for the names of objects, where they differ from the usual one. */
import { isDns1123Label, isDns1123Subdomain, isPathSegmentName } from "../../../../api/index.js";

/** A prefix is judged as if it had a suffix that makes a trailing dash harmless. */
export function maskTrailingDash(name: string): string {
  return name.length > 1 && name.endsWith("-") ? `${name.slice(0, -2)}a` : name;
}

type NameRule = (name: string, prefix: boolean) => readonly string[];

export const labelName: NameRule = (name, prefix) => isDns1123Label(prefix ? maskTrailingDash(name) : name);
export const subdomainName: NameRule = (name, prefix) => isDns1123Subdomain(prefix ? maskTrailingDash(name) : name);
export const pathSegment: NameRule = (name) => isPathSegmentName(name);
