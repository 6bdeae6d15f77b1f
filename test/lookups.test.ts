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
