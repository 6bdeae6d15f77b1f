/**
 * Scans JSON text for facts that JSON.parse does not tell: duplicate fields, fields unknown to the type, and syntax
 * errors in the words of Go's parser. Problems come in the order of the text.
 */
import type { ObjectType, Shape } from "../../api/schema/index.js";
import { goQuote } from "../../api/go-quote.js";

/** Thrown for text that is not JSON. */
export class JsonSyntaxError extends Error {
  override readonly name = "JsonSyntaxError";
}

/** Deeper objects are refused: encoding them again could overflow the stack. */
const maxDepth = 1_000;

/** Limit on the reported problems. */
const maxProblems = 100;
/** Limit on the characters of all problems, repeated ones included. */
const maxCharacters = 256 * 1024;

/**
 * If `type` is undefined, only duplicate fields are reported, and unknown fields of `metadata`, whose type is given
 * separately.
 */
export interface ScanTypes {
  readonly type: ObjectType | undefined;
  readonly metadata: ObjectType;
}

/** The strict problems of a text, as upstream words them: `unknown field "spec.foo"`, `duplicate field "data.x"`. */
export function scanJson(text: string, { type, metadata }: ScanTypes): readonly string[] {
  const duplicates = new Scanner(text);
  if (type !== undefined) {
    duplicates.scan({ kind: "object", type });
    return duplicates.problems;
  }
  duplicates.scan(undefined);
  const unknown = new Scanner(text);
  unknown.scan({ kind: "object", type: customKind(metadata) });
  // upstream first looks for duplicates in the text, then for unknown fields
  return [...duplicates.problems, ...unknown.problems.filter((problem) => problem.startsWith("unknown"))];
}

/** Duplicate fields in a text of unknown type: `duplicate field "spec.x"`. Throws JsonSyntaxError. */
export function duplicateFields(text: string): readonly string[] {
  const scanner = new Scanner(text);
  scanner.scan(undefined);
  return scanner.problems;
}

/** The type of an object of which only the metadata is known. */
function customKind(metadata: ObjectType): ObjectType {
  const field = { shape: { kind: "object", type: metadata } };
  const anything = { shape: { kind: "json" } };
  const properties = { get: (name: string) => (name === "metadata" ? field : anything) };
  return { ...metadata, properties } as unknown as ObjectType;
}

class Scanner {
  readonly problems: string[] = [];
  #characters = 0;
  readonly #seen = new Set<string>();
  readonly #text: string;
  readonly #path: (string | number)[] = [];
  #at = 0;

  constructor(text: string) {
    this.#text = text;
  }

  scan(shape: Shape | undefined): void {
    this.#space();
    this.#value(shape, 0);
    this.#space();
    if (this.#at < this.#text.length) throw this.#invalid("after top-level value");
  }

  #value(shape: Shape | undefined, depth: number): void {
    const char = this.#text[this.#at];
    if (char === "{") this.#object(shape, depth + 1);
    else if (char === "[") this.#array(shape, depth + 1);
    else if (char === '"') this.#string();
    else if (char === "t") this.#literal("true");
    else if (char === "f") this.#literal("false");
    else if (char === "n") this.#literal("null");
    else this.#number();
  }

