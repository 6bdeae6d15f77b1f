import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { ProtocolViolation } from "../../transport/headers.js";
import { HeaderDecoder } from "./decoder.js";
import { HeaderEncoder } from "./encoder.js";
import { HeaderTable } from "./table.js";

function decoded(decoder: HeaderDecoder, block: Buffer): string[] {
  const fields: string[] = [];
  decoder.decode(block, ({ name, value }) => fields.push(`${name}: ${value}`));
  return fields;
}

const bytes = (hex: string): Buffer => Buffer.from(hex.replaceAll(" ", ""), "hex");

describe("a decoder", () => {
  test("reads the requests of RFC 7541, appendix C.3 and C.4, plain and with the Huffman code", () => {
    const first = [":method: GET", ":scheme: http", ":path: /", ":authority: www.example.com"];
    const second = [...first, "cache-control: no-cache"];
    const third = [
      ":method: GET",
      ":scheme: https",
      ":path: /index.html",
      ":authority: www.example.com",
      "custom-key: custom-value",
    ];
    const plain = [
      "8286 8441 0f77 7777 2e65 7861 6d70 6c65 2e63 6f6d",
      "8286 84be 5808 6e6f 2d63 6163 6865",
      "8287 85bf 400a 6375 7374 6f6d 2d6b 6579 0c63 7573 746f 6d2d 7661 6c75 65",
    ];
    const packed = [
      "8286 8441 8cf1 e3c2 e5f2 3a6b a0ab 90f4 ff",
      "8286 84be 5886 a8eb 1064 9cbf",
      "8287 85bf 4088 25a8 49e9 5ba9 7d7f 8925 a849 e95b b8e8 b4bf",
    ];
    for (const blocks of [plain, packed]) {
      const decoder = new HeaderDecoder();
      expect(blocks.map((block) => decoded(decoder, bytes(block)))).toEqual([first, second, third]);
    }
  });

  test("lets the oldest go when a table of a new size is full, and refuses one that is too large", () => {
    const decoder = new HeaderDecoder();
    // a size of 64 holds one small field: the second pushes out the first
    expect(decoded(decoder, bytes("3f21 4001 6101 62 4001 6301 64 be"))).toEqual(["a: b", "c: d", "c: d"]);
    expect(() => decoded(decoder, bytes("bf"))).toThrow(ProtocolViolation);
    expect(() => decoded(new HeaderDecoder(), bytes("3fe2 1f"))).toThrow("a header table of 4097 bytes");
  });

  const wrong = [
    ["index 0", "80"],
    ["an index beyond the table", "be"],
    ["a text beyond the block", "4001 6105 6263"],
    ["a number without end", "ffff ffff ffff ffff"],
    ["nothing after a name", "4001 61"],
    ["padding of more than seven bits", "4001 6183 1fff ff"],
    ["padding that is not ones", "4001 6181 00"],
  ] as const;
  for (const [what, block] of wrong) {
    test(`does not accept ${what}`, () => {
      expect(() => decoded(new HeaderDecoder(), bytes(block))).toThrow(ProtocolViolation);
    });
  }
});

describe("an encoder", () => {
  const text = fc.stringMatching(/^[a-z0-9 ./=-]{0,40}$/);
  const request = fc.record({
    method: fc.constantFrom("GET", "POST", "PATCH"),
    path: text.map((rest) => `/${rest}`),
    headers: fc.dictionary(fc.stringMatching(/^[a-z][a-z-]{0,8}$/), fc.oneof(text, fc.array(text, { maxLength: 3 })), {
      maxKeys: 5,
    }),
    limit: fc.option(fc.integer({ min: 0, max: 300 })),
    sentTwice: fc.boolean(),
  });

  test("is understood by a decoder, whatever is sent and however small the table becomes", () => {
    fc.assert(
      fc.property(fc.array(request, { maxLength: 12 }), (requests) => {
        const encoder = new HeaderEncoder("server:443");
        const decoder = new HeaderDecoder();
        for (const { method, path, headers, limit, sentTwice } of requests) {
          if (limit !== null) encoder.limitTable(limit);
          const expected = [`:method: ${method}`, ":scheme: https", ":authority: server:443", `:path: ${path}`];
          for (const [name, value] of Object.entries(headers)) {
            for (const each of [value].flat()) expected.push(`${name}: ${each}`);
          }
          const times = sentTwice ? 2 : 1;
          for (let i = 0; i < times; i++) {
            expect(decoded(decoder, encoder.encode({ method, path, headers }))).toEqual(expected);
          }
        }
      }),
    );
  });

  test("sends what repeats in a few bytes, a long token too", () => {
    const encoder = new HeaderEncoder("server:443");
    const headers = { accept: "application/json", authorization: `Bearer ${"x".repeat(1000)}`, "user-agent": "test" };
    const sizes = [1, 2, 3].map(() => encoder.encode({ method: "GET", path: "/api", headers }).length);
    expect(sizes[0]).toBeGreaterThan(1000);
    expect(sizes.slice(1)).toEqual([12, 12]);
  });

  test("does not send what would be another header, and says nothing of its value", () => {
    const encoder = new HeaderEncoder("server:443");
    const send = (headers: Record<string, string>) => () => encoder.encode({ method: "GET", path: "/", headers });
    expect(send({ authorization: "Bearer secret\r\nx: y" })).toThrow(
      new TypeError("the header authorization has a line break or a NUL in its value"),
    );
    expect(send({ "a b": "c" })).toThrow('"a b" is no name for a header');
  });
});

test("a table numbers its fields from the newest, after the fixed ones", () => {
  const table = new HeaderTable(100);
  const [a, b, c] = ["a", "b", "c"].map((name) => ({ name, value: "" }));
  for (const field of [a, b, c]) table.add(field as { name: string; value: string }, 40);
  expect([table.at(2), table.at(62), table.at(63), table.at(64)]).toEqual([
    { name: ":method", value: "GET" },
    c,
    b,
    undefined,
  ]);
  table.add({ name: "large", value: "" }, 101);
  expect(table.at(62)).toBe(undefined);
});
