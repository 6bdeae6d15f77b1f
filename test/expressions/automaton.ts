/**
 * Takes a regular expression and gives the ways on which a backtracking engine may try it: places, each of which has
 * consumed one character, and the steps between them. A counted repetition beyond a few rounds is taken for an
 * unlimited one, and a group of characters that the expression does not tell apart for one letter, so that the machine
 * is small; it never has fewer ways than the expression.
 */
import { type Expression, parsed } from "./syntax.js";

export interface Step {
  readonly to: number;
  /** The steps by this character of the alphabet. */
  readonly letter: number;
  /** The number of ways without a character between, up to 2. */
  readonly ways: number;
}

interface Place {
  readonly steps: readonly Step[];
  /** The first steps of the next search, if a match may end here. */
  readonly again: readonly Step[];
  /** Whether a match ends here whatever follows: then nothing before it is tried again. */
  readonly isMatch: boolean;
}

/** Place 0 is the beginning of the text. */
export interface Automaton {
  readonly alphabet: readonly string[];
  readonly places: readonly Place[];
}

/** A condition on the characters before and after a place; undefined for the ends of the text. */
type Condition = (before: string | undefined, after: string | undefined) => boolean;

interface Atom {
  readonly type: "atom";
  readonly has: (letter: string) => boolean;
  next: number;
}

type Node =
  | Atom
  | { readonly type: "fork"; readonly next: number[]; readonly condition?: Condition }
  | { readonly type: "match" }
  /** The end of a look ahead, whose success is no match. */
  | { readonly type: "nothing" };

/** Repetitions of more rounds are taken for unlimited ones. */
const roundsOf = (body: Expression): number => (body.type === "atom" ? 20 : 4);

const isWord = (letter: string | undefined): boolean => letter !== undefined && /\w/.test(letter);
const isLineEnd = (letter: string | undefined): boolean => letter === undefined || /[\n\r\u2028\u2029]/.test(letter);

class Builder {
  readonly nodes: Node[] = [];
  /** The questions that conditions ask about the character before a place. */
  readonly looksBack: ((letter: string) => boolean)[] = [];
  readonly #flags: string;
  readonly #isMultiline: boolean;
  /** The tests of all characters and classes of the expression, by their source. */
  readonly tests = new Map<string, (letter: string) => boolean>();

  constructor(flags: string) {
    this.#flags = flags.replaceAll(/[dgmy]/g, "");
    this.#isMultiline = flags.includes("m");
  }

  add(node: Node): number {
    return this.nodes.push(node) - 1;
  }

