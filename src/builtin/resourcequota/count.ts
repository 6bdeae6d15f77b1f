/** The usage of a quota: takes the existing objects, gives amounts by name. Pure. */
import {
  type Amounts,
  addAmounts,
  type GroupResource,
  type KubeObject,
  onlyAmounts,
  Quantity,
  type QuotaCircumstances,
  quotaMatches,
  quotaNamesFor,
  quotaUsage,
  type ResourceQuota,
} from "../../api/index.js";
import { defined } from "../../base/defined.js";

const zero = Quantity.of(0);

export interface CountedKind {
  readonly of: GroupResource;
  readonly objects: readonly KubeObject[];
}

/** Contains every name that concerns one of these kinds, with zero if nothing uses it. */
export function countUsage(
  { spec = {} }: ResourceQuota,
  kinds: readonly CountedKind[],
  around: QuotaCircumstances,
): Amounts {
  const { hard = {} } = spec;
  let used: Amounts = new Map();
  for (const { of, objects } of kinds) {
    const names = quotaNamesFor(of, Object.keys(hard), around.devices);
    if (names.length === 0) continue;
    used = addAmounts(used, new Map(names.map((name) => [name, zero])));
    for (const object of objects) {
      if (quotaMatches(of, object, { spec, hard, ...defined({ devices: around.devices }) }))
        used = addAmounts(used, onlyAmounts(quotaUsage(of, object, around), names));
    }
  }
  return used;
}
