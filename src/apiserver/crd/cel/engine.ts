/** The CEL library, loaded when the first rule is seen: most servers never see one, and none starts with one. Used by rules and values. */
import { createRequire } from "node:module";
import type * as Cel from "@marcbachmann/cel-js";
import type * as Evaluator from "@marcbachmann/cel-js/evaluator";

const load = createRequire(import.meta.url);
let language: typeof Cel | undefined;
let evaluator: typeof Evaluator | undefined;

export function celLanguage(): typeof Cel {
  language ??= load("@marcbachmann/cel-js") as typeof Cel;
  return language;
}

export function celEvaluator(): typeof Evaluator {
  evaluator ??= load("@marcbachmann/cel-js/evaluator") as typeof Evaluator;
  return evaluator;
}
