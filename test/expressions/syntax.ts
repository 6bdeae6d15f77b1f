/** Takes the source of a regular expression and gives its parts, as the analysis of its work needs them. */

export type Expression =
  /** One character: a literal, a class, or a dot, as it is written. */
  | { readonly type: "atom"; readonly source: string }
  | { readonly type: "sequence" | "choice"; readonly parts: readonly Expression[] }
  | { readonly type: "repeat"; readonly body: Expression; readonly least: number; readonly most: number }
  | { readonly type: "look"; readonly body: Expression; readonly isBehind: boolean; readonly isNegative: boolean }
  | { readonly type: "start" | "end" | "boundary" | "inside" };

const empty: Expression = { type: "sequence", parts: [] };

/** Invariant: what is before `#at` has been read. */
class Reader {
  readonly #source: string;
  readonly #hasSets: boolean;
  #at = 0;
  /** The bodies of the groups that have been read, by number and by name. */
  readonly #groups = new Map<string, Expression>();
  #opened = 0;

  constructor(source: string, flags: string) {
    this.#source = source;
    this.#hasSets = flags.includes("v");
  }

  whole(): Expression {
    const choice = this.#choice();
    if (this.#at < this.#source.length) throw new Error(`cannot read ${this.#source} at ${this.#at}`);
    return choice;
  }

  /** The match of a sticky expression at this place, which is then behind it. */
  #take(form: RegExp): RegExpExecArray | undefined {
    form.lastIndex = this.#at;
    const match = form.exec(this.#source);
    if (match === null) return undefined;
    this.#at = form.lastIndex;
    return match;
  }

  #choice(): Expression {
    const parts = [this.#sequence()];
    while (this.#take(/\|/y) !== undefined) parts.push(this.#sequence());
    return parts.length === 1 ? (parts[0] as Expression) : { type: "choice", parts };
  }

  #sequence(): Expression {
    const parts: Expression[] = [];
    while (this.#at < this.#source.length && !/[|)]/.test(this.#source[this.#at] as string)) {
      parts.push(this.#repeated(this.#term()));
    }
    return { type: "sequence", parts };
  }

  #repeated(body: Expression): Expression {
    const form = this.#take(/(?:([*+?])|\{(\d+)(,?)(\d*)\})\??/y);
    if (form === undefined) return body;
    const [, sign, least = "0", comma, most] = form;
    if (sign !== undefined)
      return { type: "repeat", body, least: sign === "+" ? 1 : 0, most: sign === "?" ? 1 : Infinity };
    const last = comma === "" ? least : most;
    return { type: "repeat", body, least: Number(least), most: last === "" ? Infinity : Number(last) };
  }

  #term(): Expression {
    if (this.#take(/\(\?:/y) !== undefined) return this.#closed();
    const look = this.#take(/\(\?(<?)([=!])/y);
    if (look !== undefined) {
      return { type: "look", isBehind: look[1] === "<", isNegative: look[2] === "!", body: this.#closed() };
    }
    const group = this.#take(/\((?:\?<(\w+)>)?/y);
    if (group !== undefined) {
      const number = String(++this.#opened);
      const body = this.#closed();
      this.#groups.set(number, body);
      if (group[1] !== undefined) this.#groups.set(group[1], body);
      return body;
    }
    const sign = this.#take(/\^|\$|\\[bB]/y)?.[0];
    if (sign !== undefined) {
      return { type: sign === "^" ? "start" : sign === "$" ? "end" : sign === "\\b" ? "boundary" : "inside" };
    }
    // a reference stands for one of the texts that its group matches
    const reference = this.#take(/\\(?:([1-9]\d*)|k<(\w+)>)/y);
    if (reference !== undefined) return this.#groups.get(reference[1] ?? reference[2] ?? "") ?? empty;
    return { type: "atom", source: this.#character() };
  }

  #closed(): Expression {
    const body = this.#choice();
    if (this.#take(/\)/y) === undefined) throw new Error(`a group is open in ${this.#source}`);
    return body;
  }

  #character(): string {
    if (this.#source[this.#at] === "[") return this.#class();
    const form = /\\(?:[pP]\{[^}]*\}|u\{[^}]*\}|u[\da-fA-F]{4}|x[\da-fA-F]{2}|c[A-Za-z]|[^])|[^]/uy;
    return this.#take(form)?.[0] ?? "";
  }

  #class(): string {
    const start = this.#at++;
    for (let depth = 1; depth > 0; this.#at++) {
      const sign = this.#source[this.#at];
      if (sign === undefined) throw new Error(`a class is open in ${this.#source}`);
      if (sign === "\\") this.#at++;
      else if (sign === "]") depth--;
      else if (sign === "[" && this.#hasSets) depth++;
    }
    return this.#source.slice(start, this.#at);
  }
}

/** Throws if the source has a form that the repository does not use yet. */
export function parsed(expression: RegExp): Expression {
  return new Reader(expression.source, expression.flags).whole();
}
