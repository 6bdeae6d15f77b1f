import { describe, expect, test, vi } from "vitest";
import { isGenerated, isTest, repository, sourceFiles } from "../source-files.js";
import { superlinearWork } from "./ambiguity.js";
import { expressionsIn } from "./in-source.js";

interface Exception {
  readonly file: string;
  /** The beginning of the expression, or of the code that makes it. */
  readonly beginning: string;
  readonly why: string;
}

/** Expressions whose texts are short, or no stranger's. */
const bounded: readonly Exception[] = [
  { file: "src/base/leaks.ts", beginning: String.raw`/\/(?:src|dist)\/base\/`, why: "a line of a stack" },
  { file: "src/api/yaml/key-order.ts", beginning: "/[1-9][0-9]*$/", why: "20 characters" },
  { file: "src/cli/envtest/kube-apiserver.ts", beginning: "/(?:alpha|beta)", why: "a flag of the caller" },
  { file: "src/apiserver/cel/checker/environment.ts", beginning: "/^(?:([^(]*", why: "signatures in our own code" },
  { file: "src/apiserver/cel/values/format-text.ts", beginning: String.raw`/\B(?=(?:\d{3})+$)/`, why: "309 digits" },
  { file: "src/apiserver/cel/syntax/lexer.ts", beginning: "/[bB](?:[rR]", why: "fails 1,000 times at most" },
  { file: "src/apiserver/cel/syntax/lexer.ts", beginning: "/[rR](?:", why: "fails 1,000 times at most" },
];

/** Functions that make an expression. */
const functions: readonly Exception[] = [
  { file: "src/api/values/names.ts", beginning: "new RegExp(`^${source}$`)", why: "called when the file is loaded" },
  { file: "src/cli/scaffold/project.ts", beginning: "new RegExp(", why: "words of the template" },
  { file: "src/client/config/resolve.ts", beginning: "new RegExp(`-----BEGIN", why: "a word in fixed text" },
  { file: "src/testing/round-trip/from-schema.ts", beginning: "new RegExp(pattern", why: "the tester's own schema" },
  { file: "src/testing/simulation/end-state.ts", beginning: "new RegExp(`\\\\b(?:${hashes", why: "a choice of words" },
  { file: "src/apiserver/text/pattern/characters.ts", beginning: "new RegExp(", why: "one character" },
  { file: "src/apiserver/text/pattern/pattern.ts", beginning: "new RegExp(source", why: "its ways were counted" },
  {
    file: "src/api/errors/domain-path.ts",
    beginning: "new RegExp(`^${pathForm}$`)",
    why: "a constant",
  },
];

const found = [...sourceFiles("src"), ...sourceFiles("web/src")]
  .filter(({ path }) => !isTest(path) && !isGenerated(path))
  .map((file) => ({ path: file.path, ...expressionsIn(file) }));

const isException = (exceptions: readonly Exception[], path: string, text: string): boolean =>
  exceptions.some(({ file, beginning }) => file === path && text.startsWith(beginning));

/** The expressions that are made while the file is loaded. */
async function madeBy(path: string): Promise<readonly RegExp[]> {
  const made: RegExp[] = [];
  const original = globalThis.RegExp;
  vi.resetModules();
  globalThis.RegExp = new Proxy(original, {
    construct(target, given, newTarget) {
      const expression = Reflect.construct(target, given, newTarget) as RegExp;
      made.push(expression);
      return expression;
    },
  });
  try {
    await import(/* @vite-ignore */ `${repository}${path}`);
  } finally {
    globalThis.RegExp = original;
  }
  return made;
}

