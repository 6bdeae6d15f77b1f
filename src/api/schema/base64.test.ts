import { expect, test } from "vitest";
import { canonicalBase64 } from "./base64.js";

test.each([
  ["", ""],
  ["YQ==", "YQ=="],
  ["YR==", "YQ=="],
  ["YWJ=", "YWI="],
  ["YW\nJj\r\n", "YWJj"],
  ["YQ", { illegalAt: 0 }],
  ["YWJjZ", { illegalAt: 4 }],
  ["YQ=", { illegalAt: 3 }],
  ["YQ=a", { illegalAt: 2 }],
  ["YQ==a", { illegalAt: 4 }],
  ["Y===", { illegalAt: 1 }],
  ["=", { illegalAt: 0 }],
  ["Y!==", { illegalAt: 1 }],
  ["\nü", { illegalAt: 1 }],
])("%j is read as Go reads it", (text, result) => {
  expect(canonicalBase64(text)).toEqual(result);
});
