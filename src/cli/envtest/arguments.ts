/** Reads arguments as Go programs take them: gives the flags by name, and names the flags that have no effect here. */
import type { FlagTable } from "./flags.js";

export interface Arguments {
  /** The values of each flag in the order of the arguments; a flag without a value has the value `true`. */
  readonly flags: ReadonlyMap<string, readonly string[]>;
  /** A sentence for each sort of flag that has no effect. */
  readonly warnings: readonly string[];
}

/** `--name=value` and `--name value`, with one dash or two; `_` in a name counts as `-`. */
export function readArguments(args: readonly string[], table: FlagTable): Arguments {
  const flags = new Map<string, string[]>();
  const stray: string[] = [];
  const isKnown = (name: string): boolean => [table.heeded, table.quiet, table.missed].some((set) => set.has(name));
  for (let index = 0; index < args.length; index++) {
    const [, sent, given] = /^--?([^=-][^=]*)(?:=(.*))?$/s.exec(args[index] ?? "") ?? [];
    if (sent === undefined) {
      stray.push(args[index] ?? "");
      continue;
    }
    const name = sent.replaceAll("_", "-");
    const next = args[index + 1];
    // an unknown flag has a value if something follows that is no flag
    const takesNext = given === undefined && !table.booleans.has(name) && next !== undefined;
    const hasNext = takesNext && (isKnown(name) || !next.startsWith("-"));
    if (hasNext) index++;
    flags.set(name, [...(flags.get(name) ?? []), given ?? (hasNext ? next : "true")]);
  }
  const names = [...flags.keys()];
  return {
    flags,
    warnings: [
      ...sentence(names.filter((name) => table.missed.has(name)).map(dashed), "no effect here"),
      ...sentence(names.filter((name) => !isKnown(name)).map(dashed), "not known, and ignored"),
      ...sentence(stray, "no flags, and ignored"),
    ],
  };
}

const dashed = (name: string): string => `--${name}`;

const sentence = (names: readonly string[], what: string): readonly string[] =>
  names.length === 0 ? [] : [`${what}: ${names.join(", ")}`];

/** The value that counts if a flag is given several times. */
export const last = ({ flags }: Arguments, name: string): string | undefined => flags.get(name)?.at(-1);

/** The values of a flag that takes a list with commas, or several values. */
export const listed = ({ flags }: Arguments, name: string): readonly string[] =>
  (flags.get(name) ?? []).flatMap((text) => text.split(",")).filter((text) => text !== "");

/** Throws if the value is none that Go's `strconv.ParseBool` takes. */
export function truth(given: Arguments, name: string): boolean | undefined {
  const text = last(given, name);
  if (text === undefined) return undefined;
  if (/^(?:1|t|true)$/i.test(text)) return true;
  if (/^(?:0|f|false)$/i.test(text)) return false;
  throw new Error(`--${name}=${text} is neither true nor false`);
}
