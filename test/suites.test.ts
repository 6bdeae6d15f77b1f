/** The table of other projects' suites in docs/compatibility.md is that of `npm run suites`. */
import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { suites } from "../tools/suites-list.js";
import { rowOf, withRow } from "../tools/suites-table.js";
import { repository } from "./source-files.js";

const document = readFileSync(`${repository}docs/compatibility.md`, "utf8");

test("every row is a suite of the list, in the version that is run", () => {
  const listed = suites.map(({ name, module }) => `${name} ${module.replace(/^.*@v/, "")}`);
  const rows = document.split("\n").filter((line) => /^\| \S+ \d+\.\d+\.\d+ \|/.test(line));
  const titles = rows.map((row) => row.split(" | ")[0]?.slice(2) ?? "");
  expect(titles.length).toBeGreaterThanOrEqual(5);
  expect(titles.filter((title) => !listed.includes(title))).toEqual([]);
});

test("a suite's row adds its packages up, with the most memory of one, and takes the place of its last one", () => {
  const side = { passed: 2, seconds: 1.4, megabytes: 100 };
  const one = { tests: 3, different: 1, there: side, here: { ...side, megabytes: 50 } };
  const row = rowOf("a 1.0.0 | 2", [one, { ...one, here: { ...side, megabytes: 70 } }]);
  expect(row).toBe("| a 1.0.0 | 2 | 6 | 4 | 4 | 2 | 3 | 3 | 100 | 70 |");
  const table = ["before", "| suite | tests |", "|---|---|", "| ab 1.0.0 | 1 |", "", "after"].join("\n");
  const grown = withRow(table, row);
  expect(grown.split("\n").slice(3)).toEqual(["| ab 1.0.0 | 1 |", row, "", "after"]);
  expect(withRow(grown, "| a 1.1.0 | 9 |").split("\n").slice(3, 6)).toEqual([
    "| ab 1.0.0 | 1 |",
    "| a 1.1.0 | 9 |",
    "",
  ]);
  expect(() => withRow("no table", row)).toThrow("no table of suites");
});
