/**
 * Regular expressions matched in time that grows with the text and the pattern only, never with their powers, as Go's are. For patterns and
 * texts that come from clients: JavaScript's own would let one of them stop the server. Only says whether there is a match.
 */

type Test = (code: number) => boolean;
type Assertion = "start" | "end" | "lineStart" | "lineEnd" | "boundary" | "noBoundary";

type Node =
  | { readonly type: "char"; readonly test: Test }
  | { readonly type: "assert"; readonly assertion: Assertion }
  | { readonly type: "sequence" | "choice"; readonly parts: readonly Node[] }
  | { readonly type: "repeat"; readonly part: Node; readonly min: number; readonly max: number };

/** Where a step leads next; a match has neither. */
interface Step {
  readonly test?: Test;
  readonly assertion?: Assertion;
  next: readonly number[];
}

/** As in Go; and no program becomes longer than this. */
const maxRepeat = 1_000;
const maxSteps = 20_000;

/** The pattern uses something that is not known here. */
class Unsupported extends Error {}

export class LinearPattern {
  readonly #steps: readonly Step[];

  private constructor(steps: readonly Step[]) {
    this.#steps = steps;
  }

  /** Undefined if the pattern is not one that can be matched in this way. `flags`: those that apply to all of it. */
  static compile(source: string, flags = ""): LinearPattern | undefined {
    try {
      return new LinearPattern(programOf(new Parser(source, flags).parse()));
    } catch (error) {
      if (error instanceof Unsupported) return undefined;
      throw error;
    }
  }

