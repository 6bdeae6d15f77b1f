import { expect, test } from "vitest";
import { withoutEndSlashes } from "./end-slashes.js";

test("only the slashes at the end go", () => {
  expect(["", "/", "a", "a//b", "https://a//", "https://a/b/"].map(withoutEndSlashes)).toEqual([
    "",
    "",
    "a",
    "a//b",
    "https://a",
    "https://a/b",
  ]);
});
