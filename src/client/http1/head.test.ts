import { describe, expect, test } from "vitest";
import { ProtocolViolation } from "../transport/headers.js";
import { headWriter, readHead } from "./head.js";

describe("a request's head", () => {
  const write = headWriter({ host: "server.test" });
  const request = { method: "GET", path: "/api?a=b", headers: { accept: "application/json", via: ["a", "b"] } };

  test("has the fixed headers first, then its own, one line for each value", () => {
    expect(write(request)).toBe(
      "GET /api?a=b HTTP/1.1\r\nhost: server.test\r\naccept: application/json\r\nvia: a\r\nvia: b\r\n\r\n",
    );
  });

  test("says how long the body is, also if a server expects one and there is none", () => {
    expect(write({ ...request, headers: {}, method: "DELETE", body: Buffer.from("abc") })).toContain(
      "content-length: 3",
    );
    expect(write({ ...request, headers: {}, method: "POST" })).toContain("content-length: 0");
    expect(write({ ...request, headers: {}, method: "DELETE" })).not.toContain("content-length");
  });

  for (const wrong of [
    { path: "/a b" },
    { path: "/a\r\nx: y" },
    { path: "/ü" },
    { headers: { "a b": "c" } },
    { headers: { a: "b\r\nc: d" } },
  ])
    test(`cannot be written with ${JSON.stringify(wrong)}`, () => {
      expect(() => write({ ...request, ...wrong })).toThrow(TypeError);
    });
});

describe("an answer's head", () => {
  test("may name its headers as the server likes", () => {
    const names = ["constructor", "__proto__", "hasOwnProperty".toLowerCase(), "valueof"];
    const { headers } = readHead(
      ["HTTP/1.1 200 OK", ...names, ...names].join(": x\r\n").replace("OK: x", "OK").concat(": x"),
    );
    expect(Object.entries(headers)).toEqual(names.map((name) => [name, ["x", "x"]]));
  });

  test("is read with its names in lower case and repeated headers in their order", () => {
    expect(readHead("HTTP/1.1 200 OK\r\nContent-Type:  a/b \r\nWarning: 1\r\nwarning: 2")).toEqual({
      status: 200,
      reason: "OK",
      headers: { "content-type": "a/b", warning: ["1", "2"] },
      keptMs: 90_000,
    });
  });

  for (const [head, kept] of [
    ["HTTP/1.1 200 OK\r\nConnection: Upgrade, Close", 0],
    ["HTTP/1.0 200 OK", 0],
    ["HTTP/1.1 200\r\nKeep-Alive: timeout=5", 4_000],
    ["HTTP/1.1 200 \r\nKeep-Alive: max=3, timeout=1", 0],
  ] as const)
    test(`${JSON.stringify(head)} lets the connection be kept for ${kept} ms`, () => {
      expect(readHead(head).keptMs).toBe(kept);
    });

  for (const head of [
    "",
    "HTTP/2 200 OK",
    "HTTP/1.1 20 OK",
    "HTTP/1.1 200 OK\r\nno colon",
    "HTTP/1.1 200 OK\r\n folded: x",
    "HTTP/1.1 200 OK\r\na : b",
    "HTTP/1.1 200 OK\r\n\r\na: b",
  ])
    test(`${JSON.stringify(head)} is none`, () => {
      expect(() => readHead(head)).toThrow(ProtocolViolation);
    });
});
