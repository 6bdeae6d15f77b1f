import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { KubeObject } from "../../../api/index.js";
import { inOneGo } from "../../../base/index.js";
import { cborCodec } from "./cbor.js";
import { CborError, cborToJson } from "./to-json.js";
import { writeCbor } from "./write.js";

const bytes = (hex: string): Uint8Array => Buffer.from(hex.replaceAll(" ", ""), "hex");

// most of them from RFC 8949, appendix A
test.each([
  ["00", "0"],
  ["1818", "24"],
  ["1b 000000e8d4a51000", "1000000000000"],
  ["3903e7", "-1000"],
  ["3b 7fffffffffffffff", "-9223372036854775808"],
  ["f93e00", "1.5"],
  ["f90001", "5.960464477539063e-8"],
  ["f97bff", "65504.0"],
  ["fa47c35000", "100000.0"],
  ["fb3ff199999999999a", "1.1"],
  ["f4", "false"],
  ["f6", "null"],
  ["62c3bc", '"ü"'],
  ["4401020304", '"\\u0001\\u0002\\u0003\\u0004"'],
  ["9f018202039f0405ffff", "[1,[2,3],[4,5]]"],
  ["bf61610161629f0203ffff", '{"a":1,"b":[2,3]}'],
  ["7f657374726561646d696e67ff", '"streaming"'],
  ["d9d9f7 a1 4161 d6 43 010203", '{"a":"AQID"}'],
  ["d5 42 fbff", '"-_8"'],
  ["d7 43 0102ff", '"0102ff"'],
  ["c0 74 323031332d30332d32315432303a30343a30305a", '"2013-03-21T20:04:00Z"'],
  ["c1 1a 514b67b0", '"2013-03-21T20:04:00Z"'],
])("%s is %s", (hex, json) => {
  expect(cborToJson(bytes(hex))).toBe(json);
});

test.each([
  ["", "EOF", true],
  ["a1 41", "unexpected EOF", true],
  ["5b ffffffffffffffff 00", "unexpected EOF", true],
  ["9b ffffffffffffffff", "unexpected EOF", true],
  ["0000", "cbor: 1 bytes of extraneous data starting at index 1", true],
  ["ff", 'cbor: unexpected "break" code', true],
  ["bf 6161 ff", 'cbor: unexpected "break" code', true],
  ["5f 6161 ff", "cbor: wrong element type UTF-8 text string for indefinite-length byte string", true],
  ["1c", "cbor: invalid additional information 28 for type positive integer", true],
  ["f8 18", "cbor: invalid simple value 24 for type primitives", true],
  ["61 ff", "cbor: invalid UTF-8 string", false],
  ["a2 6161 01 6161 02", 'cbor: found duplicate map key "a" at map element index 1', false],
  ["a1 01 02", "cbor: cannot unmarshal positive integer into Go value of type string", false],
  ["f9 7e00", "cbor: data item of cbor type primitives is not accepted by protocol: floating-point NaN", false],
  ["f9 7c00", "cbor: data item of cbor type primitives is not accepted by protocol: floating-point infinity", false],
  [
    "f7",
    "cbor: data item of cbor type primitives is not accepted by protocol: simple value 23 is not recognized",
    false,
  ],
  ["c1 fb 7fefffffffffffff", "cbor: invalid time of tag 1", false],
])("%s is refused: %s", (hex, message, isMalformed) => {
  expect(() => cborToJson(bytes(hex))).toThrow(expect.objectContaining({ message, isMalformed }));
});

describe("a document that is deep or has many parts", () => {
  test.each([
    ["lists", Buffer.alloc(100_000, 0x81)],
    ["maps", Buffer.concat(Array.from({ length: 50_000 }, () => bytes("a1 60")))],
    ["tags", Buffer.alloc(100_000, 0xc9)],
    ["open lists", Buffer.alloc(100_000, 0x9f)],
  ])("of nested %s is refused", (_title, deep) => {
    expect(() => cborToJson(deep)).toThrow("exceeded max nested level");
  });

  test("of very many items is refused", () => {
    expect(() => cborToJson(Buffer.concat([bytes("9f"), Buffer.alloc(1_000_000, 0x80), bytes("ff")]))).toThrow(
      "exceeded max number of data items",
    );
  });
});

test("what is written is read as the same JSON", () => {
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      expect(JSON.parse(cborToJson(writeCbor(value)))).toEqual(JSON.parse(JSON.stringify(value)));
    }),
  );
});

test("integers keep all their digits", () => {
  for (const one of [2n ** 63n - 1n, -(2n ** 63n), 2n ** 53n + 1n, 2n ** 32n, -257n])
    expect(cborToJson(writeCbor(one))).toBe(String(one));
});

test("no bytes make the reader fail in another way", () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 60 }), (some) => {
      try {
        JSON.parse(cborToJson(some));
      } catch (error) {
        expect(error).toBeInstanceOf(CborError);
      }
    }),
    { numRuns: 2_000 },
  );
});

test("an event has the object as its second member", () => {
  const object = { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "a" } } as unknown as KubeObject;
  const event = cborCodec.encodeWatchEvent("ADDED", cborCodec.encode(object));
  expect(JSON.parse(cborToJson(event))).toEqual({ type: "ADDED", object });
});

test("a long list is one document, whose built-in items do not repeat their kind", async () => {
  const items = Array.from({ length: 150 }, (_, i) => ({
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata: { name: `a${i}` },
  }));
  const pieces: Uint8Array[] = [];
  const head = { apiVersion: "v1", kind: "ConfigMapList", metadata: { resourceVersion: "5" } };
  for await (const piece of cborCodec.encodeList?.(head, items as unknown as KubeObject[]) ?? []) pieces.push(piece);
  expect(pieces.length).toBeGreaterThan(2);
  const list: unknown = JSON.parse(cborToJson(Buffer.concat(pieces)));
  expect(list).toEqual({ ...head, items: items.map(({ metadata }) => ({ metadata })) });
});

test("an object is decoded by its type, and what does not fit is told", () => {
  const sent = { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "a" }, data: { k: "v" }, nonsense: 1 };
  const { object, problems } = inOneGo(
    cborCodec.decode(writeCbor(sent), { group: "", version: "v1", kind: "ConfigMap" }),
  );
  expect(object).toMatchObject({ data: { k: "v" } });
  expect(problems).toEqual(['unknown field "nonsense"']);
});