  test(text: string): boolean {
    let current = new Threads(this.#steps);
    let next = new Threads(this.#steps);
    for (let at = 0; ; ) {
      const code = text.codePointAt(at);
      // a match may begin anywhere
      if (current.add(0, text, at)) return true;
      if (code === undefined) return false;
      at += code > 0xffff ? 2 : 1;
      for (const index of current.waiting) {
        const { test, next: after } = this.#steps[index] as Step;
        if ((test as Test)(code) && next.add(after[0] as number, text, at)) return true;
      }
      [current, next] = [next, current];
      next.clear();
    }
  }
}

/** The steps that a match may have come to at one place of the text: each at most once, which is what bounds the time. */
class Threads {
  readonly waiting: number[] = [];
  readonly #steps: readonly Step[];
  readonly #seen: Uint32Array;
  #round = 1;

  constructor(steps: readonly Step[]) {
    this.#steps = steps;
    this.#seen = new Uint32Array(steps.length);
  }

  clear(): void {
    this.waiting.length = 0;
    this.#round++;
  }

  /** True if that is a match. */
  add(index: number, text: string, at: number): boolean {
    const open = [index];
    for (let step = open.pop(); step !== undefined; step = open.pop()) {
      if (this.#seen[step] === this.#round) continue;
      this.#seen[step] = this.#round;
      const { test, assertion, next } = this.#steps[step] as Step;
      if (test !== undefined) this.waiting.push(step);
      else if (next.length === 0) return true;
      else if (assertion === undefined || holds(assertion, text, at)) open.push(...next);
    }
    return false;
  }
}

const isWord = (code: number): boolean => /\w/.test(String.fromCharCode(code));

function holds(assertion: Assertion, text: string, at: number): boolean {
  const newline = 10;
  switch (assertion) {
    case "start":
      return at === 0;
    case "end":
      return at === text.length;
    case "lineStart":
      return at === 0 || text.charCodeAt(at - 1) === newline;
    case "lineEnd":
      return at === text.length || text.charCodeAt(at) === newline;
    default: {
      const before = at > 0 && isWord(text.charCodeAt(at - 1));
      const after = at < text.length && isWord(text.charCodeAt(at));
      return (before !== after) === (assertion === "boundary");
    }
  }
}

/** Steps from the last to the first: each is made knowing where it leads. */
function programOf(node: Node): readonly Step[] {
  const steps: Step[] = [];
  const add = (step: Step): number => {
    if (steps.length >= maxSteps) throw new Unsupported("too long");
    return steps.push(step) - 1;
  };
  const compile = (part: Node, after: number): number => {
    switch (part.type) {
      case "char":
        return add({ test: part.test, next: [after] });
      case "assert":
        return add({ assertion: part.assertion, next: [after] });
      case "sequence":
        return part.parts.reduceRight((next, one) => compile(one, next), after);
      case "choice":
        return add({ next: part.parts.map((one) => compile(one, after)) });
      default:
        return repeat(part, after);
    }
  };
  const repeat = ({ part, min, max }: Node & { readonly type: "repeat" }, after: number): number => {
    let next = after;
    if (max === Number.POSITIVE_INFINITY) {
      const loop: Step = { next: [] };
      next = add(loop);
      loop.next = [compile(part, next), after];
    } else for (let i = min; i < max; i++) next = add({ next: [compile(part, next), after] });
    for (let i = 0; i < min; i++) next = compile(part, next);
    return next;
  };
  const start = compile(node, add({ next: [] }));
  // the first step is where matching begins
  const entry = add({ next: [start] });
  const order = (index: number): number => (index === 0 ? entry : index === entry ? 0 : index);
  const [end] = steps as [Step];
  steps[0] = steps[entry] as Step;
  steps[entry] = end;
  return steps.map((step) => ({ ...step, next: step.next.map(order) }));
}

class Parser {
  readonly #source: readonly string[];
  #flags: string;
  #at = 0;

  constructor(source: string, flags: string) {
    this.#source = Array.from(source);
    this.#flags = flags;
  }

  parse(): Node {
    const node = this.#choice();
    if (this.#at < this.#source.length) throw new Unsupported("unexpected )");
    return node;
  }

  #choice(): Node {
    const parts = [this.#sequence()];
    while (this.#take("|")) parts.push(this.#sequence());
    return parts.length === 1 ? (parts[0] as Node) : { type: "choice", parts };
  }

  #sequence(): Node {
    const parts: Node[] = [];
    for (let char = this.#source[this.#at]; char !== undefined && char !== "|" && char !== ")"; ) {
      parts.push(this.#quantified(this.#atom()));
      char = this.#source[this.#at];
    }
    return { type: "sequence", parts };
  }

  #quantified(atom: Node): Node {
    let node = atom;
    for (;;) {
      const bounds = this.#bounds();
      if (bounds === undefined) return node;
      // reluctant or not, a match is a match
      this.#take("?");
      node = { type: "repeat", part: node, min: bounds[0], max: bounds[1] };
    }
  }

  #bounds(): readonly [number, number] | undefined {
    if (this.#take("*")) return [0, Number.POSITIVE_INFINITY];
    if (this.#take("+")) return [1, Number.POSITIVE_INFINITY];
    if (this.#take("?")) return [0, 1];
    const found = /^\{(\d+)(,(\d*))?\}/.exec(this.#source.slice(this.#at, this.#at + 12).join(""));
    if (found === null) return undefined;
    this.#at += found[0].length;
    const min = Number(found[1]);
    const max = found[2] === undefined ? min : found[3] ? Number(found[3]) : Number.POSITIVE_INFINITY;
    if (min > maxRepeat || (max > maxRepeat && max !== Number.POSITIVE_INFINITY))
      throw new Unsupported("repeated too often");
    return [min, max];
  }

  #atom(): Node {
    const char = this.#next();
    switch (char) {
      case "(":
        return this.#group();
      case "[":
        return this.#class();
      case ".":
        return { type: "char", test: this.#flags.includes("s") ? () => true : (code) => code !== 10 };
      case "^":
        return { type: "assert", assertion: this.#flags.includes("m") ? "lineStart" : "start" };
      case "$":
        return { type: "assert", assertion: this.#flags.includes("m") ? "lineEnd" : "end" };
      case "\\":
        return this.#escape();
      case "*":
      case "+":
      case "?":
        throw new Unsupported("nothing to repeat");
      default:
        return this.#set(char.replace(/[\]{}/-]/, String.raw`\$&`));
    }
  }

  #group(): Node {
    const before = this.#flags;
    const head = /^\?(?:P?<\w+>|([ims]*):)/.exec(this.#source.slice(this.#at, this.#at + 80).join(""));
    if (head !== null) {
      this.#at += Array.from(head[0]).length;
      this.#flags += head[1] ?? "";
    } else if (this.#source[this.#at] === "?") throw new Unsupported("a kind of group");
    const inner = this.#choice();
    if (!this.#take(")")) throw new Unsupported("missing )");
    this.#flags = before;
    return inner;
  }

  #class(): Node {
    let text = "[";
    if (this.#take("^")) text += "^";
    if (this.#take("]")) text += String.raw`\]`;
    for (;;) {
      const char = this.#next();
      if (char === "]") return this.#set(`${text}]`);
      if (char === "\\") text += `\\${this.#next()}`;
      else if (char === "[") text += this.#posixClass();
      else text += char;
    }
  }

  #posixClass(): string {
    const found = /^:(alpha|digit|alnum|lower|upper|space|punct|xdigit|word):\]/.exec(
      this.#source.slice(this.#at, this.#at + 12).join(""),
    );
    if (found === null) return String.raw`\[`;
    this.#at += found[0].length;
    return posixClasses[found[1] as string] as string;
  }

  #escape(): Node {
    const char = this.#next();
    if (char === "A") return { type: "assert", assertion: "start" };
    if (char === "z") return { type: "assert", assertion: "end" };
    if (char === "b") return { type: "assert", assertion: "boundary" };
    if (char === "B") return { type: "assert", assertion: "noBoundary" };
    if (/[dDwWsSnrtfv]/.test(char)) return this.#set(`\\${char}`);
    if (/[^\w]/.test(char)) return this.#set(/[\^$\\.*+?()[\]{}|/-]/.test(char) ? `\\${char}` : char);
    if (char === "x" && /^[0-9a-fA-F]{2}$/.test(this.#source.slice(this.#at, this.#at + 2).join(""))) {
      return this.#set(`\\x${this.#next()}${this.#next()}`);
    }
    throw new Unsupported(`\\${char}`);
  }

  /** One character or class, which JavaScript may judge: there is nothing in it to go back on. */
  #set(text: string): Node {
    let pattern: RegExp;
    try {
      pattern = new RegExp(`^${text.startsWith("[") ? text : `[${text}]`}$`, this.#flags.includes("i") ? "ui" : "u");
    } catch {
      throw new Unsupported(text);
    }
    const ascii = Uint8Array.from({ length: 128 }, (_, code) => (pattern.test(String.fromCharCode(code)) ? 1 : 0));
    return {
      type: "char",
      test: (code) => (code < 128 ? ascii[code] === 1 : pattern.test(String.fromCodePoint(code))),
    };
  }

  #next(): string {
    const char = this.#source[this.#at++];
    if (char === undefined) throw new Unsupported("ends early");
    return char;
  }

  #take(char: string): boolean {
    if (this.#source[this.#at] !== char) return false;
    this.#at++;
    return true;
  }
}

const posixClasses: Readonly<Record<string, string>> = {
  alpha: "A-Za-z",
  digit: "0-9",
  alnum: "0-9A-Za-z",
  lower: "a-z",
  upper: "A-Z",
  space: String.raw`\t\n\v\f\r `,
  punct: String.raw`!-\/:-@\[-\`{-~`,
  xdigit: "0-9A-Fa-f",
  word: String.raw`\w`,
};