  #object(shape: Shape | undefined, depth: number): void {
    if (depth > maxDepth) throw new JsonSyntaxError("exceeded max depth");
    const fields = shape?.kind === "object" ? shape.type.properties : undefined;
    const values = shape?.kind === "map" ? shape.items : undefined;
    const names = new Set<string>();
    this.#at++;
    this.#space();
    if (this.#text[this.#at] === "}") {
      this.#at++;
      return;
    }
    for (;;) {
      if (this.#text[this.#at] !== '"') throw this.#invalid("looking for beginning of object key string");
      const name = this.#string();
      this.#space();
      if (this.#text[this.#at] !== ":") throw this.#invalid("after object key");
      this.#at++;
      this.#space();
      this.#path.push(name);
      const field = fields?.get(name);
      const unknown = fields !== undefined && field === undefined;
      if (unknown) this.#report("unknown");
      else if (names.has(name)) this.#report("duplicate");
      names.add(name);
      this.#value(unknown ? undefined : (field?.shape ?? values), depth);
      this.#path.pop();
      this.#space();
      if (this.#ends("}", "after object key:value pair")) return;
    }
  }

  #array(shape: Shape | undefined, depth: number): void {
    if (depth > maxDepth) throw new JsonSyntaxError("exceeded max depth");
    const items = shape?.kind === "list" ? shape.items : undefined;
    this.#at++;
    this.#space();
    if (this.#text[this.#at] === "]") {
      this.#at++;
      return;
    }
    for (let index = 0; ; index++) {
      this.#path.push(index);
      this.#value(items, depth);
      this.#path.pop();
      this.#space();
      if (this.#ends("]", "after array element")) return;
    }
  }

  /** Consumes a comma and gives false, or the closing mark and gives true. */
  #ends(mark: string, context: string): boolean {
    const char = this.#text[this.#at];
    if (char !== mark && char !== ",") throw this.#invalid(context);
    this.#at++;
    if (char === mark) return true;
    this.#space();
    return false;
  }

  #string(): string {
    const start = ++this.#at;
    let escaped = false;
    for (;;) {
      const code = this.#text.charCodeAt(this.#at);
      if (code === 0x22) break;
      if (Number.isNaN(code) || code < 0x20) throw this.#invalid("in string literal");
      if (code === 0x5c) {
        escaped = true;
        this.#escape();
      } else this.#at++;
    }
    const inner = this.#text.slice(start, this.#at++);
    return escaped ? (JSON.parse(`"${inner}"`) as string) : inner;
  }

  #escape(): void {
    this.#at++;
    const char = this.#text[this.#at];
    if (char === undefined || !'"\\/bfnrtu'.includes(char)) throw this.#invalid("in string escape code");
    this.#at++;
    for (let i = 0; char === "u" && i < 4; i++, this.#at++) {
      if (!/[0-9a-fA-F]/.test(this.#text[this.#at] ?? "")) throw this.#invalid("in \\u hexadecimal character escape");
    }
  }

  #literal(word: string): void {
    for (const [index, char] of word.split("").entries()) {
      if (this.#text[this.#at] !== char) throw this.#invalid(`in literal ${word} (expecting ${goChar(word[index])})`);
      this.#at++;
    }
  }

  #number(): void {
    const pattern = /-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?/y;
    pattern.lastIndex = this.#at;
    const found = pattern.exec(this.#text)?.[0];
    if (found === undefined) {
      if (this.#text[this.#at] === "-") {
        this.#at++;
        throw this.#invalid("in numeric literal");
      }
      throw this.#invalid("looking for beginning of value");
    }
    this.#at += found.length;
  }

  #space(): void {
    for (;;) {
      const code = this.#text.charCodeAt(this.#at);
      if (code !== 0x20 && code !== 0x0a && code !== 0x0d && code !== 0x09) return;
      this.#at++;
    }
  }

  #report(what: "unknown" | "duplicate"): void {
    // names may be long, and a path is made for each problem
    if (this.problems.length >= maxProblems || this.#characters > maxCharacters) return;
    let path = "";
    for (const step of this.#path) path += typeof step === "number" ? `[${step}]` : path === "" ? step : `.${step}`;
    const problem = `${what} field ${goQuote(path)}`;
    this.#characters += problem.length;
    if (this.#seen.has(problem)) return;
    this.#seen.add(problem);
    this.problems.push(problem);
  }

  #invalid(context: string): JsonSyntaxError {
    const char = this.#text[this.#at];
    if (char === undefined) return new JsonSyntaxError("unexpected end of JSON input");
    return new JsonSyntaxError(`invalid character ${goChar(char)} ${context}`);
  }
}

/** A character in single quotes, as Go prints it. */
function goChar(char: string | undefined): string {
  if (char === "'") return String.raw`'\''`;
  if (char === '"') return `'"'`;
  return `'${goQuote(char ?? "").slice(1, -1)}'`;
}
