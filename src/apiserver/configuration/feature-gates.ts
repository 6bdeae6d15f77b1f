/** Reads the values of `--feature-gates`. */

/** The feature gates of kube-apiserver 1.36 that are off there by default and have an effect here. */
export type FeatureGate = "CBORServingAndStorage";
export const featureGates: ReadonlySet<string> = new Set<FeatureGate>(["CBORServingAndStorage"]);

/** The gates that are on, and the words that name no gate of this server. */
export function readGates(words: readonly string[]): {
  readonly on: ReadonlySet<FeatureGate>;
  readonly unknown: readonly string[];
} {
  const on = new Set<FeatureGate>();
  const unknown: string[] = [];
  for (const word of words.filter((one) => one !== "")) {
    const [, name = "", value] = /^(\w+)=(true|false)$/i.exec(word) ?? [];
    if (!featureGates.has(name)) unknown.push(word);
    else if (value?.toLowerCase() === "true") on.add(name as FeatureGate);
    else on.delete(name as FeatureGate);
  }
  return { on, unknown };
}
