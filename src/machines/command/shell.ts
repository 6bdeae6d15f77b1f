/**
 * Follows a shell script as far as that is possible without running a program: takes its text and environment, gives
 * its duration, exit code and output.
 */
import { posix } from "node:path";
import { followCommand } from "./commands.js";
import { type Ending, type Line, textOf } from "./ending.js";
import { NotUnderstood } from "./not-understood.js";
import type { CommandSurroundings } from "./surroundings.js";
import { substitute } from "./words.js";

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

/** Throws `NotUnderstood` if a reached command is not one that `followCommand` follows. */
export function followScript(script: string, surroundings: CommandSurroundings): Ending {
  const run = new Run(tokensOf(script), surroundings);
  try {
    const exitCode = run.list(new Set(), true);
    run.end();
    return { slept: run.slept, exitCode, output: run.output, ...written(run.files) };
  } catch (stop) {
    const { slept, output } = run;
    if (stop instanceof Exit) return { slept, exitCode: stop.code, output, ...written(run.files) };
    if (stop instanceof Forever) return { slept: Number.POSITIVE_INFINITY, exitCode: undefined, output };
    throw stop;
  }
}

const written = (files: ReadonlyMap<string, string>): Pick<Ending, "files"> => (files.size === 0 ? {} : { files });

/** Words as written, with their quotes; operators and redirections; newlines as `;`. */
function tokensOf(script: string): readonly string[] {
  const tokens: string[] = [];
  const token =
    /[ \t]+|(?<comment>#[^\n]*)|(?<operator>&&|\|\||[;\n]|[12]?>(?:>|&[12])?)|(?<word>(?:'[^']*'|"(?:\\.|[^"\\])*"|\$\(\((?:[^()]|\([^()]*\))*\)\)|\$\([^()]*\)|\$\{\w+\}|[^\s;&|<>()`'"#]|(?<=\S)#)+)/y;
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

/** The file, as written in the script, that takes the output of a command. */
interface Target {
  readonly path: string;
  readonly appends: boolean;
}

/** Parses and follows at once: a branch that is not taken is parsed with `live` false. */
class Run {
  slept = 0;
  readonly output: Line[] = [];
  readonly files = new Map<string, string>();
  readonly #tokens: readonly string[];
  readonly #environment: Map<string, string>;
  readonly #surroundings: CommandSurroundings;
  #at = 0;
  #commands = 0;

  constructor(tokens: readonly string[], surroundings: CommandSurroundings) {
    this.#tokens = tokens;
    this.#environment = new Map(surroundings.environment);
    const file: CommandSurroundings["file"] = (path) => {
      const content = this.files.get(path);
      return content === undefined
        ? surroundings.file(path)
        : { type: "file", content: Buffer.from(content), mode: 0o644 };
    };
    this.#surroundings = { environment: this.#environment, file };
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
    let output: Target | undefined;
    for (let next = this.#peek(); next !== undefined && !/^(;|&&|\|\|)$/.test(next); next = this.#peek()) {
      this.#at++;
      const { fd, to } = /^(?<fd>[12]?)>(?<to>>|&[12])?$/.exec(next)?.groups ?? {};
      if (fd === undefined) words.push(next);
      else if (to === undefined || to === ">") {
        const path = this.#tokens[this.#at++];
        if (path === undefined) throw new NotUnderstood(`${next} leads nowhere`);
        // no command that is followed writes errors
        if (fd !== "2") output = { path, appends: to === ">" };
      }
    }
    return live ? this.#simple(words, output) : 0;
  }

  /** Output that is not redirected, and that which still leads to the log, is the script's. */
  #write(lines: readonly Line[], target: Target | undefined): void {
    const path = target && substitute(target.path, this.#environment);
    if (path === undefined || /^\/(?:dev\/std(?:out|err)|proc\/(?:1|self)\/fd\/[12])$/.test(path)) {
      for (const line of lines) this.output.push({ ...line, at: this.slept + line.at });
    } else if (path !== "/dev/null") {
      if (!posix.isAbsolute(path)) throw new NotUnderstood(`the folder of ${JSON.stringify(path)} is not known`);
      const place = posix.normalize(path);
      const before = target?.appends === true ? (this.files.get(place) ?? "") : "";
      this.files.set(place, before + textOf(lines));
    }
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

  #simple(written: readonly string[], target: Target | undefined): number {
    this.#count();
    const [first = "", ...rest] = written;
    const assignment = /^(?<name>\w+)=(?<value>.*)$/s.exec(first);
    if (assignment !== null && rest.length === 0) {
      const { name = "", value = "" } = assignment.groups ?? {};
      this.#environment.set(name, substitute(value, this.#environment));
      return 0;
    }
    // the variable is for this command alone, and its own words do not see it
    if (assignment !== null && rest[0] !== "env") return this.#simple(rest, target);
    // an unknown variable in printed text does not affect the outcome
    const isShown = posix.basename(first) === "echo";
    const [name = "", ...args] = written.map((word) => substitute(word, this.#environment, isShown));
    const ending = followCommand(name, args, this.#surroundings);
    if (ending.exits) throw new Exit(ending.exitCode ?? 0);
    this.#write(ending.output, target);
    this.slept += ending.slept;
    if (ending.exitCode === undefined) throw new Forever();
    return ending.exitCode;
  }
}
