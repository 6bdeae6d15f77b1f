/** Parses tokens into a tree by recursive descent and expands macros on the way. Complains in the words of the API server. */
import { Uint } from "../values/value.js";
import { balanced, call, type CallExpr, type Expr, type Item } from "./ast.js";
import { type Token, tokensOf } from "./lexer.js";
import { bytesOf, doubleOf, intOf, stringOf, uintOf } from "./literals.js";
import { expandMacro, type MacroOptions, repeatsTarget } from "./macros.js";
import { Measures, tooLarge } from "./measures.js";
import { type Complaint, CelSyntaxError, complaintsText } from "./source.js";
import { keywords, reservedWords } from "../values/names.js";
import { codePoints } from "../../text/code-points.js";

const maxDepth = 250;
const maxCodePoints = 100_000;

const beginnings =
  "{'[', '{', '(', '.', '-', '!', 'true', 'false', 'null', NUM_FLOAT, NUM_INT, NUM_UINT, STRING, BYTES, IDENTIFIER}";

/** Throws a CelSyntaxError with all complaints. */
export function parse(source: string, options: MacroOptions = {}): Expr {
  const length = codePoints(source);
  if (length > maxCodePoints)
    throw new CelSyntaxError(
      complaintsText(source, [
        { at: undefined, message: `expression code point size exceeds limit: size: ${length}, limit ${maxCodePoints}` },
      ]),
    );
  const complaints: Complaint[] = [];
  const parser = new Parser(tokensOf(source, complaints), complaints, options);
  const expr = parser.whole();
  if (complaints.length > 0 || expr === undefined) throw new CelSyntaxError(complaintsText(source, complaints));
  return expr;
}

/** Ends the parse: nothing after the first wrong token makes sense. */
class Stopped extends Error {}

/**
 * Invariants:
 * 1. `#next` is the index of the first token that is not parsed yet; the last token is the end.
 * 2. `#nesting` counts the expressions around the one being parsed.
 */
class Parser {
  readonly #tokens: readonly Token[];
  readonly #complaints: Complaint[];
  readonly #options: MacroOptions;
  readonly #measures = new Measures();
  #next = 0;
  #nesting = 0;

  constructor(tokens: readonly Token[], complaints: Complaint[], options: MacroOptions) {
    this.#tokens = tokens;
    this.#options = options;
    this.#complaints = complaints;
  }

  whole(): Expr | undefined {
    try {
      const expr = this.#expression();
      const { type, text, at } = this.#token;
      if (type !== "end") {
        const last = this.#tokens[this.#next + 1]?.type === "end";
        this.#stop(at, `Syntax error: ${last ? "extraneous" : "mismatched"} input '${text}' expecting <EOF>`);
      }
      return expr;
    } catch (error) {
      if (error instanceof Stopped) return undefined;
      throw error;
    }
  }

