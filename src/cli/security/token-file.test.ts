import { expect, test } from "vitest";
import { tokensIn } from "./token-file.js";

test("a line has a token, its user, the uid and perhaps groups in quotes", () => {
  const users = tokensIn('t1,admin,u1,"system:masters,other"\n\nt2, bob ,u2\r\n"t,3","o""k",u3,one\n');
  expect([...users]).toEqual([
    ["t1", { username: "admin", uid: "u1", groups: ["system:masters", "other"] }],
    ["t2", { username: "bob", uid: "u2", groups: [] }],
    ["t,3", { username: 'o"k', uid: "u3", groups: ["one"] }],
  ]);
});

test("a line that lacks a column is refused with its number", () => {
  expect(() => tokensIn("a,b,c\nd,e\n")).toThrow("line 2 of the token file");
});
