import { expect, test } from "vitest";
import { type Authorizer, deciding } from "./authorizer.js";
import type { RequestInfo } from "./request.js";

const question = (path: string): RequestInfo => ({ type: "other", verb: "get", path });
const user = { username: "jane", groups: [] };

test("a computation whose decisions are in memory is synchronous", () => {
  const authorizer: Authorizer = () => ({ allowed: true });
  expect(deciding(authorizer, (decide) => decide(user, question("/a")).allowed)).toBe(true);
});

test("a computation that needs decisions from elsewhere gets each of them once, and is begun again for each", async () => {
  const asked: string[] = [];
  const authorizer: Authorizer = async (_, request) => {
    const { path } = request as { readonly path: string };
    asked.push(path);
    return { allowed: path !== "/c" };
  };
  let attempts = 0;
  const result = deciding(authorizer, (decide) => {
    attempts++;
    return ["/a", "/b", "/a", "/c"].map((path) => decide(user, question(path)).allowed);
  });
  expect(await result).toEqual([true, true, true, false]);
  expect([asked, attempts]).toEqual([["/a", "/b", "/c"], 4]);
});

test("an error of the computation, and of the authorizer, is passed on", async () => {
  const authorizer: Authorizer = async () => Promise.reject(new Error("down"));
  expect(() =>
    deciding(authorizer, () => {
      throw new Error("mine");
    }),
  ).toThrow("mine");
  await expect(deciding(authorizer, (decide) => decide(user, question("/a")))).rejects.toThrow("down");
});
