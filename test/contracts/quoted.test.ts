import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { isTest, repository, sourceFiles } from "../source-files.js";

/** As one line, without the stars of a comment and in small letters. */
const flat = (text: string): string => text.replace(/\s*\n\s*(?:\*|\/\/)?\s*/g, " ").toLowerCase();

const names = [...sourceFiles("src"), ...sourceFiles("test")]
  .filter(({ path }) => isTest(path) || /^test\/(?:contracts|conformance)\//.test(path))
  .flatMap(({ text }) => text.match(/(?:test|describe)(?:\.\w+\([^)]*\))?\(\s*(?:"[^"\n]*"|`[^`]*`|'[^'\n]*')/g) ?? [])
  .map((name) => flat(name));

const sections = readFileSync(`${repository}docs/contracts.md`, "utf8")
  .split("\n## ")
  .slice(1)
  .map((section) => {
    const [, title, file] = /^(.+): `(.+)`\n/.exec(section) ?? [];
    return { title, file, clauses: [...section.matchAll(/^- (.+)$/gm)].map(([, clause = ""]) => clause) };
  });

describe("every contract of docs/contracts.md is prose beside its type, and a test quotes it", () => {
  test("the document has contracts", () => {
    expect(sections.length).toBeGreaterThanOrEqual(8);
    expect(sections.filter(({ file, clauses }) => file === undefined || clauses.length === 0)).toEqual([]);
  });

  for (const { title, file, clauses } of sections)
    for (const clause of clauses)
      test(`${title}: ${clause}`, () => {
        expect(flat(readFileSync(`${repository}${file}`, "utf8"))).toContain(clause.toLowerCase());
        expect(names.filter((name) => name.includes(clause.toLowerCase()))).not.toEqual([]);
      });
});
