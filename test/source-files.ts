/** The repository's source for the tests about it: files, their imports, and their code without comments and strings. */
import { readdirSync, readFileSync } from "node:fs";
import { posix } from "node:path";
import { fileURLToPath } from "node:url";

export const repository: string = fileURLToPath(new URL("..", import.meta.url));

export interface SourceFile {
  /** From the repository's root, with slashes. */
  readonly path: string;
  readonly text: string;
}

/** All TypeScript files under a folder of the repository, sorted; none if there is no such folder. */
export function sourceFiles(folder: string): SourceFile[] {
  return filesUnder(folder)
    .filter((path) => /(?<!\.d)\.tsx?$/.test(path))
    .map((path) => ({ path, text: readFileSync(`${repository}${path}`, "utf8") }));
}

function filesUnder(folder: string): string[] {
  try {
    return readdirSync(`${repository}${folder}`, { recursive: true, encoding: "utf8" })
      .map((path) => `${folder}/${path.replaceAll("\\", "/")}`)
      .filter((path) => !path.includes("/node_modules/"))
      .toSorted();
  } catch {
    return [];
  }
}

export const isTest = (path: string): boolean => /\.test\.tsx?$/.test(path);
export const isGenerated = (path: string): boolean => path.includes("/generated/");

export interface Import {
  readonly specifier: string;
  readonly line: number;
  readonly text: string;
}

/** Static, type-only, re-exporting, bare and dynamic imports; those in comments are not. */
export function importsOf({ text }: SourceFile): Import[] {
  const bare = withoutComments(text);
  const found = bare.matchAll(/(?:^|[\s}*])(?:from|import(?:\s*\()?)\s*["']([^"'\n]+)["']/g);
  return [...found].map((match) => {
    const end = match.index + match[0].length;
    const line = bare.slice(0, end).split("\n").length;
    return { specifier: match[1] ?? "", line, text: (text.split("\n")[line - 1] ?? "").trim() };
  });
}

/** An import that leads from one folder into another of the same parent. */
export interface FolderImport {
  readonly parent: string;
  readonly from: string;
  readonly to: string;
  /** `file:line`, to be shown. */
  readonly at: string;
}

export function folderImports(files: readonly SourceFile[]): FolderImport[] {
  return files.flatMap((file) =>
    importsOf(file).flatMap(({ specifier, line }) => {
      if (!specifier.startsWith(".")) return [];
      const from = file.path.split("/").slice(0, -1);
      const to = posix.join(posix.dirname(file.path), specifier).split("/").slice(0, -1);
      const shared = from.findIndex((name, i) => name !== to[i]);
      const [a, b] = [from[shared], to[shared]];
      if (a === undefined || b === undefined) return [];
      return [{ parent: from.slice(0, shared).join("/"), from: a, to: b, at: `${file.path}:${line}` }];
    }),
  );
}

/** For each import that leads back to the folder it came from, directly or through others: the way and the place. */
export function knots(imports: readonly FolderImport[]): string[] {
  const next = new Map<string, Set<string>>();
  const idOf = (parent: string, folder: string): string => `${parent}/${folder}`;
  for (const { parent, from, to } of imports) {
    const id = idOf(parent, from);
    next.set(id, (next.get(id) ?? new Set()).add(idOf(parent, to)));
  }
  const reachable = (start: string): ReadonlySet<string> => {
    const seen = new Set([start]);
    for (const id of seen) for (const one of next.get(id) ?? []) seen.add(one);
    return seen;
  };
  return imports
    .filter(({ parent, from, to }) => reachable(idOf(parent, to)).has(idOf(parent, from)))
    .map(({ parent, from, to, at }) => `${parent}: ${from} imports ${to}, which leads back (${at})`);
}

/**
 * The files that import one another, directly or through others, and the files on a way between two such groups; imports
 * of types count. A file that imports no other, or that no other imports, is in no cycle: without all of these files,
 * again and again, only the cycles remain.
 */
export function filesInCycles(files: readonly SourceFile[]): string[] {
  let left = files.map((file) => ({
    path: file.path,
    imports: importsOf(file).map(({ specifier }) =>
      posix.join(posix.dirname(file.path), specifier).replace(/\.js$/, ".ts"),
    ),
  }));
  for (let before = 0; before !== left.length; ) {
    before = left.length;
    const paths = new Set(left.map(({ path }) => path));
    const imported = new Set(left.flatMap(({ imports }) => imports));
    left = left.filter(({ path, imports }) => imported.has(path) && imports.some((one) => paths.has(one)));
  }
  return left.map(({ path }) => path);
}

const tokens = /\/\/[^\n]*|\/\*[\s\S]*?\*\/|"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'|`(?:\\[\s\S]|[^`\\])*`/g;
const blank = (text: string): string => text.replace(/[^\n]/g, " ");

/** The same lines, with comments blank. */
export function withoutComments(text: string): string {
  return text.replace(tokens, (token) => (token.startsWith("/") ? blank(token) : token));
}

/** The same lines, with comments and strings blank, but for the code inside of template strings. */
export function codeOf(text: string): string {
  return text.replace(tokens, (token) =>
    token.replace(/\$\{[^}]*\}|[^\n]/g, (part) =>
      token.startsWith("`") && part.startsWith("${") ? part : blank(part),
    ),
  );
}

/**
 * The names of module-level bindings that change after the module is loaded: each `let`, and each constant made by `new`,
 * `[…]` or `{…}` that the file adds to or takes from, or whose members it sets.
 */
export function mutableBindings({ text }: SourceFile): string[] {
  const code = codeOf(text);
  const variables = [...code.matchAll(/^(?:export )?let (\w+)/gm)].map((match) => match[1] as string);
  const containers = [...code.matchAll(/^(?:export )?const (\w+)[^=\n]*= (?:new \w+|\[|\{)/gm)]
    .map((match) => match[1] as string)
    .filter((name) => {
      const member = "(?:\\.\\w+|\\[[^\\]]*\\])";
      return new RegExp(`\\b${name}(?:\\.(?:${changing})\\(|${member} (?:[-+]|\\?\\?)?= )`).test(code);
    });
  return [...variables, ...containers];
}

const changing = ["set", "add", "delete", "clear", "push", "pop", "shift", "unshift", "splice"].join("|");
