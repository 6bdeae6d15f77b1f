/** A document of the site: Markdown from a file of the repository, or made from the code. */
import { posix } from "node:path";

export interface Document {
  /** From the repository's root; a document that is made from the code has a name of its own there. */
  readonly source: string;
  readonly markdown: string;
}

/** The page of a file: README.md is its folder's index, and a file that is not Markdown keeps its ending. */
export function pageOf(source: string): string {
  if (posix.basename(source) === "README.md") return posix.join(posix.dirname(source), "index.html");
  return source.endsWith(".md") ? source.replace(/\.md$/, ".html") : `${source}.html`;
}

/** A fenced block that its own text cannot end. */
export function fenced(language: string, text: string): string {
  const longest = Math.max(2, ...[...text.matchAll(/`+/g)].map(([ticks]) => ticks.length));
  const fence = "`".repeat(longest + 1);
  return `${fence}${language}\n${text.trimEnd()}\n${fence}\n`;
}

/** Text for a cell of a table, on one line. */
export const cell = (text: string): string => text.replace(/\s*\n\s*/g, " ").replaceAll("|", "\\|");
