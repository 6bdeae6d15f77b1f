/** The language of rules: CEL with what Kubernetes adds, and the two names that rules may use. Made once, for all rules. */
import type { Environment } from "@marcbachmann/cel-js";
import { celLanguage } from "./engine.js";
import { registerLibrary } from "./library.js";

/** What the parser and the checker throw. */
export interface CelError extends Error {
  readonly code?: string;
  readonly summary?: string;
  readonly range?: { readonly start: number };
}

let shared: Environment | undefined;
const withSelf = new Map<string, Environment>();

/** The language alone. Whoever wants names in it clones it. */
export function language(): Environment {
  if (shared === undefined) {
    shared = new (celLanguage().Environment)({ homogeneousAggregateLiterals: false, enableOptionalTypes: true });
    registerLibrary(shared);
  }
  return shared;
}

/** Where `self` and `oldSelf` may be anything; `oldSelf` is an optional where the rule says so. */
export function environment(optionalOldSelf = false): Environment {
  const oldSelf = optionalOldSelf ? "optional<dyn>" : "dyn";
  let found = withSelf.get(oldSelf);
  if (found === undefined) {
    found = language().clone().registerVariable("self", "dyn").registerVariable("oldSelf", oldSelf);
    withSelf.set(oldSelf, found);
  }
  return found;
}
