import { readFileSync } from "node:fs";
import { expect, test } from "vitest";

const read = (path: string): string => readFileSync(new URL(path, import.meta.url), "utf8");

test("the guide shows the operator as it is compiled here, in less than 60 lines", () => {
  const operator = read("operator.ts");
  expect(read("../../docs/getting-started.md")).toContain(`\`\`\`ts\n${operator}\`\`\``);
  expect(operator.trimEnd().split("\n").length).toBeLessThan(60);
});
