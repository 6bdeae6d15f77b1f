/**
 * Follows a shell script as far as that is possible without running a program: takes its text and environment, gives
 * its duration, exit code and output.
 */
import { lookup, own } from "../../base/members.js";
import { NotUnderstood, numberOf } from "./not-understood.js";
import { substitute } from "./words.js";

/** The end of a script. `exitCode` is undefined if it never ends. */
export interface Ending {
  readonly slept: number;
  readonly exitCode: number | undefined;
  /** The output, as far as the script was followed. */
  readonly output: readonly Line[];
}

/** `at` is in milliseconds after the start. */
interface Line {
  readonly at: number;
  readonly text: string;
}

/** No script that ends runs more commands; one that does counts as endless. */
const maxCommands = 500;

/** Thrown to leave the script from any depth. */
class Exit extends Error {
  readonly code: number;
  constructor(code: number) {
    super(`exit ${code}`);
    this.code = code;
  }
}

class Forever extends Error {}

/** Throws `NotUnderstood` if a reached command is not sleep, exit, true, false, echo, expr or a comparison. */
export function followScript(script: string, environment: ReadonlyMap<string, string>): Ending {
  const run = new Run(tokensOf(script), environment);
  try {
    const exitCode = run.list(new Set(), true);
    run.end();
    return { slept: run.slept, exitCode, output: run.output };
  } catch (stop) {
    const { slept, output } = run;
    if (stop instanceof Exit) return { slept, exitCode: stop.code, output };
    if (stop instanceof Forever) return { slept: Number.POSITIVE_INFINITY, exitCode: undefined, output };
    throw stop;
  }
}

