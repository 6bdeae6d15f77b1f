import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { isTest, repository, sourceFiles } from "../source-files.js";

/** As one line, without the stars of a comment and in small letters. */
const flat = (text: string): string => text.replace(/\s*\n\s*(?:\*|\/\/)?\s*/g, " ").toLowerCase();

/** A call of `test` or `describe`: its name, and its text up to the end of the call. */
interface Call {
  readonly path: string;
  readonly head: string;
  readonly name: string;
  readonly body: string;
}

const opening = /(?<!\w)((?:test|describe)(?:\.\w+(?:\([^)]*\))?)*)\(\s*("[^"\n]*"|`[^`]*`|'[^'\n]*')/g;

/** The formatter ends a call of several lines with `)` at the indentation at which the call began. */
function callsOf({ path, text }: { readonly path: string; readonly text: string }): Call[] {
  return [...text.matchAll(opening)].map((match) => {
    const lineStart = text.lastIndexOf("\n", match.index) + 1;
    const indentation = /^\s*/.exec(text.slice(lineStart))?.[0] ?? "";
    const end = text.indexOf(`\n${indentation}}`, match.index);
    const body = text.slice(match.index, end === -1 ? undefined : end);
    return { path, head: match[1] ?? "", name: flat(match[2] ?? ""), body };
  });
}

const suites = [...sourceFiles("src"), ...sourceFiles("test")].filter(
  ({ path }) => isTest(path) || /^test\/(?:contracts|conformance)\//.test(path),
);
const calls = suites.filter(({ path }) => path !== "test/contracts/quoted.test.ts").flatMap(callsOf);

/** Functions of the same file that assert something, by name: a test may leave its assertions to one. */
function assertingHelpers(path: string): readonly string[] {
  const text = suites.find((suite) => suite.path === path)?.text ?? "";
  const functions = text.matchAll(/^(?:export )?(?:async )?(?:function\*? |const )(\w+)[^]*?\n\}/gm);
  return [...functions].filter(([body]) => /\bexpect\b/.test(body)).map(([, name = ""]) => name);
}

/** Runs wherever its server or platform is, and asserts something, itself or by a helper beside it. */
function isProof({ path, head, body }: Call): boolean {
  if (/\.(?:skip|todo|fails)\b/.test(head)) return false;
  const asserting = ["expect", ...assertingHelpers(path)];
  const tests = head.startsWith("describe") ? body.slice(body.search(/\btest\b/)) : body;
  return asserting.some((name) => new RegExp(`\\b${name}\\b`).test(tests));
}

const sections = readFileSync(`${repository}docs/contracts.md`, "utf8")
  .split("\n## ")
  .slice(1)
  .map((section) => {
    const [, title, file] = /^(.+): `(.+)`\n/.exec(section) ?? [];
    return { title, file, clauses: [...section.matchAll(/^- (.+)$/gm)].map(([, clause = ""]) => clause) };
  });

describe("every contract of docs/contracts.md is prose beside its type, and a test that asserts something quotes it", () => {
  test("the document has contracts", () => {
    expect(sections.length).toBeGreaterThanOrEqual(8);
    expect(sections.filter(({ file, clauses }) => file === undefined || clauses.length === 0)).toEqual([]);
  });

  for (const { title, file, clauses } of sections)
    for (const clause of clauses)
      test(`${title}: ${clause}`, () => {
        expect(flat(readFileSync(`${repository}${file}`, "utf8"))).toContain(clause.toLowerCase());
        const quoting = calls.filter(({ name }) => name.includes(clause.toLowerCase()));
        expect(quoting).not.toEqual([]);
        expect(quoting.filter((call) => !isProof(call)).map(({ path, name }) => `${path}: ${name}`)).toEqual([]);
      });

  test("a test that is skipped, or asserts nothing, is no proof", () => {
    const [skipped, empty, real] = callsOf({
      path: "a.test.ts",
      text: 'test.skip("a", () => {\n  expect(1);\n});\ntest("b", () => {\n  run();\n});\ntest("c", () => {\n  expect(1);\n});\n',
    });
    expect([skipped, empty, real].map((call) => call !== undefined && isProof(call))).toEqual([false, false, true]);
  });
});
