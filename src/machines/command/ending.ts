/** The end of a followed command: the time that it takes, its exit code and its output. */

/** `exitCode` is undefined if it never ends. */
export interface Ending {
  readonly slept: number;
  readonly exitCode: number | undefined;
  /** The output, as far as the command was followed. */
  readonly output: readonly Line[];
  /** The files that it wrote, by their paths. */
  readonly files?: ReadonlyMap<string, string>;
}

/** `at` is in milliseconds after the start. */
export interface Line {
  readonly at: number;
  readonly text: string;
  /** True if the next output stands in the same line. */
  readonly isOpen?: boolean;
}

export const textOf = (lines: readonly Line[]): string =>
  lines.map(({ text, isOpen = false }) => (isOpen ? text : `${text}\n`)).join("");

/** The end of a command that takes no time. */
export const atOnce = (exitCode: number, output: readonly Line[] = []): Ending => ({ slept: 0, exitCode, output });

export const forever: Ending = { slept: Number.POSITIVE_INFINITY, exitCode: undefined, output: [] };

/** The lines of a text; a last one needs no line end. */
export const printed = (text: string, at = 0): readonly Line[] =>
  text === ""
    ? []
    : text
        .replace(/\n$/, "")
        .split("\n")
        .map((line) => ({ at, text: line }));
