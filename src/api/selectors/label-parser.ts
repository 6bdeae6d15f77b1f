/**
 * The grammar of label selectors: takes text, gives validated requirements, or an error with the position of the fault.
 */
import { lookup } from "../../base/members.js";
import { printFieldError } from "../errors/field-error.js";
import { fieldPath } from "../errors/field-path.js";
import { ParseError } from "../parse-error.js";
import { isQualifiedName } from "../values/names.js";
import { InvalidRequirementError, newRequirement, type Requirement, type SelectorOperator } from "./requirement.js";

type TokenType = "identifier" | "operator" | "(" | ")" | "," | "!" | "end";

interface Token {
  readonly type: TokenType;
  readonly text: string;
  readonly position: number;
}

const spaces = new Set([" ", "\t", "\r", "\n"]);
const specials = new Set(["=", "!", "(", ")", ",", ">", "<"]);
const words = new Set(["in", "notin"]);

const binaryOperators: Readonly<Record<string, SelectorOperator>> = lookup({
  in: "in",
  notin: "notin",
  "=": "=",
  "==": "==",
  "!=": "!=",
  ">": "gt",
  "<": "lt",
});

const singles: Readonly<Record<string, TokenType>> = lookup({ "(": "(", ")": ")", ",": ",", "!": "!" });

/** Takes the longest operator of special characters; each special character alone is a token too. */
function special(text: string, position: number): Token {
  const pair = text.slice(position, position + 2);
  const token = pair === "==" || pair === "!=" ? pair : pair.slice(0, 1);
  return { type: singles[token] ?? "operator", text: token, position };
}

function tokens(text: string): Token[] {
  const found: Token[] = [];
  let at = 0;
  // as on a server: a NUL between tokens ends the text, a NUL right after a token is skipped
  while (at < text.length && text[at] !== "\0") {
    const character = text[at] as string;
    if (spaces.has(character)) {
      at++;
      continue;
    }
    if (specials.has(character)) {
      const token = special(text, at);
      found.push(token);
      at += token.text.length;
      if (text[at] === "\0") at++;
      continue;
    }
    const start = at;
    while (at < text.length && !spaces.has(text[at] as string) && !specials.has(text[at] as string)) {
      if (text[at] === "\0") break;
      at++;
    }
    const word = text.slice(start, at);
    if (text[at] === "\0") at++;
    found.push({ type: words.has(word) ? "operator" : "identifier", text: word, position: start });
  }
  found.push({ type: "end", text: "", position: text.length });
  return found;
}

/** Words that are operators may also be keys and values: `in in (in)`. */
const isIdentifier = ({ type, text }: Token): boolean => type === "identifier" || words.has(text);

/** The tokens and the reading position. The last token is `end` and is never passed. */
interface Reader {
  readonly peek: () => Token;
  readonly take: () => Token;
  /** Makes the error to throw: `reason` is about the text, `token` gives the position. */
  readonly fail: (reason: string, token: Token) => ParseError;
}

function readerOf(text: string): Reader {
  const all = tokens(text);
  let next = 0;
  const peek = (): Token => all[next] as Token;
  return {
    peek,
    take() {
      const token = peek();
      if (token.type !== "end") next++;
      return token;
    },
    fail: (reason, { position }) => new ParseError(reason, { input: text, position }),
  };
}

/** All requirements in the order of the text. */
export function parseRequirements(text: string): Requirement[] {
  const reader = readerOf(text);
  const { peek, take, fail } = reader;
  const inRequirement: Reader = {
    ...reader,
    fail: (reason, token) => fail(`unable to parse requirement: ${reason}`, token),
  };
  const requirements: Requirement[] = [];
  for (;;) {
    const token = peek();
    if (token.type === "end") return requirements;
    if (!isIdentifier(token) && token.type !== "!") {
      throw fail(`found '${token.text}', expected: !, identifier, or 'end of string'`, token);
    }
    requirements.push(requirement(inRequirement));
    const separator = take();
    if (separator.type === "end") return requirements;
    if (separator.type !== ",") throw fail(`found '${separator.text}', expected: ',' or 'end of string'`, separator);
    const after = peek();
    if (!isIdentifier(after) && after.type !== "!") {
      throw fail(`found '${after.text}', expected: identifier after ','`, after);
    }
  }
}

function requirement(reader: Reader): Requirement {
  const { peek, take, fail } = reader;
  const negated = peek().type === "!";
  if (negated) take();
  const key = take();
  if (!isIdentifier(key)) throw fail(`found '${key.text}', expected: identifier`, key);
  const complaints = isQualifiedName(key.text);
  if (complaints.length > 0) {
    throw fail(printFieldError(fieldPath("<nil>").invalid(key.text, complaints.join("; "))), key);
  }
  if (negated) return { key: key.text, operator: "!", values: [] };
  const sign = peek();
  if (sign.type === "end" || sign.type === ",") return { key: key.text, operator: "exists", values: [] };
  take();
  const operator = Object.hasOwn(binaryOperators, sign.text) ? binaryOperators[sign.text] : undefined;
  if (operator === undefined) throw fail(`found '${sign.text}', expected: in, notin, =, ==, !=, gt, lt`, sign);
  const from = peek();
  const values = operator === "in" || operator === "notin" ? setOfValues(reader) : exactValue(reader);
  try {
    return newRequirement(key.text, operator, values);
  } catch (error) {
    if (error instanceof InvalidRequirementError) throw fail(error.message, from);
    throw error;
  }
}

function setOfValues(reader: Reader): string[] {
  const { peek, take, fail } = reader;
  const open = take();
  if (open.type !== "(") throw fail(`found '${open.text}' expected: '('`, open);
  const first = peek();
  if (first.type === ")") {
    take();
    return [""];
  }
  if (!isIdentifier(first) && first.type !== ",") {
    throw fail(`found '${first.text}', expected: ',', ')' or identifier`, first);
  }
  const found = identifiers(reader);
  take();
  return [...found].sort();
}

/** Reads up to the closing bracket; nothing between two commas is the empty value. */
function identifiers({ peek, take, fail }: Reader): ReadonlySet<string> {
  const found = new Set<string>();
  for (;;) {
    const token = take();
    const following = peek();
    if (isIdentifier(token)) {
      found.add(token.text);
      if (following.type === ")") return found;
      if (following.type !== ",") throw fail(`found '${following.text}', expected: ',' or ')'`, following);
    } else if (token.type === ",") {
      if (found.size === 0 || following.type === ")" || following.type === ",") found.add("");
      if (following.type === ")") return found;
    } else {
      throw fail(`found '${token.text}', expected: ',', or identifier`, token);
    }
  }
}

function exactValue({ peek, take, fail }: Reader): string[] {
  const following = peek();
  if (following.type === "end" || following.type === ",") return [""];
  const value = take();
  if (!isIdentifier(value)) throw fail(`found '${value.text}', expected: identifier`, value);
  return [value.text];
}