describe("the work of a regular expression in src and web grows no faster than its text", () => {
  test("for those that are written", () => {
    const places = new Map<string, { readonly expression: RegExp; readonly at: string[] }>();
    for (const { path, written } of found) {
      for (const { at, expression } of written) {
        const text = String(expression);
        if (isException(bounded, path, text)) continue;
        const place = places.get(text) ?? { expression, at: [] };
        places.set(text, place);
        place.at.push(at);
      }
    }
    const complaints = [...places].flatMap(([text, { expression, at }]) => {
      const complaint = superlinearWork(expression);
      return complaint === undefined ? [] : [`${at.join(", ")}: ${text}: ${complaint}`];
    });
    expect(complaints).toEqual([]);
  });

  test("for those that are made of constants", async () => {
    const complaints: string[] = [];
    for (const { path, made } of found) {
      if (made.length === 0 || (!made.some(({ isConstant }) => isConstant) && !path.endsWith("/names.ts"))) continue;
      const expressions = await madeBy(path);
      expect(expressions.length, path).toBeGreaterThan(0);
      for (const expression of expressions) {
        const complaint = superlinearWork(expression);
        if (complaint !== undefined) complaints.push(`loading ${path}: ${String(expression)}: ${complaint}`);
      }
    }
    expect(complaints).toEqual([]);
  });

  test("functions that make one are known, with the reason for which it is harmless", () => {
    const unknown = found.flatMap(({ path, made }) =>
      made
        .filter(({ isConstant, code }) => !isConstant && !isException(functions, path, code))
        .map(({ at, code }) => `${at}: ${code}`),
    );
    expect(unknown).toEqual([]);
  });

  test("no exception is without its expression", () => {
    const has = ({ file, beginning }: Exception): boolean =>
      found.some(
        ({ path, written, made }) =>
          path === file &&
          [...written.map(({ expression }) => String(expression)), ...made.map(({ code }) => code)].some((text) =>
            text.startsWith(beginning),
          ),
      );
    expect([...bounded, ...functions].filter((one) => !has(one))).toEqual([]);
  });
});

describe("the analysis", () => {
  test.each([
    [/(a+)+$/, "doubles"],
    [/^(a|a)*$/, "doubles"],
    [/^(a*)*$/, "doubles"],
    [/^(\w+\s?)*$/, "doubles"],
    [/^(?:a?b?)*c/, "doubles"],
    [/^(?<x>a|b|ab)*$/, "doubles"],
    [/\s+$/, "n²"],
    [/^a*a*$/, "n²"],
    [/a*b/, "n²"],
    [/^(?:a*b|a)*/, "n²"],
    [/(?=a*)b/, "n²"],
    [/a(?:.*b)?/g, "n²"],
    [/foo.*bar/, "n²"],
    [/"(?:\\.|[^"\\])*"/g, "n²"],
    [/^\d{1,300}\d{1,300}$/, "n²"],
    [/^(?:\p{L}+ ?)+$/u, "doubles"],
    [/^(?:É+é?)+$/i, "doubles"],
  ])("complains of %s", (expression, words) => {
    expect(superlinearWork(expression)).toContain(words);
  });

  test.each([
    /a+/,
    /a+/g,
    /^a+b$/,
    /^(?:a*b)*$/,
    /^(?:ab?)*$/,
    /"[^"]*"/g,
    /"(?:\\[^]?|[^"\\])*"?/g,
    /(?<!\s)\s+$/,
    /\b\d+\b/,
    /^[a-z0-9](?:[-a-z0-9]{0,61}[a-z0-9])?$/,
    /^\d{1,3}(?:\.\d{1,3}){3}$/,
    /^([0-9a-f]{2}([:-]))([0-9a-f]{2}\2){4}$/i,
    /^---.*$/m,
    /(?:[^,\\]|\\.)+/y,
  ])("has nothing against %s", (expression) => {
    expect(superlinearWork(expression)).toBeUndefined();
  });

  test("the text of a complaint is one on which the work grows", () => {
    expect(superlinearWork(/^x(?:ab|a|b)*$/)).toBe('each further "aba" doubles its work');
  });

  test("a form that it does not know is an error, not a pass", () => {
    expect(() => superlinearWork(/(?<=ab)c/)).toThrow("look behind");
  });
});