  has(source: string): (letter: string) => boolean {
    const known = this.tests.get(source);
    if (known !== undefined) return known;
    const form = new RegExp(`^(?:${source})$`, this.#flags);
    const test = (letter: string): boolean => form.test(letter);
    this.tests.set(source, test);
    return test;
  }

  /** The first node of the expression, whose ends lead to `next`. */
  build(expression: Expression, next: number): number {
    switch (expression.type) {
      case "atom":
        return this.add({ type: "atom", has: this.has(expression.source), next });
      case "sequence":
        return expression.parts.reduceRight((after, part) => this.build(part, after), next);
      case "choice":
        return this.add({ type: "fork", next: expression.parts.map((part) => this.build(part, next)) });
      case "repeat":
        return this.#repeat(expression.body, expression, next);
      case "look":
        return this.#look(expression, next);
      default:
        return this.add({ type: "fork", next: [next], condition: this.#position(expression.type) });
    }
  }

  #repeat(body: Expression, { least, most }: { least: number; most: number }, next: number): number {
    const mostRounds = roundsOf(body);
    const optional = Math.min(most, mostRounds) - Math.min(least, mostRounds);
    let first = next;
    if (most > mostRounds) {
      const loop: Node = { type: "fork", next: [] };
      first = this.add(loop);
      loop.next.push(this.build(body, first), next);
    } else {
      for (let i = 0; i < optional; i++) first = this.add({ type: "fork", next: [this.build(body, first), next] });
    }
    for (let i = 0; i < Math.min(least, mostRounds); i++) first = this.build(body, first);
    return first;
  }

  #look({ body, isBehind, isNegative }: Expression & { type: "look" }, next: number): number {
    const single = oneCharacter(body);
    if (single !== undefined) {
      const tests = single.map((source) => this.has(source));
      if (isBehind) this.looksBack.push(...tests);
      const has = (letter: string | undefined): boolean =>
        letter !== undefined && tests.some((test) => test(letter)) !== isNegative;
      const condition: Condition = (before, after) => {
        const letter = isBehind ? before : after;
        return letter === undefined ? isNegative : has(letter);
      };
      return this.add({ type: "fork", next: [next], condition });
    }
    if (isBehind) throw new Error("a look behind of more than one character is not analysed");
    const looked = this.build(body, this.add({ type: "nothing" }));
    // the text may have what is looked for or not
    return this.add({ type: "fork", next: [looked, this.add({ type: "fork", next: [next], condition: () => true })] });
  }

  #position(type: "start" | "end" | "boundary" | "inside"): Condition {
    if (type === "start" && this.#isMultiline) this.looksBack.push(isLineEnd);
    if (type === "boundary" || type === "inside") this.looksBack.push(isWord);
    if (type === "start") return (before) => before === undefined || (this.#isMultiline && isLineEnd(before));
    if (type === "end") return (_, after) => after === undefined || (this.#isMultiline && isLineEnd(after));
    return (before, after) => (isWord(before) !== isWord(after)) === (type === "boundary");
  }
}

/** The characters that an expression of one character is; undefined for any other. */
function oneCharacter(expression: Expression): readonly string[] | undefined {
  if (expression.type === "atom") return [expression.source];
  if (expression.type === "sequence") {
    return expression.parts.length === 1 ? oneCharacter(expression.parts[0] as Expression) : undefined;
  }
  if (expression.type !== "choice") return undefined;
  const parts = expression.parts.map(oneCharacter);
  return parts.every((part) => part !== undefined) ? parts.flat() : undefined;
}

const samples: readonly string[] = [
  ...Array.from({ length: 128 }, (_, code) => String.fromCharCode(code)),
  ...Array.from("\u0085\u00a0µÉé\u0301\u0661\u2028\ufeff中\ud800😀€"),
];

/** One character for each group of characters that the expression does not tell apart. */
function alphabetOf(builder: Builder, source: string): readonly string[] {
  const own = Array.from(source).filter((letter) => letter > "\u007f");
  const escaped = [...source.matchAll(/\\u([\da-fA-F]{4})/g)].map(([, code]) =>
    String.fromCharCode(Number(`0x${code}`)),
  );
  const tests = [...builder.tests.values()];
  const groups = new Map<string, string>();
  for (const letter of ["a", "0", " ", ...samples, ...own, ...escaped]) {
    const group = `${tests.map((has) => Number(has(letter))).join("")}${isWord(letter)}${isLineEnd(letter)}`;
    if (!groups.has(group)) groups.set(group, letter);
  }
  return [...groups.values()];
}

/** A way leaves a loop inside of another one, and enters it anew. */
const mostVisits = 2;

/** The walk over nodes that consume nothing. */
interface Walk {
  /** The number of ways to each atom, up to 2, for this character before and after. */
  readonly atoms: ReadonlyMap<number, number>;
  readonly mayMatch: boolean;
  readonly isMatch: boolean;
}

function walk(nodes: readonly Node[], from: number, before: string | undefined, after: string | undefined): Walk {
  const atoms = new Map<number, number>();
  const visits = new Map<number, number>();
  let [mayMatch, isMatch] = [false, false];
  const visit = (at: number, isSure: boolean): void => {
    const node = nodes[at] as Node;
    if (node.type === "match") {
      mayMatch = true;
      isMatch ||= isSure;
    } else if (node.type === "atom") atoms.set(at, Math.min(2, (atoms.get(at) ?? 0) + 1));
    else if (node.type === "fork" && node.condition?.(before, after) !== false) {
      const earlier = visits.get(at) ?? 0;
      if (earlier === mostVisits) return;
      visits.set(at, earlier + 1);
      for (const next of node.next) visit(next, isSure && node.condition === undefined);
      visits.set(at, earlier);
    }
  };
  visit(from, true);
  return { atoms, mayMatch, isMatch };
}

/** A place whose steps are still to be found: the first node after it, and the letter that it consumed. */
interface Pending {
  readonly from: number;
  readonly before: string | undefined;
}

/** Invariant: `#pending` has the places of `#numbers`, by their numbers. */
class Machine {
  readonly #builder: Builder;
  readonly #alphabet: readonly string[];
  readonly #first: number;
  /** The atom by which a search that is not tied to a place passes over a character; undefined for a sticky one. */
  readonly #pass: number | undefined;
  readonly #search: number;
  readonly #isLazy: boolean;
  readonly #numbers = new Map<string, number>();
  readonly #pending: Pending[] = [];

  constructor(expression: RegExp) {
    const builder = new Builder(expression.flags);
    this.#builder = builder;
    this.#isLazy = /[*+?}]\?/.test(expression.source);
    this.#first = builder.build(parsed(expression), builder.add({ type: "match" }));
    this.#alphabet = alphabetOf(builder, expression.source);
    if (expression.sticky) this.#search = this.#first;
    else {
      const pass: Atom = { type: "atom", has: () => true, next: 0 };
      this.#pass = builder.add(pass);
      this.#search = pass.next = builder.add({ type: "fork", next: [this.#first, this.#pass] });
    }
  }

  automaton(): Automaton {
    this.#pending.push({ from: this.#search, before: undefined });
    const places: Place[] = [];
    for (const { from, before } of this.#pending) {
      const mayMatch = this.#walks(from, before).some((one) => one.mayMatch);
      const steps = this.#steps(from, before);
      const again = mayMatch ? this.#steps(this.#search, before ?? this.#alphabet[0]) : [];
      places.push({
        steps,
        again: again.filter((step) => !this.#goesOn(steps, step)),
        isMatch: this.#isMatch(from, before),
      });
    }
    return { alphabet: this.#alphabet, places };
  }

  #walks(from: number, before: string | undefined): readonly Walk[] {
    return [undefined, ...this.#alphabet].map((after) => walk(this.#builder.nodes, from, before, after));
  }

  #isMatch(from: number, before: string | undefined): boolean {
    return this.#walks(from, before).every((one) => one.isMatch);
  }

  #steps(from: number, before: string | undefined): readonly Step[] {
    return this.#alphabet.flatMap((after, letter) => {
      const { atoms } = walk(this.#builder.nodes, from, before, after);
      const taken = [...atoms].filter(([atom]) => this.#atom(atom).has(after));
      // nothing is passed over where a match is sure to begin
      const isSure = taken.some(([atom]) => atom !== this.#pass && this.#isMatch(this.#atom(atom).next, after));
      const isPassing = from === this.#search && this.#pass !== undefined && isSure;
      return taken
        .filter(([atom]) => !isPassing || atom !== this.#pass)
        .map(([atom, ways]) => ({ to: this.#place(atom, after), letter, ways }));
    });
  }

  /** A greedy expression does not end its match before a letter with which it is sure to be longer. */
  #goesOn(steps: readonly Step[], { letter }: Step): boolean {
    const isLonger = ({ to }: Step): boolean => {
      const { from, before } = this.#pending[to] as Pending;
      return this.#isMatch(from, before);
    };
    return !this.#isLazy && steps.some((step) => step.letter === letter && isLonger(step));
  }

  #atom(number: number): Atom {
    return this.#builder.nodes[number] as Atom;
  }

  /** A place is an atom, with what conditions may ask about the letter that it consumed. */
  #place(atom: number, letter: string): number {
    const key = [atom, ...this.#builder.looksBack.map((test) => test(letter))].join();
    const known = this.#numbers.get(key);
    if (known !== undefined) return known;
    const number = this.#pending.push({ from: this.#atom(atom).next, before: letter }) - 1;
    this.#numbers.set(key, number);
    return number;
  }
}

export const automatonOf = (expression: RegExp): Automaton => new Machine(expression).automaton();
