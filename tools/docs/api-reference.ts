/** Makes the reference of the package, a document for each subpath, from the declarations and comments of the built .d.ts files. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { Modules, type Origin } from "../../test/api-surface.js";
import { type Document, fenced } from "./document.js";

interface Manifest {
  readonly exports: Readonly<Record<string, string | { readonly types: string }>>;
}

interface Entry {
  /** Such as `coxswain/client`. */
  readonly specifier: string;
  readonly source: string;
  /** The .d.ts file. */
  readonly file: string;
  readonly names: ReadonlyMap<string, Origin>;
}

export function apiDocuments(repository: string): Document[] {
  const entries = entriesOf(repository);
  const documents = entries.map((entry) => ({ source: entry.source, markdown: documentOf(entry, entries) }));
  const list = entries.map(({ specifier, source, file }) => {
    return `| [${specifier}](${source.slice("reference/".length)}) | ${headerOf(readFileSync(file, "utf8"))} |\n`;
  });
  const index = `# API reference\n\nEvery exported name, its declaration and its comment. [Contracts](../docs/contracts.md) states the promises in prose.\n\n| import | contents |\n|---|---|\n${list.join("")}`;
  return [{ source: "reference/README.md", markdown: index }, ...documents];
}

function entriesOf(repository: string): Entry[] {
  const { exports } = JSON.parse(readFileSync(join(repository, "package.json"), "utf8")) as Manifest;
  const modules = new Modules();
  return Object.entries(exports).flatMap(([subpath, entry]) => {
    if (typeof entry === "string") return [];
    const file = join(repository, entry.types);
    const specifier = `coxswain${subpath.slice(1)}`;
    const source = `reference/${subpath === "." ? "coxswain" : subpath.slice(2)}.md`;
    return [{ specifier, source, file, names: modules.exportsOf(file) }];
  });
}

function documentOf(entry: Entry, entries: readonly Entry[]): string {
  const names = sorted(entry);
  const own = names.filter(([, origin]) => !isKind(origin));
  const kinds = names.filter(([, origin]) => isKind(origin)).map(([name]) => `\`${name}\``);
  const sections = own.map(([name, origin]) => `## ${name}\n\n${homeOf(name, entry, entries) ?? describe(origin)}`);
  return [
    `# ${entry.specifier}\n`,
    `${headerOf(readFileSync(entry.file, "utf8"))}\n`,
    ...(kinds.length === 0 ? [] : [`From Kubernetes' own definitions: ${kinds.join(", ")}.\n`]),
    ...sections,
  ].join("\n");
}

/** A link to the subpath that describes the name, if the short face of the package only passes it on. */
function homeOf(name: string, entry: Entry, entries: readonly Entry[]): string | undefined {
  if (entry.specifier !== "coxswain") return undefined;
  const home = entries.find((other) => other !== entry && other.names.has(name));
  if (home === undefined) return undefined;
  const anchor = name.toLowerCase();
  const alike = sorted(home).filter(([one, origin]) => !isKind(origin) && one.toLowerCase() === anchor);
  const place = alike.findIndex(([one]) => one === name);
  const suffix = place > 0 ? `-${place}` : "";
  return `See [${home.specifier}](${home.source.slice("reference/".length)}#${anchor}${suffix}).\n`;
}

const isKind = ({ file }: Origin): boolean => file.includes("/generated/");

/** The names in the order of the document. */
const sorted = ({ names }: Entry): [string, Origin][] => [...names].toSorted(([a], [b]) => (a < b ? -1 : 1));

/** A file opens with one sentence about itself. */
function headerOf(text: string): string {
  const comment = /^(?:#![^\n]*\n)?\/\*\*([\s\S]*?)\*\//.exec(text)?.[1] ?? "";
  return sentencesOf(comment).replaceAll("\n", " ");
}

/** The text of a comment, without its stars. */
function sentencesOf(comment: string): string {
  return comment
    .replace(/^ *\* ?/gm, "")
    .replace(/\{@link ([^}]+)\}/g, "`$1`")
    .trim();
}

/** All declarations of a name: overloads, or a type and a value that share it. */
function describe({ file, name }: Origin): string {
  if (!file.startsWith("/")) return `From \`${file}\`.\n`;
  const text = readFileSync(file, "utf8");
  const kinds = "(?:abstract )?class|interface|type|const|let|function|namespace";
  const begins = new RegExp(`^(?:export )?(?:declare )?(?:${kinds}) ${name.replaceAll("$", "\\$")}\\b`, "gm");
  const found = [...text.matchAll(begins)].map(({ index }) => ({
    comment: commentBefore(text.slice(0, index)),
    code: declarationAt(text.slice(index)),
  }));
  const comments = found.map(({ comment }) => comment).filter((comment) => comment !== "");
  return [...comments.map((comment) => `${comment}\n`), fenced("ts", found.map(({ code }) => code).join("\n"))].join(
    "\n",
  );
}

/** The comment of a declaration; the one that opens the file is the file's. */
function commentBefore(text: string): string {
  const start = text.lastIndexOf("/**");
  if (start <= 0 || !text.endsWith("*/\n") || text.slice(start).indexOf("*/") !== text.length - start - 3) return "";
  return sentencesOf(text.slice(start + 3, -3));
}

/** The compiler indents the inside of a declaration, so the next one begins with a word or comment at the margin. */
function declarationAt(text: string): string {
  const next =
    /\n(?=\/\*\*|(?:export|declare|import|interface|type|class|const|let|function|namespace|abstract)\b|$)/.exec(text);
  return text
    .slice(0, next?.index)
    .replace(/^(?:export )?(?:declare )?/, "")
    .replace(/\n *(?:#private|private [\w$]+);/g, "");
}
