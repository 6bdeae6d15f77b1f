/** A program's own flags beside the shared ones: their declaration, the types of their values, their lines of help. */

interface FlagFrame {
  /** One letter, e.g. `w` for `-w 4`. */
  readonly short?: string;
  /** The text in `--help`. */
  readonly description?: string;
}

/** A flag that is not given has its default; without one it is undefined, or false for a boolean. */
export type OwnFlag =
  | (FlagFrame & { readonly type: "string"; readonly default?: string; readonly choices?: readonly string[] })
  | (FlagFrame & { readonly type: "number"; readonly default?: number })
  | (FlagFrame & { readonly type: "boolean"; readonly default?: boolean });

/** Flags by their names without leading dashes: `{ "dns-file": { type: "string" } }`. */
export type OwnFlags = Readonly<Record<string, OwnFlag>>;

type CamelCase<Name extends string> = Name extends `${infer Head}-${infer Tail}`
  ? `${Head}${Capitalize<CamelCase<Tail>>}`
  : Name;

type Given<Flag extends OwnFlag> = Flag extends { readonly choices: readonly (infer Choice)[] }
  ? Choice
  : Flag extends { readonly type: "string" }
    ? string
    : Flag extends { readonly type: "number" }
      ? number
      : boolean;

type ValueOf<Flag extends OwnFlag> = Flag extends { readonly default: unknown } | { readonly type: "boolean" }
  ? Given<Flag>
  : Given<Flag> | undefined;

/** The values under their names in camel case: `--dns-file` is `flags.dnsFile`, as `--leader-elect` is `flags.leaderElect`. */
export type FlagValues<Flags extends OwnFlags> = {
  readonly [Name in keyof Flags & string as CamelCase<Name>]: ValueOf<Flags[Name]>;
};

export const camelCase = (name: string): string =>
  name.replaceAll(/-([a-z0-9])/g, (_, letter: string) => letter.toUpperCase());

/** Throws TypeError for declarations that cannot work: the program's fault, not its user's. */
export function checkDeclaration(flags: OwnFlags, shared: Readonly<Record<string, object>>): void {
  const letters = new Map(
    Object.entries(shared).flatMap(([name, flag]) => ("short" in flag ? [[flag.short as string, name]] : [])),
  );
  for (const [name, { short }] of Object.entries(flags)) {
    if (!/^[a-z][a-z0-9]*(?:-[a-z0-9]+)*$/.test(name))
      throw new TypeError(
        `flag ${JSON.stringify(name)}: a name has small letters, digits and single dashes, e.g. dns-file`,
      );
    if (Object.hasOwn(shared, name)) throw new TypeError(`flag --${name}: every program has one of this name already`);
    if (short === undefined) continue;
    if (!/^[A-Za-z]$/.test(short))
      throw new TypeError(`flag --${name}: short must be one letter, not ${JSON.stringify(short)}`);
    const other = letters.get(short);
    if (other !== undefined) throw new TypeError(`flag --${name}: -${short} is short for --${other} already`);
    letters.set(short, name);
  }
}

/** The value of a flag's text; throws with a sentence for the user if the text does not fit. */
export function ownValue(name: string, flag: OwnFlag, text: string | boolean): string | number | boolean {
  if (flag.type === "string" && flag.choices?.includes(String(text)) === false)
    throw new RangeError(`--${name} must be ${flag.choices.join(" or ")}, not ${JSON.stringify(text)}`);
  if (flag.type !== "number") return text;
  const number = Number(text);
  if (text === "" || !Number.isFinite(number))
    throw new RangeError(`--${name} must be a number, not ${JSON.stringify(text)}`);
  return number;
}

/** The lines of help for the program's own flags, in the form of the shared flags' lines. */
export function ownFlagsHelp(flags: OwnFlags): string {
  const lines = Object.entries(flags).map(([name, flag]) => {
    const value =
      flag.type === "boolean" ? "" : flag.type === "number" ? " <number>" : ` ${flag.choices?.join("|") ?? "<text>"}`;
    const usage = `${flag.short === undefined ? "" : `-${flag.short}, `}--${name}${value}`;
    const standard =
      flag.default === undefined || flag.default === false ? "" : `default ${JSON.stringify(flag.default)}`;
    const text = [flag.description, standard].filter((part) => part !== undefined && part !== "").join("; ");
    return `  ${text === "" ? usage : `${usage.padEnd(25)}  ${text}`}\n`;
  });
  return lines.join("");
}
