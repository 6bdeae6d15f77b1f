/** Merges the tolerations of a pod and of its runtime class, in time that grows with their number and not with its square. */
import { exactJson } from "../../api/values/exact-json.js";
import type { Toleration } from "../../api/index.js";

/** The tolerations that no other one covers; of equal ones the first stays. */
export function mergedTolerations(all: readonly Toleration[]): readonly Toleration[] {
  const behind = coveredFromBehind(all);
  const kept: Toleration[] = [];
  const texts = new Set<string>();
  const widest = new Widest();
  for (const [i, one] of all.entries()) {
    const text = textOf(one);
    if (behind[i] || texts.has(text) || widest.covers(one)) continue;
    kept.push(one);
    texts.add(text);
    widest.add(one, text);
  }
  return kept;
}

/** A test of tolerations: whether one of these covers it, or is equal to it. */
export function coverage(wide: readonly Toleration[]): (one: Toleration) => boolean {
  const widest = new Widest();
  const texts = new Set(wide.map(textOf));
  for (const one of wide) widest.add(one, textOf(one));
  return (one) => texts.has(textOf(one)) || widest.covers(one);
}

/** For each toleration, whether a later one that is not equal to it covers it. */
function coveredFromBehind(all: readonly Toleration[]): readonly boolean[] {
  const covered: boolean[] = [];
  const widest = new Widest();
  for (const [i, one] of [...all.entries()].toReversed()) {
    const text = textOf(one);
    covered[i] = widest.covers(one, text);
    widest.add(one, text);
  }
  return covered;
}

const textOf = ({ key, operator, value, effect, tolerationSeconds }: Toleration): string =>
  exactJson([key, operator, value, effect, tolerationSeconds]);

interface Wide {
  readonly text: string;
  /** The longest time that it tolerates a taint. */
  readonly seconds: number;
}

/**
 * Tolerations by the taints that they match. Of those that match the same taints only the time matters, so two are
 * enough: the longest, and the longest that is not equal to it.
 */
class Widest {
  readonly #byTaints = new Map<string, readonly Wide[]>();

  add({ key = "", operator, value = "", effect, tolerationSeconds }: Toleration, text: string): void {
    const taints = taintsOf(key, effect ?? "", operator === "Exists" ? undefined : value);
    const seconds = effect === "NoExecute" ? (tolerationSeconds ?? Number.POSITIVE_INFINITY) : Number.POSITIVE_INFINITY;
    const known = this.#byTaints.get(taints) ?? [];
    if (known.some((one) => one.text === text)) return;
    this.#byTaints.set(taints, [...known, { text, seconds }].toSorted((a, b) => b.seconds - a.seconds).slice(0, 2));
  }

  /** True if one of them, other than that of the text, covers the toleration. */
  covers(one: Toleration, except?: string): boolean {
    const { tolerationSeconds: seconds = Number.POSITIVE_INFINITY } = one;
    return coveringTaints(one).some((taints) =>
      this.#byTaints.get(taints)?.some((wide) => wide.text !== except && seconds <= wide.seconds),
    );
  }
}

/** `value` is undefined for tolerations of every value. */
const taintsOf = (key: string, effect: string, value: string | undefined): string =>
  JSON.stringify([key, effect, value]);

/** The sets of taints that contain the set of this toleration: without an effect, without a value, without a key. */
function coveringTaints({ key = "", operator, value = "", effect }: Toleration): readonly string[] {
  return [...new Set([effect ?? "", ""])].flatMap((some) => [
    ...(operator === "Equal" ? [taintsOf(key, some, value)] : []),
    taintsOf(key, some, undefined),
    taintsOf("", some, undefined),
  ]);
}
