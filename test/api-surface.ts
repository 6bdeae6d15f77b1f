/**
 * Prints the public surface: every name that a subpath of the package exports, with its type, read from the built .d.ts
 * files.
 */
import { existsSync, readFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { withoutComments } from "./source-files.js";

/** One line for each exported name, under a heading for each subpath. */
export function printSurface(entries: ReadonlyMap<string, string>): string {
  const modules = new Modules();
  const sections = [...entries].map(([subpath, file]) => {
    const lines = [...modules.exportsOf(file)]
      .toSorted(([a], [b]) => (a < b ? -1 : 1))
      .map(([name, origin]) => `${name}: ${modules.describe(origin, dirname(file))}\n`);
    return `## ${subpath}\n\n${lines.join("")}`;
  });
  return sections.join("\n");
}

/** Where a name is declared. */
export interface Origin {
  readonly file: string;
  readonly name: string;
}

/** The .d.ts files, each read once. */
export class Modules {
  readonly #statements = new Map<string, readonly string[]>();
  readonly #exports = new Map<string, ReadonlyMap<string, Origin>>();

  /** Each exported name with its origin, re-exports followed to their end. */
  exportsOf(file: string): ReadonlyMap<string, Origin> {
    const known = this.#exports.get(file) ?? this.#findExports(file);
    this.#exports.set(file, known);
    return known;
  }

  #findExports(file: string): ReadonlyMap<string, Origin> {
    const found = new Map<string, Origin>();
    for (const statement of this.#statementsOf(file)) {
      const declared = declaredName(statement);
      if (declared !== undefined && statement.startsWith("export ")) found.set(declared, { file, name: declared });
      for (const { from, name, as } of reExports(statement)) found.set(as, this.#resolve(file, name, from));
      const all = /^export \* from "(\.[^"]+)"/.exec(statement)?.[1];
      if (all !== undefined) for (const [name, origin] of this.exportsOf(typesOf(file, all))) found.set(name, origin);
    }
    return found;
  }

  /** The declarations as one line; generated tables and types by their kind alone, because their generator defines them. */
  describe({ file, name }: Origin, root: string): string {
    const own = this.#statementsOf(file).filter((statement) => declaredName(statement) === name);
    if (own.length === 0) return `from ${relative(root, file)}`;
    if (file.includes("/generated/")) {
      return own
        .map((statement) => `${/\b(interface|class|const|function|type)\b/.exec(statement)?.[0]} (generated)`)
        .join(" & ");
    }
    return own.map((statement) => statement.replace(/^export /, "").replace(/^declare /, "")).join(" & ");
  }

  #resolve(file: string, name: string, from: string | undefined): Origin {
    if (from === undefined) return this.#resolveLocal(file, name);
    if (!from.startsWith(".")) return { file: from, name };
    const target = typesOf(file, from);
    return this.exportsOf(target).get(name) ?? { file: target, name };
  }

  /** `export { a }` of a name that this file declares or imports. */
  #resolveLocal(file: string, name: string): Origin {
    for (const statement of this.#statementsOf(file)) {
      const imported = /^import (?:type )?\{(.*)\} from "([^"]+)"/.exec(statement);
      const match = names(imported?.[1] ?? "").find(({ as }) => as === name);
      if (match !== undefined) return this.#resolve(file, match.name, imported?.[2]);
    }
    return { file, name };
  }

  #statementsOf(file: string): readonly string[] {
    const known = this.#statements.get(file);
    if (known !== undefined) return known;
    const statements = existsSync(file) ? splitStatements(readFileSync(file, "utf8")) : [];
    this.#statements.set(file, statements);
    return statements;
  }
}

const typesOf = (file: string, specifier: string): string => join(dirname(file), specifier.replace(/\.js$/, ".d.ts"));

function reExports(statement: string): { name: string; as: string; from: string | undefined }[] {
  const match = /^export (?:type )?\{(.*)\}(?: from "([^"]+)")?/.exec(statement);
  return match === null ? [] : names(match[1] ?? "").map((pair) => ({ ...pair, from: match[2] }));
}

function names(list: string): { name: string; as: string }[] {
  return list
    .split(",")
    .map((item) => item.trim().replace(/^type /, ""))
    .filter((item) => item !== "")
    .map((item) => {
      const [name = item, as = name] = item.split(" as ");
      return { name, as };
    });
}

const declaration =
  /^(?:export )?(?:declare )?(?:(?:abstract )?class|interface|type|const|let|var|function|namespace|enum) ([\w$]+)/;

function declaredName(statement: string): string | undefined {
  return declaration.exec(statement)?.[1];
}

/** Declarations that end with their closing brace; all others end with a semicolon. */
const blockLike = /^(?:export )?(?:declare )?(?:(?:abstract )?class|interface|namespace|enum|global)\b/;

/** The top-level statements of a .d.ts file, each on one line, without comments and private parts. */
export function splitStatements(text: string): string[] {
  const code = withoutComments(text).replace(/\s+/g, " ");
  const statements: string[] = [];
  let depth = 0;
  let quote = "";
  let start = 0;
  for (let i = 0; i < code.length; i++) {
    const char = code[i] as string;
    if (quote !== "") {
      if (char === "\\") i += 1;
      else if (char === quote) quote = "";
    } else if (`"'\``.includes(char)) quote = char;
    else if ("{([".includes(char)) depth += 1;
    else if ("})]".includes(char)) depth -= 1;
    const ends =
      depth === 0 && quote === "" && (char === ";" || (char === "}" && blockLike.test(code.slice(start).trim())));
    if (ends) {
      statements.push(tidy(code.slice(start, i + 1)));
      start = i + 1;
    }
  }
  return statements.filter((statement) => statement !== "" && statement !== ";");
}

function tidy(statement: string): string {
  return statement
    .replace(/ #private;| private [\w$]+;/g, "")
    .replace(/;$/, "")
    .trim();
}