/** Words as written, with their quotes; operators; newlines as `;`. */
function tokensOf(script: string): readonly string[] {
  const tokens: string[] = [];
  const token =
    /[ \t]+|(?<comment>#[^\n]*)|(?<operator>&&|\|\||[;\n])|(?<word>(?:'[^']*'|"(?:\\.|[^"\\])*"|\$\(\((?:[^()]|\([^()]*\))*\)\)|\$\([^()]*\)|\$\{\w+\}|[^\s;&|<>()`'"#]|(?<=\S)#)+)/y;
  while (token.lastIndex < script.length) {
    const at = token.lastIndex;
    const found = token.exec(script);
    if (found === null) throw new NotUnderstood(`cannot read ${JSON.stringify(script.slice(at, at + 20))}`);
    const { operator, word } = found.groups ?? {};
    if (operator !== undefined) tokens.push(operator === "\n" ? ";" : operator);
    else if (word !== undefined) tokens.push(word);
  }
  return tokens;
}

/** Parses and follows at once: a branch that is not taken is parsed with `live` false. */
class Run {
  slept = 0;
  readonly output: Line[] = [];
  readonly #tokens: readonly string[];
  readonly #environment: Map<string, string>;
  #at = 0;
  #commands = 0;

  constructor(tokens: readonly string[], environment: ReadonlyMap<string, string>) {
    this.#tokens = tokens;
    this.#environment = new Map(environment);
  }

  end(): void {
    if (this.#at < this.#tokens.length) throw new NotUnderstood(`unexpected ${this.#tokens[this.#at]}`);
  }

  /** Follows commands up to one of `closing`, which stays unread; gives the exit code of the last. */
  list(closing: ReadonlySet<string>, live: boolean): number {
    let code = 0;
    for (;;) {
      while (this.#peek() === ";") this.#at++;
      const next = this.#peek();
      if (next === undefined || closing.has(next)) return code;
      code = this.#andOr(live);
    }
  }

  #peek(): string | undefined {
    return this.#tokens[this.#at];
  }

  #expect(word: string): void {
    while (this.#peek() === ";") this.#at++;
    if (this.#tokens[this.#at++] !== word) throw new NotUnderstood(`${word} is missing`);
  }

  #andOr(live: boolean): number {
    let code = this.#command(live);
    for (let operator = this.#peek(); operator === "&&" || operator === "||"; operator = this.#peek()) {
      this.#at++;
      const taken = (code === 0) === (operator === "&&");
      const next = this.#command(live && taken);
      if (taken) code = next;
    }
    return code;
  }

  #command(live: boolean): number {
    const word = this.#peek();
    if (word === "!") {
      this.#at++;
      return this.#command(live) === 0 ? 1 : 0;
    }
    if (word === "if") return this.#if(live);
    if (word === "while" || word === "until") return this.#loop(live);
    const words: string[] = [];
    for (let next = this.#peek(); next !== undefined && !/^(;|&&|\|\|)$/.test(next); next = this.#peek()) {
      words.push(next);
      this.#at++;
    }
    return live ? this.#simple(words) : 0;
  }

  #if(live: boolean): number {
    this.#at++;
    const condition = this.list(new Set(["then"]), live) === 0;
    this.#expect("then");
    const then = this.list(new Set(["elif", "else", "fi"]), live && condition);
    let code = condition ? then : 0;
    if (this.#peek() === "elif") {
      const other = this.#if(live && !condition);
      return condition ? code : other;
    }
    if (this.#peek() === "else") {
      this.#at++;
      const other = this.list(new Set(["fi"]), live && !condition);
      if (!condition) code = other;
    }
    this.#expect("fi");
    return code;
  }

  #loop(live: boolean): number {
    const until = this.#tokens[this.#at++] === "until";
    const start = this.#at;
    let code = 0;
    for (;;) {
      this.#at = start;
      const holds = live && (this.list(new Set(["do"]), live) === 0) !== until;
      this.#expectAfterCondition(live);
      const last = this.list(new Set(["done"]), holds);
      this.#expect("done");
      if (!holds) return code;
      code = last;
      this.#count();
    }
  }

  /** A condition that is not followed still has to be parsed. */
  #expectAfterCondition(live: boolean): void {
    if (!live) this.list(new Set(["do"]), false);
    this.#expect("do");
  }

  #count(): void {
    this.#commands++;
    if (this.#commands > maxCommands) throw new Forever();
  }

  #simple(written: readonly string[]): number {
    this.#count();
    const [first = "", ...rest] = written;
    const assignment = /^(?<name>\w+)=(?<value>.*)$/s.exec(first);
    if (assignment !== null && rest.length === 0) {
      const { name = "", value = "" } = assignment.groups ?? {};
      this.#environment.set(name, substitute(value, this.#environment));
      return 0;
    }
    // the variable is for this command alone, and its own words do not see it
    if (assignment !== null && rest[0] !== "env") return this.#simple(rest);
    // an unknown variable in printed text does not affect the outcome
    const isShown = first === "echo";
    const [name = "", ...args] = written.map((word) => substitute(word, this.#environment, isShown));
    const ending = followCommand(name, args, this.#environment);
    if (ending.exits) throw new Exit(ending.exitCode ?? 0);
    for (const { text } of ending.output) this.output.push({ at: this.slept, text });
    this.slept += ending.slept;
    if (ending.exitCode === undefined) throw new Forever();
    return ending.exitCode;
  }
}

/** Follows one command whose words are known. */
export function followCommand(
  name: string,
  args: readonly string[],
  environment: ReadonlyMap<string, string>,
): Ending & { readonly exits?: boolean } {
  switch (name.replace(/^.*\//, "")) {
    case "true":
    case ":":
    case "set":
    case "trap":
      return after(0);
    case "echo":
      return { ...after(0), output: [{ at: 0, text: args.join(" ") }] };
    case "env":
      if (args.length > 0) throw new NotUnderstood("env runs a program");
      return { ...after(0), output: [...environment].map(([key, value]) => ({ at: 0, text: `${key}=${value}` })) };
    case "false":
      return after(1);
    case "exit":
      return { ...after(numberOf(args[0] ?? "0") & 255), exits: true };
    case "sleep": {
      const slept = args.reduce((sum, arg) => sum + durationOf(arg), 0);
      return Number.isFinite(slept) ? { ...after(0), slept } : forever;
    }
    case "pause":
      return forever;
    case "test":
      return after(compare(args) ? 0 : 1);
    case "[":
    case "[[":
      return after(compare(args.slice(0, -1)) ? 0 : 1);
    default:
      throw new NotUnderstood(`${name} would have to be run`);
  }
}

const after = (exitCode: number): Ending => ({ slept: 0, exitCode, output: [] });

export const forever: Ending = { slept: Number.POSITIVE_INFINITY, exitCode: undefined, output: [] };

const unitMs: Readonly<Record<string, number>> = lookup({ s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 });

function durationOf(text: string): number {
  if (/^(inf|infinity)$/.test(text)) return Number.POSITIVE_INFINITY;
  const found = /^(?<number>\d+(?:\.\d+)?)(?<unit>[smhd]?)$/.exec(text);
  if (found === null) throw new NotUnderstood(`${JSON.stringify(text)} is no time`);
  return Number(found.groups?.["number"]) * (unitMs[found.groups?.["unit"] || "s"] as number);
}

const comparisons: Readonly<Record<string, (a: number, b: number) => boolean>> = lookup({
  "-eq": (a, b) => a === b,
  "-ne": (a, b) => a !== b,
  "-lt": (a, b) => a < b,
  "-le": (a, b) => a <= b,
  "-gt": (a, b) => a > b,
  "-ge": (a, b) => a >= b,
});

function compare(args: readonly string[]): boolean {
  const [a = "", operator = "", b = ""] = args;
  if (a === "!") return !compare(args.slice(1));
  if (args.length === 1) return a !== "";
  if (args.length === 2 && a === "-n") return operator !== "";
  if (args.length === 2 && a === "-z") return operator === "";
  if (args.length === 3 && (operator === "=" || operator === "==")) return a === b;
  if (args.length === 3 && operator === "!=") return a !== b;
  const numbers = args.length === 3 ? own(comparisons, operator) : undefined;
  if (numbers === undefined) throw new NotUnderstood(`cannot test ${args.join(" ")}`);
  return numbers(numberOf(a), numberOf(b));
}
