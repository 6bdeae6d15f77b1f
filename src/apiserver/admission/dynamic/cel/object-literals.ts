/** `Object.spec{replicas: 1}` and `JSONPatch{op: "add"}`, which the CEL library does not know, as the maps that they stand for. Pure text to text. */

const opening = /^(?:Object(?:\.[A-Za-z_]\w*)*|JSONPatch)\s*\{/;
const field = /^(\??)([A-Za-z_]\w*)\s*:/;
const text = /^(?:[rRbB]{0,2}(?:"""[^]*?"""|'''[^]*?'''|"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*'))/;
const word = /^[A-Za-z_]\w*/;

/** What stands open: a map that was a message, or any other bracket. */
type Bracket = "message" | "other";

/** Strings and everything that is no such literal stay as they are. */
export function withoutObjectLiterals(expression: string): string {
  const open: Bracket[] = [];
  let result = "";
  let rest = expression;
  let afterDot = false;
  /** A field name may come next. */
  let atField = false;
  while (rest !== "") {
    const taken = next(rest, { atField, afterDot });
    result += taken.output;
    rest = rest.slice(taken.length);
    if (taken.opens !== undefined) open.push(taken.opens);
    if (taken.closes) open.pop();
    const comma = taken.output === "," && open.at(-1) === "message";
    atField = taken.opens === "message" || comma || (atField && taken.output.trim() === "");
    afterDot = taken.output === ".";
  }
  return result;
}

interface Taken {
  readonly length: number;
  readonly output: string;
  readonly opens?: Bracket;
  readonly closes?: boolean;
}

function next(rest: string, { atField, afterDot }: { readonly atField: boolean; readonly afterDot: boolean }): Taken {
  const quoted = text.exec(rest)?.[0];
  if (quoted !== undefined) return { length: quoted.length, output: quoted };
  const message = afterDot ? undefined : opening.exec(rest)?.[0];
  if (message !== undefined) return { length: message.length, output: "{", opens: "message" };
  const named = atField ? field.exec(rest) : null;
  if (named !== null) return { length: named[0].length, output: `${named[1]}"${named[2]}":` };
  const name = word.exec(rest)?.[0];
  if (name !== undefined) return { length: name.length, output: name };
  const [sign = ""] = rest;
  if ("{[(".includes(sign)) return { length: 1, output: sign, opens: "other" };
  return { length: 1, output: sign, closes: "}])".includes(sign) };
}