  get #token(): Token {
    return this.#tokens[this.#next] as Token;
  }

  #atEnd(): boolean {
    return this.#token.type === "end";
  }

  #complain(at: number | undefined, message: string): void {
    this.#complaints.push({ at, message });
  }

  #stop(at: number | undefined, message: string): never {
    this.#complain(at, message);
    throw new Stopped();
  }

  #isSign(text: string): boolean {
    const token = this.#token;
    return token.text === text && (token.type === "sign" || (token.type === "ident" && text === "in"));
  }

  /** Consumes the sign if it comes next. */
  #take(...texts: readonly string[]): Token | undefined {
    for (const text of texts)
      if (this.#isSign(text)) {
        const token = this.#token;
        this.#next++;
        return token;
      }
    return undefined;
  }

  #expect(text: string, expecting?: string): Token {
    const token = this.#take(text);
    if (token !== undefined) return token;
    const { at, text: found } = this.#token;
    return this.#stop(
      at,
      expecting === undefined
        ? `Syntax error: missing '${text}' at '${found}'`
        : `Syntax error: mismatched input '${found}' expecting ${expecting}`,
    );
  }

  #expression(): Expr {
    if (++this.#nesting > maxDepth) this.#stop(undefined, `expression recursion limit exceeded: ${maxDepth}`);
    const condition = this.#logical("||");
    const mark = this.#take("?");
    let expr = condition;
    if (mark !== undefined) {
      const then = this.#logical("||");
      this.#expect(":", "':'");
      const otherwise = this.#expression();
      expr = call("_?_:_", mark.at, [condition, then, otherwise]);
    }
    this.#nesting--;
    this.#measure(expr);
    return expr;
  }

  #logical(sign: "||" | "&&"): Expr {
    const terms = [this.#operand(sign)];
    const marks: number[] = [];
    for (let token = this.#take(sign); token !== undefined; token = this.#take(sign)) {
      marks.push(token.at);
      terms.push(this.#operand(sign));
    }
    return balanced(`_${sign}_`, terms, marks);
  }

  #operand(sign: "||" | "&&"): Expr {
    return sign === "||" ? this.#logical("&&") : this.#binary(0);
  }

  /** Relations, sums, products: a higher level binds closer. */
  #binary(level: number): Expr {
    const signs = operators[level];
    if (signs === undefined) return this.#unary();
    let left = this.#binary(level + 1);
    for (let token = this.#take(...signs), length = 1; token !== undefined; token = this.#take(...signs)) {
      this.#lengthen(++length, left);
      left = call(token.text === "in" ? "@in" : `_${token.text}_`, token.at, [left, this.#binary(level + 1)]);
    }
    return left;
  }

  /** Called for each link of a chain of operators or members, which becomes as deep as it is long. */
  #lengthen(length: number, soFar: Expr): void {
    if (length > maxDepth) this.#stop(undefined, "max recursion depth exceeded");
    this.#measure(soFar);
  }

  #unary(): Expr {
    const sign = this.#take("!", "-");
    if (sign === undefined) return this.#member(this.#primary());
    let count = 1;
    while (this.#take(sign.text) !== undefined) count++;
    const isNumber = this.#token.type === "int" || this.#token.type === "double";
    if (sign.text === "-" && isNumber) {
      const at = (this.#tokens[this.#next - 1] as Token).at;
      const target = this.#member(this.#number(true, at));
      return (count - 1) % 2 === 0 ? target : call("-_", sign.at, [target]);
    }
    const target = this.#member(this.#primary());
    return count % 2 === 0 ? target : call(sign.text === "!" ? "!_" : "-_", sign.at, [target]);
  }

  #member(primary: Expr): Expr {
    let expr = primary;
    for (let length = 1; ; length++) {
      this.#lengthen(length, expr);
      const open = this.#take("[");
      if (open !== undefined) {
        const optional = this.#take("?") !== undefined;
        const index = this.#expression();
        this.#expect("]");
        expr = call(optional ? "_[?_]" : "_[_]", open.at, [expr, index]);
        continue;
      }
      const dot = this.#take(".");
      if (dot === undefined) return expr;
      expr = this.#memberOf(expr, dot);
    }
  }

  #memberOf(operand: Expr, dot: Token): Expr {
    const optional = this.#take("?") !== undefined;
    const { type, text, at } = this.#token;
    if ((type !== "ident" && type !== "quoted") || keywords.has(text)) {
      const isWord = type === "ident" && text !== "in";
      this.#stop(
        at,
        isWord || optional
          ? `Syntax error: mismatched input '${text}' expecting IDENTIFIER`
          : `Syntax error: no viable alternative at input '.${type === "end" ? "" : text}'`,
      );
    }
    this.#next++;
    if (type === "quoted") this.#complain(at, "unsupported syntax: '`'");
    if (optional) return call("_?._", dot.at, [operand, { type: "literal", value: text, at }]);
    const open = type === "ident" ? this.#take("(") : undefined;
    if (open !== undefined) return this.#called({ name: text, target: operand, at: open.at });
    return { type: "select", operand, field: text, test: false, at: dot.at };
  }

  #called({
    name,
    target,
    at,
  }: {
    readonly name: string;
    readonly target: Expr | undefined;
    readonly at: number;
  }): Expr {
    const args: Expr[] = [];
    if (this.#take(")") === undefined) {
      if (this.#token.type === "end")
        this.#stop(
          this.#token.at,
          `Syntax error: mismatched input '<EOF>' expecting ${beginnings.replace("'(', ", "'(', ')', ")}`,
        );
      args.push(this.#expression());
      while (this.#take(",") !== undefined) args.push(this.#expression());
      this.#expect(")", "{')', ','}");
    }
    const plain: CallExpr = { type: "call", name, target, args, at };
    if (target !== undefined && repeatsTarget(plain) && this.#measures.isLarge(target)) this.#stop(undefined, tooLarge);
    const expanded = expandMacro(plain, this.#options);
    if (expanded === undefined) return plain;
    if ("message" in expanded) {
      this.#complain(expanded.at, expanded.message);
      return { type: "literal", value: "<<error>>", at };
    }
    return expanded;
  }

  #measure(expr: Expr): void {
    const wrong = this.#measures.fault(expr);
    if (wrong !== undefined) this.#stop(undefined, wrong);
  }

  #primary(): Expr {
    const token = this.#token;
    switch (token.type) {
      case "int":
      case "double":
        return this.#number(false, token.at);
      case "uint":
      case "string":
      case "bytes":
        return this.#literal(token);
      case "ident":
        return this.#word(token);
      default:
        break;
    }
    if (this.#take("(") !== undefined) {
      const expr = this.#expression();
      this.#expect(")");
      return expr;
    }
    if (this.#take("[") !== undefined) return this.#list(token.at);
    if (this.#take("{") !== undefined) return this.#map(token.at);
    if (this.#take(".") !== undefined && this.#token.type === "ident" && !keywords.has(this.#token.text))
      return this.#word(this.#token, ".");
    return this.#noExpression(token);
  }

  #noExpression({ type, text, at }: Token): never {
    const after = this.#tokens[this.#next + 1];
    const goesOn =
      after !== undefined && after.type !== "end" && (after.type !== "sign" || "[{(.-!".includes(after.text));
    const isExtra = type !== "end" && goesOn;
    return this.#stop(
      at,
      `Syntax error: ${isExtra ? "extraneous" : "mismatched"} input '${text}' expecting ${beginnings}`,
    );
  }

  #number(negative: boolean, at: number): Expr {
    const { type, text } = this.#token;
    this.#next++;
    const value = type === "int" ? intOf(text, negative) : doubleOf(text, negative);
    if (value === undefined) this.#complain(at, `invalid ${type} literal`);
    return { type: "literal", value: value ?? 0n, at };
  }

  #literal({ type, text, at }: Token): Expr {
    this.#next++;
    if (type === "uint") {
      const value = uintOf(text);
      if (value === undefined) this.#complain(at, "invalid uint literal");
      return { type: "literal", value: new Uint(value ?? 0n), at };
    }
    const value = type === "string" ? stringOf(text) : bytesOf(text);
    if (value === undefined) this.#stop(at, `Syntax error: token recognition error at: '${text.slice(0, -1)}'`);
    return { type: "literal", value: value as string | Uint8Array, at };
  }

  #word({ text, at }: Token, prefix = ""): Expr {
    if (text === "in") return this.#noExpression(this.#token);
    this.#next++;
    if (text === "true" || text === "false") return { type: "literal", value: text === "true", at };
    if (text === "null") return { type: "literal", value: null, at };
    const struct = this.#structName(prefix + text);
    if (struct !== undefined) return this.#struct(struct);
    if (reservedWords.has(text)) {
      this.#complain(at, `reserved identifier: ${text}`);
      return { type: "literal", value: "<<error>>", at };
    }
    const open = this.#take("(");
    const name = prefix + text;
    return open === undefined ? { type: "ident", name, at } : this.#called({ name, target: undefined, at: open.at });
  }

  /** Consumes `.b.c` of `a.b.c{`; undefined, and nothing is consumed, if no brace follows. */
  #structName(first: string): string | undefined {
    let ahead = this.#next;
    let name = first;
    while (this.#tokens[ahead]?.text === "." && this.#tokens[ahead + 1]?.type === "ident") {
      name += `.${(this.#tokens[ahead + 1] as Token).text}`;
      ahead += 2;
    }
    const brace = this.#tokens[ahead];
    if (brace?.type !== "sign" || brace.text !== "{") return undefined;
    this.#next = ahead;
    return name;
  }

  #struct(name: string): Expr {
    const { at } = this.#expect("{");
    const fields: (Item & { name: string; at: number })[] = [];
    while (!this.#isSign("}")) {
      const optional = this.#take("?") !== undefined;
      const { type, text, at: place } = this.#token;
      if ((type !== "ident" && type !== "quoted") || keywords.has(text))
        this.#stop(
          place,
          `Syntax error: mismatched input '${text}' expecting {'}', ',', '?', IDENTIFIER, ESC_IDENTIFIER}`,
        );
      if (type === "quoted") this.#complain(place, "unsupported syntax: '`'");
      this.#next++;
      const colon = this.#expect(":");
      fields.push({ name: text, value: this.#expression(), optional, at: colon.at });
      if (this.#take(",") === undefined) break;
    }
    this.#expect("}", "{'}', ','}");
    return { type: "struct", name, fields, at };
  }

  #list(at: number): Expr {
    const items: Item[] = [];
    while (!this.#isSign("]") && !this.#atEnd()) {
      const optional = this.#take("?") !== undefined;
      items.push({ value: this.#expression(), optional });
      if (this.#take(",") !== undefined) continue;
      if (this.#isSign("]") || this.#atEnd()) break;
      this.#stop(this.#token.at, `Syntax error: extraneous input '${this.#token.text}' expecting {']', ','}`);
    }
    this.#expect("]");
    return { type: "list", items, at };
  }

  #map(at: number): Expr {
    const entries: (Item & { key: Expr })[] = [];
    while (!this.#isSign("}")) {
      const optional = this.#take("?") !== undefined;
      const key = this.#expression();
      this.#expect(":");
      entries.push({ key, value: this.#expression(), optional });
      if (this.#take(",") === undefined) break;
    }
    this.#expect("}", "{'}', ','}");
    return { type: "map", entries, at };
  }
}

const operators: readonly (readonly string[])[] = [
  ["<", "<=", ">=", ">", "==", "!=", "in"],
  ["+", "-"],
  ["*", "/", "%"],
];
