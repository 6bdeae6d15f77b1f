/** Permissions as data: takes resources, names and verbs, gives rules with the place where each is needed. */
import type { PolicyRule } from "../api/index.js";

export interface NeededRule {
  /** The namespace in which it is needed; undefined for the whole cluster. */
  readonly namespace?: string;
  readonly rule: PolicyRule;
}

/** Rules for a few objects, by their names. A request to create has no name yet, so `resourceNames` cannot limit it. */
export function rulesByName(
  group: string,
  resource: string,
  { names, verbs }: { readonly names: readonly string[]; readonly verbs: readonly string[] },
): PolicyRule[] {
  const of = { apiGroups: [group], resources: [resource] };
  const named = { ...of, resourceNames: names, verbs: verbs.filter((verb) => verb !== "create") };
  return verbs.includes("create") ? [{ ...of, verbs: ["create"] }, named] : [named];
}
