/** Arithmetic on amounts of several resources at once, as limits, requests and quotas have them. */
import { parseQuantity, type Quantity } from "../values/quantity.js";
import { byEntryName } from "../../base/members.js";

/** Quantities by resource name. */
export type Amounts = ReadonlyMap<string, Quantity>;

export type ResourceList = Readonly<Record<string, string>>;

export function amountsOf(list: ResourceList | undefined): Amounts {
  return new Map(Object.entries(list ?? {}).map(([name, amount]) => [name, parseQuantity(amount)]));
}

export function resourceListOf(amounts: Amounts): ResourceList {
  return Object.fromEntries([...amounts].map(([name, amount]) => [name, amount.toString()]));
}

export function addAmounts(a: Amounts, b: Amounts): Amounts {
  const sum = new Map(a);
  for (const [name, amount] of b) sum.set(name, sum.get(name)?.add(amount) ?? amount);
  return sum;
}

/** For each resource, the greater of the two amounts. */
export function maxAmounts(a: Amounts, b: Amounts): Amounts {
  const result = new Map(a);
  for (const [name, amount] of b) {
    const other = result.get(name);
    if (other === undefined || amount.compare(other) > 0) result.set(name, amount);
  }
  return result;
}

/** `a` minus `b` for each resource that either has, but never below zero. */
export function subtractAmounts(a: Amounts, b: Amounts): Amounts {
  const zero = parseQuantity("0");
  const result = new Map<string, Quantity>();
  for (const [name, amount] of a) {
    const other = b.get(name);
    const rest = other === undefined ? amount : amount.sub(other);
    result.set(name, rest.sign > 0 ? rest : zero);
  }
  for (const name of b.keys()) if (!result.has(name)) result.set(name, zero);
  return result;
}

export function onlyAmounts(amounts: Amounts, names: Iterable<string>): Amounts {
  const wanted = new Set(names);
  return new Map([...amounts].filter(([name]) => wanted.has(name)));
}

/** `cpu=1,memory=2Gi`, sorted by name. */
export function printAmounts(amounts: Amounts): string {
  return [...amounts]
    .toSorted(byEntryName)
    .map(([name, amount]) => `${name}=${amount}`)
    .join(",");
}
