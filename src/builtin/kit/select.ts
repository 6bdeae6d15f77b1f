/** `--controllers`: takes the flag's words and all controllers, gives the controllers to run. Pure. */
import type { ControllerDescriptor } from "./context.js";

/**
 * `foo` switches a controller on, `-foo` off, and the first word about a controller wins; `*` means all others but
 * those that are off by default. Short names are accepted. An unknown name is an error that lists the known ones.
 */
export function selectControllers(
  words: readonly string[],
  all: readonly ControllerDescriptor[],
): readonly ControllerDescriptor[] {
  const byName = new Map(all.flatMap((one) => [one.name, ...one.aliases].map((name) => [name, one] as const)));
  const decided = new Map<ControllerDescriptor, boolean>();
  for (const word of words) {
    if (word === "*") continue;
    const off = word.startsWith("-");
    const descriptor = byName.get(off ? word.slice(1) : word);
    if (descriptor === undefined) {
      const known = all.map(({ name }) => name).toSorted();
      throw new Error(`"${word}" is not in the list of known controllers: ${known.join(", ")}`);
    }
    if (!decided.has(descriptor)) decided.set(descriptor, !off);
  }
  const star = words.includes("*");
  return all.filter((one) => decided.get(one) ?? (star && !one.disabledByDefault));
}
