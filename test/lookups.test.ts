import { expect, test } from "vitest";
import { isGenerated, isTest, sourceFiles } from "./source-files.js";

/** A table of constants by any name, written as a plain object: it answers to `constructor` too. */
const plainTable = /^(?:export )?const \w+: Readonly<Record<string, .*>> = \{/;

test("tables of constants by name are made with lookup()", () => {
  const plain = sourceFiles("src")
    // the tables of CEL are asked for names of its own
    .filter(({ path }) => !isTest(path) && !isGenerated(path) && !path.includes("/cel/"))
    .flatMap(({ path, text }) =>
      text.split("\n").flatMap((line, i) => (plainTable.test(line) ? [`${path}:${i + 1}: ${line}`] : [])),
    );
  expect(plain).toEqual([]);
});

/** `for (const [key, value] of Object.entries(map))`, `Object.keys(map).filter((name) => …)` and their like: the names that come out. */
const names =
  /(?:const \[?(\w+)[^=]* of Object\.(?:keys|entries)\()|(?:Object\.(?:keys|entries)\(.*?\)\.\w+\(\(\[?(\w+))/;
/** Lines after such a loop that may belong to it. */
const reach = 6;

/** Reads of some map by a name that came out of another one, which a client filled. The map itself has the name. */
function foreignReads(lines: readonly string[], at: number): readonly string[] {
  const [, loop, callback] = names.exec(lines[at] as string) ?? [];
  const name = loop ?? callback;
  if (name === undefined) return [];
  const itself = /Object\.(?:keys|entries)\(\(?(\w+)/.exec(lines[at] as string)?.[1] ?? "";
  // the names of a constant are our own
  if (lines.some((line) => new RegExp(`^(?:export )?const ${itself}\\b`).test(line))) return [];
  const end = loop === undefined ? at + 1 : at + reach;
  return lines
    .slice(at, end)
    .flatMap((line) =>
      [...line.matchAll(new RegExp(`([\\w.?]+)\\[${name}\\](?! (?:=|\\?\\?=) )`, "g"))]
        .filter(([read, map]) => map?.replace(/\?\.$/, "") !== itself && !line.includes(`hasOwn(${map}`) && read !== "")
        .map(([read]) => `${read} in: ${line.trim()}`),
    );
}

test("a name that comes out of one object is looked up in another with own() or Object.hasOwn", () => {
  const found = sourceFiles("src/apiserver")
    .filter(({ path }) => !isTest(path) && /\/(registry|admission|table|services|special)\//.test(path))
    .flatMap(({ path, text }) => {
      const lines = text.split("\n");
      return lines.flatMap((_, i) => foreignReads(lines, i).map((read) => `${path}:${i + 1}: ${read}`));
    });
  expect(found).toEqual([]);
});
