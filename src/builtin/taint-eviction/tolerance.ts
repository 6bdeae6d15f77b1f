/** The time that a pod may stay on a tainted node: takes taints and tolerations. Pure. */
import { type Node, type Taint, type Toleration, tolerates } from "../../api/index.js";

export type Tolerance = "forever" | "not" | { readonly seconds: number };

export const noExecuteTaints = ({ spec }: Node): readonly Taint[] =>
  (spec?.taints ?? []).filter(({ effect }) => effect === "NoExecute");

/** Every taint must be tolerated; the pod may stay for the shortest time that any of the matching tolerations sets. */
export function toleranceOf(taints: readonly Taint[], tolerations: readonly Toleration[] = []): Tolerance {
  let shortest = Number.POSITIVE_INFINITY;
  for (const taint of taints) {
    const used = tolerations.filter((toleration) => tolerates(toleration, taint));
    if (used.length === 0) return "not";
    for (const { tolerationSeconds } of used)
      shortest = Math.min(shortest, tolerationSeconds ?? Number.POSITIVE_INFINITY);
  }
  if (shortest === Number.POSITIVE_INFINITY) return "forever";
  return shortest <= 0 ? "not" : { seconds: shortest };
}
