import { describe, expect, test } from "vitest";
import { judge } from "./guard.js";

const asked = (headers: Readonly<Record<string, string>>, url = "/", method = "GET") => ({ method, url, headers });
const outcome = (headers: Readonly<Record<string, string>>, token?: string, url?: string): string | number => {
  const verdict = judge(asked(headers, url), { token });
  return verdict.type === "refused" ? verdict.status : verdict.type;
};

describe("on loopback, a request that does not name this machine, or comes from another site, is refused", () => {
  test.each([
    [{ host: "localhost:6480" }, "allowed"],
    [{ host: "127.0.0.1:6480" }, "allowed"],
    [{ host: "[::1]:6480" }, "allowed"],
    [{ host: "attacker.example:6480" }, 403],
    [{}, 403],
    [{ host: "localhost:6480", origin: "http://localhost:6480" }, "allowed"],
    [{ host: "localhost:6480", origin: "http://localhost:9999" }, 403],
    [{ host: "localhost:6480", origin: "null" }, 403],
    [{ host: "localhost:6480", "sec-fetch-site": "same-origin" }, "allowed"],
    [{ host: "localhost:6480", "sec-fetch-site": "cross-site" }, 403],
    [{ host: "localhost:6480", "sec-fetch-site": "same-site", "sec-fetch-mode": "no-cors" }, 403],
    [
      {
        host: "localhost:6480",
        "sec-fetch-site": "cross-site",
        "sec-fetch-mode": "navigate",
        "sec-fetch-dest": "document",
      },
      "allowed",
    ],
    [
      {
        host: "localhost:6480",
        "sec-fetch-site": "cross-site",
        "sec-fetch-mode": "navigate",
        "sec-fetch-dest": "iframe",
      },
      403,
    ],
  ])("%j is %s", (headers, expected) => {
    expect(outcome(headers as Record<string, string>)).toBe(expected);
  });

  test.each(["POST", "PUT", "PATCH", "DELETE", "OPTIONS"])("%s is refused: the page changes nothing", (method) => {
    expect(judge(asked({ host: "localhost" }, "/", method), {})).toMatchObject({ type: "refused", status: 405 });
  });
});

describe("where other machines can reach it", () => {
  const host = { host: "node-7.example:6480" };

  test("it wants the token: in the address once, then in a cookie, or as a bearer token", () => {
    expect(outcome(host, "secret")).toBe(401);
    expect(outcome(host, "secret", "/?token=wrong")).toBe(401);
    expect(judge(asked(host, "/page/kinds?token=secret&x=1"), { token: "secret" })).toEqual({
      type: "redirected",
      to: "/page/kinds?x=1",
      cookie: "coxswain-page=secret; Path=/; HttpOnly; SameSite=Strict",
    });
    expect(outcome({ ...host, cookie: "a=b; coxswain-page=secret" }, "secret")).toBe("allowed");
    expect(outcome({ ...host, cookie: "coxswain-page=other1" }, "secret")).toBe(401);
    expect(outcome({ ...host, authorization: "Bearer secret" }, "secret")).toBe("allowed");
  });
});
