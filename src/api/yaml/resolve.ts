/** Takes a plain YAML scalar and gives its type and its JSON text, by the rules of Kubernetes' YAML library. */

export type ScalarTag = "null" | "bool" | "int" | "float" | "timestamp" | "str";

export interface Resolved {
  readonly tag: ScalarTag;
  /** The value as JSON text; undefined if JSON cannot express it (an infinity or NaN). */
  readonly json: string | undefined;
}

const words: ReadonlyMap<string, Resolved> = new Map(
  (
    [
      ["null", "null", ["", "~", "null", "Null", "NULL"]],
      ["bool", "true", ["y", "Y", "yes", "Yes", "YES", "true", "True", "TRUE", "on", "On", "ON"]],
      ["bool", "false", ["n", "N", "no", "No", "NO", "false", "False", "FALSE", "off", "Off", "OFF"]],
      ["float", undefined, [".nan", ".NaN", ".NAN", ".inf", ".Inf", ".INF", "+.inf", "+.Inf", "+.INF"]],
      ["float", undefined, ["-.inf", "-.Inf", "-.INF"]],
    ] as const
  ).flatMap(([tag, json, spellings]) => spellings.map((spelling) => [spelling, { tag, json }] as const)),
);

const integer = /^[-+]?(?:0[xX][0-9a-fA-F]+|0[bB][01]+|0[oO]?[0-7]+|0|[1-9][0-9]*)$/;
const float = /^[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?$/;
const timestamp = /^[0-9]{4}-[0-9]{1,2}-[0-9]{1,2}(?:$|[Tt ][0-9]{1,2}:)/;

/** Longer text is no integer of 64 bits, and would be slow to read as one. */
const longestInteger = 80;
const smallest = -(2n ** 63n);
const largest = 2n ** 64n - 1n;

export function resolvePlain(text: string): Resolved {
  const word = words.get(text);
  if (word !== undefined) return word;
  const first = text.charCodeAt(0);
  // a number begins with a digit or one of + - .
  if (!(first >= 0x30 && first <= 0x39) && first !== 0x2b && first !== 0x2d && first !== 0x2e) return ordinary(text);
  if (timestamp.test(text)) return { tag: "timestamp", json: JSON.stringify(text) };
  const digits = text.replaceAll("_", "");
  if (digits.length <= longestInteger && integer.test(digits)) {
    const value = integerOf(digits);
    if (value >= smallest && value <= largest) return { tag: "int", json: String(value) };
  }
  if (float.test(digits)) {
    const value = Number(digits);
    if (Number.isFinite(value)) return { tag: "float", json: JSON.stringify(value) };
  }
  return ordinary(text);
}

const ordinary = (text: string): Resolved => ({ tag: "str", json: JSON.stringify(text) });

/** A leading zero makes a number octal, as in C. */
function integerOf(digits: string): bigint {
  const sign = /^[-+]/.exec(digits)?.[0] ?? "";
  const magnitude = digits.slice(sign.length).replace(/^0(?=[0-7])/, "0o");
  const value = BigInt(magnitude);
  return sign === "-" ? -value : value;
}
