/** Taints and tolerations: tells whether a pod may be on a node. Pure. */
import type { Taint, Toleration } from "../generated/core-v1.js";

/** An empty key with `Exists` tolerates every taint; an empty effect tolerates every effect. */
export function tolerates(toleration: Toleration, taint: Taint): boolean {
  if (toleration.effect && toleration.effect !== taint.effect) return false;
  if (toleration.key && toleration.key !== taint.key) return false;
  switch (toleration.operator ?? "Equal") {
    case "Exists":
      return true;
    case "Lt":
    case "Gt":
      return comparesNumber(toleration, taint);
    default:
      // an empty key is valid with Exists only
      return Boolean(toleration.key) && (toleration.value ?? "") === (taint.value ?? "");
  }
}

function comparesNumber({ operator, value = "" }: Toleration, taint: Taint): boolean {
  const [bound, actual] = [Number(value), Number(taint.value ?? "")];
  if (!/^-?[0-9]+$/.test(value) || !/^-?[0-9]+$/.test(taint.value ?? "")) return false;
  return operator === "Lt" ? actual < bound : actual > bound;
}

/** The first of these taints that has one of these effects and that no toleration covers. */
export function untoleratedTaint(
  taints: readonly Taint[] | undefined,
  tolerations: readonly Toleration[] | undefined,
  effects: readonly string[],
): Taint | undefined {
  return taints?.find(
    (taint) => effects.includes(taint.effect) && !tolerations?.some((toleration) => tolerates(toleration, taint)),
  );
}
