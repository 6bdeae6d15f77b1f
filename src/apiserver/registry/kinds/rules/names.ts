/** Rules for object names that differ from the default. */
import {
  fieldPath,
  type FieldError,
  isDns1123Label,
  isDns1123Subdomain,
  isPathSegmentName,
} from "../../../../api/index.js";

/** The prefix of a generated name may end in a dash: masks it before the name is validated. */
function maskTrailingDash(name: string): string {
  return name.length > 1 && name.endsWith("-") ? `${name.slice(0, -2)}a` : name;
}

/** Objections to a name, or to the prefix of a name that is to be generated. */
export type NameRule = (name: string, prefix: boolean) => readonly string[];

export const labelName: NameRule = (name, prefix) => isDns1123Label(prefix ? maskTrailingDash(name) : name);
export const subdomainName: NameRule = (name, prefix) => isDns1123Subdomain(prefix ? maskTrailingDash(name) : name);
export const pathSegment: NameRule = (name) => isPathSegmentName(name);

/** Finalizers that are older than the rule that a finalizer's name has a domain. */
export const standardFinalizers: ReadonlySet<string> = new Set(["kubernetes", "orphan", "foregroundDeletion"]);

/** Objections to finalizers that have no domain. */
export function* finalizerDomains(finalizers?: readonly string[]): Iterable<FieldError> {
  const why = "name is neither a standard finalizer name nor is it fully qualified";
  for (const [at, finalizer] of fieldPath("metadata", "finalizers").items(finalizers)) {
    if (!finalizer.includes("/") && !standardFinalizers.has(finalizer)) yield at.invalid(finalizer, why);
  }
}
