/** Patterns of schemas and rules: Go's regular expressions, safely matched. Used by validation and CEL. */
import { LinearPattern } from "./linear-pattern.js";

interface Compiled {
  readonly native: RegExp;
  readonly linear: LinearPattern | undefined;
  /** Nothing in it is repeated within a repetition, so on short texts JavaScript takes no long time. */
  readonly simple: boolean;
}

const patterns = new Map<string, Compiled>();
const maxPatterns = 1_000;
const shortText = 256;

/** Whether the text, as long and as ill-meant as it may be, has a match. Throws a SyntaxError for what is no pattern. */
export function matches(pattern: string, text: string): boolean {
  let found = patterns.get(pattern);
  if (found === undefined) {
    const native = goPattern(pattern);
    const flags = native.flags.replace(/[^ims]/g, "");
    const linear = LinearPattern.compile(pattern.replace(/^\(\?[ims]+\)/, ""), flags);
    const repeats = pattern.match(/[*+]|,\}/g)?.length ?? 0;
    found = { native, linear, simple: !/\)[*+{]/.test(pattern) && repeats <= 3 };
    if (patterns.size >= maxPatterns) patterns.clear();
    patterns.set(pattern, found);
  }
  const { native, linear, simple } = found;
  return linear === undefined || (simple && text.length <= shortText) ? native.test(text) : linear.test(text);
}

/** Go's syntax where it differs: flags at the start, POSIX classes, `\z`. */
export function goPattern(pattern: string): RegExp {
  const flags = /^\(\?([ims]+)\)/.exec(pattern);
  const body = (flags ? pattern.slice(flags[0].length) : pattern)
    .replaceAll("\\A", "^")
    .replaceAll("\\z", "$")
    .replaceAll("[[:alpha:]]", "[A-Za-z]")
    .replaceAll("[[:digit:]]", "[0-9]")
    .replaceAll("[[:alnum:]]", "[0-9A-Za-z]")
    .replaceAll("(?P<", "(?<");
  try {
    return new RegExp(body, `u${flags?.[1] ?? ""}`);
  } catch {
    return new RegExp(body, flags?.[1] ?? "");
  }
}

/** Why a pattern cannot be compiled, in Go's words where they are known. */
export function patternProblem(pattern: string, error: unknown): string {
  const { message } = error as Error;
  const reason = message.slice(message.lastIndexOf(": ") + 2);
  const known: Readonly<Record<string, string>> = {
    "Unterminated group": `missing closing ): \`${pattern}\``,
    "Unmatched ')'": `unexpected ): \`${pattern}\``,
    "Unterminated character class": `missing closing ]: \`${pattern.slice(pattern.lastIndexOf("["))}\``,
    "Nothing to repeat": `missing argument to repetition operator: \`${/[*+?]/.exec(pattern)?.[0] ?? pattern}\``,
    "\\ at end of pattern": "trailing backslash at end of expression: ``",
  };
  return `error parsing regexp: ${known[reason] ?? reason}`;
}
