/** Takes a field manager, gives one whose steps run at once. For tests. */
import { inOneGo, type Steps } from "../../src/base/index.js";
import type { FieldManager } from "../../src/apiserver/contracts/field-manager.js";

type AtOnce<F> = F extends (...given: infer Given) => Steps<infer T> ? (...given: Given) => T : never;

export function atOnce(manager: FieldManager): { readonly [K in keyof FieldManager]: AtOnce<FieldManager[K]> } {
  return {
    update: (...given) => inOneGo(manager.update(...given)),
    apply: (...given) => inOneGo(manager.apply(...given)),
  };
}
