import assert from "node:assert";
import { inspect } from "node:util";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { KubeObject } from "../object.js";
import { decodedNaively } from "../../../test/informer/decoded.js";
import { lazyDecoder, type LazyDecoderOptions } from "./decoder.js";

const runs = process.env["COXSWAIN_FULL"] === "1" ? 10_000 : 1_000;

function decodeText(text: string, options: LazyDecoderOptions<KubeObject> = {}): unknown {
  // between other bytes, as in a chunk with many frames
  const bytes = Buffer.from(`}"{${text}}"]1`);
  return lazyDecoder<KubeObject>(options)(bytes, 3, bytes.length - 4);
}

const keys = fc.oneof(
  fc.string({ unit: "binary" }),
  fc.constantFrom(
    "metadata",
    "spec",
    "status",
    "kind",
    "apiVersion",
    "managedFields",
    "name",
    "labels",
    "__proto__",
    "0",
  ),
  fc.constantFrom("constructor", "toString", "", "length", "\\", '"', "a\nb", "é", "日本", "😀"),
);

const scalars = fc.oneof(
  fc.string({ unit: "binary" }),
  fc.string(),
  fc.integer(),
  fc.double({ noNaN: true, noDefaultInfinity: true }),
  fc.boolean(),
  fc.constant(null),
);

const { value: anyJson } = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { depthSize: "small", withCrossShrink: true },
    scalars,
    fc.array(tie("value"), { maxLength: 4 }),
    fc.uniqueArray(fc.tuple(keys, tie("value")), { selector: ([key]) => key, maxLength: 6 }).map(asObject),
  ),
}));

const anyObject = fc.uniqueArray(fc.tuple(keys, anyJson), { selector: ([key]) => key, maxLength: 8 }).map(asObject);

/** Object.fromEntries also makes an own property of `__proto__`. */
function asObject(entries: readonly (readonly [string, unknown])[]): object {
  return Object.fromEntries(entries);
}

/** The same JSON, written with white space and escapes that servers do not use. */
function spaced(text: string, seed: number): string {
  let inString = false;
  let escaped = false;
  let result = "";
  for (const [i, char] of text.split("").entries()) {
    if (char === '"' && !escaped) inString = !inString;
    escaped = char === "\\" && !escaped;
    result += char;
    if (!inString && (i + seed) % 3 === 0 && /[{}[\],:"]/.test(char))
      result += [" ", "\n", "\t", "\r "][(i + seed) % 4];
  }
  return result;
}

describe("a decoded object equals what JSON.parse gives, without managedFields", () => {
  test("for any object", () => {
    fc.assert(
      fc.property(anyObject, (object) => {
        const text = JSON.stringify(object);
        assert.deepStrictEqual(decodeText(text), decodedNaively(text));
      }),
      { numRuns: runs },
    );
  });

  test("for any JSON with white space in it", () => {
    fc.assert(
      fc.property(anyObject, fc.nat(20), (object, seed) => {
        const text = spaced(JSON.stringify(object), seed);
        assert.deepStrictEqual(decodeText(text), decodedNaively(text));
      }),
      { numRuns: runs },
    );
  });

  test("in key order, as text again, and part by part", () => {
    fc.assert(
      fc.property(anyObject, (object) => {
        const text = JSON.stringify(object);
        const decoded = decodeText(text) as Record<string, unknown>;
        const plain = decodedNaively(text) as Record<string, unknown>;
        expect(Object.keys(decoded)).toEqual(Object.keys(plain));
        expect(JSON.stringify(decoded)).toBe(JSON.stringify(plain));
        expect(inspect(decoded, { depth: 9 })).toBe(inspect(plain, { depth: 9 }));
      }),
      { numRuns: runs },
    );
  });

  test("also for a value that is no object", () => {
    for (const text of ["null", "[1]", '"a"', "1", "true"]) assert.deepStrictEqual(decodeText(text), JSON.parse(text));
  });

  test("also where a key comes twice: the last counts, at the place of the first", () => {
    for (const text of [
      '{"spec":{"a":1},"status":{},"spec":{"b":2}}',
      '{"metadata":{"name":"a","name":"b","managedFields":[],"managedFields":[1]},"kind":"x","kind":"y"}',
      '{"metadata":{"name":"a"},"metadata":{"name":"b","managedFields":[]}}',
    ])
      expect(JSON.stringify(decodeText(text))).toBe(JSON.stringify(decodedNaively(text)));
  });

  test("only the object's own managedFields are left out", () => {
    const text =
      '{"metadata":{"managedFields":[{}],"annotations":{"managedFields":"x"}},"spec":{"metadata":{"managedFields":[1]}}}';
    expect(decodeText(text)).toEqual({
      metadata: { annotations: { managedFields: "x" } },
      spec: { metadata: { managedFields: [1] } },
    });
  });

  test("whatever managedFields hold, and wherever in the metadata they stand", () => {
    const tricky = fc.oneof(
      anyJson,
      fc.array(
        fc.oneof(fc.array(anyJson, { maxLength: 2 }), fc.string(), fc.constantFrom("]", ']},"spec":{', '],"name":"x"')),
      ),
    );
    const plain = fc.record({ name: fc.string(), uid: fc.string(), labels: fc.dictionary(fc.string(), fc.string()) });
    fc.assert(
      fc.property(plain, tricky, fc.nat(3), anyJson, (metadata, managedFields, place, spec) => {
        const entries: [string, unknown][] = Object.entries(metadata);
        entries.splice(place, 0, ["managedFields", managedFields]);
        const text = JSON.stringify({ metadata: Object.fromEntries(entries), spec, status: { phase: "x" } });
        expect(JSON.stringify(decodeText(text))).toBe(JSON.stringify(decodedNaively(text)));
      }),
      { numRuns: runs },
    );
  });

  test("metadata that is like another's but for name, uid, revision and time is a copy of its own", () => {
    const text = (own: object): string =>
      JSON.stringify({
        metadata: {
          ...own,
          labels: { app: "a" },
          annotations: {},
          finalizers: ["f"],
          ownerReferences: [{ name: "o", controller: true }],
        },
        spec: {},
      });
    const decoded = [1, 2, 3, 4].map((i) => {
      const own = { name: `n${i}`, uid: `u${i}`, resourceVersion: `${i}`, creationTimestamp: `t${i}` };
      const object = decodeText(text(own)) as { metadata: Record<string, Record<string, unknown>> };
      expect(object).toEqual(JSON.parse(text(own)));
      for (const part of ["labels", "annotations", "finalizers"]) (object.metadata[part] as object as unknown[])[0] = i;
      ((object.metadata["ownerReferences"] as object as object[])[0] as { name: unknown }).name = i;
      return object;
    });
    expect(decoded.map(({ metadata }) => metadata["ownerReferences"])).toEqual(
      [1, 2, 3, 4].map((i) => [{ name: i, controller: true }]),
    );
  });

  test("values of name, uid, revision and time that are written in unusual ways", () => {
    for (const value of ['"a\\"b"', '"\\u0041"', '"é"', "null", "1", "{}", '["a"]', '""'])
      for (const key of ["name", "uid", "resourceVersion", "creationTimestamp"]) {
        const text = `{"metadata":{"x":1,"${key}":${value},"labels":{"a":"b"}}}`;
        for (let again = 0; again < 3; again++) assert.deepStrictEqual(decodeText(text), decodedNaively(text));
      }
    const escapedKey = '{"metadata":{"name":"a","na\\u006de":"b","managedField\\u0073":[1]}}';
    for (let again = 0; again < 3; again++) assert.deepStrictEqual(decodeText(escapedKey), decodedNaively(escapedKey));
  });

  test("nesting of any depth that JSON.parse takes", () => {
    for (const key of ["spec", "metadata"]) {
      let inner = (
        decodeText(`{"${key}":{"a":${"[".repeat(3000)}${"]".repeat(3000)}}}`) as Record<string, { a: unknown }>
      )[key]?.a;
      let depth = 0;
      for (; Array.isArray(inner); inner = (inner as unknown[])[0]) depth++;
      expect(depth).toBe(3000);
    }
  });
});

test("what JSON.parse refuses is refused with a SyntaxError, and not later", () => {
  const text =
    '{"kind":"Pod","metadata":{"name":"a","labels":{"b":"c"}},"spec":{"n":[1,-2.5e3,true,null,"\\u00e9\\n"]}}';
  fc.assert(
    fc.property(
      fc.nat(text.length - 1),
      fc.constantFrom("", "}", "]", ",", '"', "\\", "0", "x", "\n", "-", "."),
      (at, insert) => {
        for (const broken of [
          text.slice(0, at) + insert + text.slice(at),
          text.slice(0, at) + insert + text.slice(at + 1),
        ]) {
          let want: unknown;
          try {
            want = decodedNaively(broken);
          } catch {
            assert.throws(() => decodeText(broken), SyntaxError, broken);
            continue;
          }
          assert.deepStrictEqual(decodeText(broken), want);
        }
      },
    ),
    { numRuns: runs },
  );
});

describe("kind and apiVersion", () => {
  const type = { kind: "Pod", apiVersion: "v1" };
  for (const [text, want] of [
    ['{"metadata":{"name":"a"},"spec":{}}', '{"kind":"Pod","apiVersion":"v1","metadata":{"name":"a"},"spec":{}}'],
    ['{"kind":"Pod","metadata":{"name":"a"}}', '{"apiVersion":"v1","kind":"Pod","metadata":{"name":"a"}}'],
    ['{"apiVersion":"v1","data":{},"kind":"Pod"}', '{"apiVersion":"v1","data":{},"kind":"Pod"}'],
    ['{"spec":{},"kind":"Other","apiVersion":"v2"}', '{"spec":{},"kind":"Other","apiVersion":"v2"}'],
    ["{}", '{"kind":"Pod","apiVersion":"v1"}'],
  ] as const)
    test(`are put in front where they are missing: ${text}`, () => {
      expect(JSON.stringify(decodeText(text, type))).toBe(want);
    });
});

describe("an object that is cached", () => {
  const at = (revision: number, status: string): string =>
    `{"metadata":{"name":"a","namespace":"n","resourceVersion":"${revision}"},"spec":{"a":1},"status":${status}}`;

  test("at the same revision is taken instead of being decoded again", () => {
    const older = decodeText(at(7, "{}")) as KubeObject;
    const asked: string[] = [];
    const cached = (key: string): KubeObject => {
      asked.push(key);
      return older;
    };
    expect(decodeText(at(7, "{}"), { cached })).toBe(older);
    expect(asked).toEqual(["n/a"]);
  });

  test("at another revision leaves the new object as it came", () => {
    fc.assert(
      fc.property(anyJson, anyJson, fc.boolean(), (before, after, isRead) => {
        const older = decodeText(at(7, JSON.stringify(before))) as KubeObject & { readonly status: unknown };
        if (isRead) void older.status;
        const text = at(8, JSON.stringify(after));
        assert.deepStrictEqual(decodeText(text, { cached: () => older }), decodedNaively(text));
        assert.deepStrictEqual(older, decodedNaively(at(7, JSON.stringify(before))));
      }),
      { numRuns: runs },
    );
  });

  test("at another revision shares no object with the new one", () => {
    const older = decodeText(at(7, "{}")) as KubeObject & { readonly spec: object };
    const newer = decodeText(at(8, "{}"), { cached: () => older }) as typeof older;
    expect(newer.spec).not.toBe(older.spec);
    expect(newer.metadata).not.toBe(older.metadata);
  });

  test("with the same revision but another uid is another object", () => {
    const older = {
      ...(decodeText(at(7, "{}")) as KubeObject),
      metadata: { name: "a", resourceVersion: "7", uid: "x" },
    };
    expect(decodeText(at(7, "{}"), { cached: () => older })).not.toBe(older);
  });

  test("has a key without a slash if it has no namespace", () => {
    const asked: string[] = [];
    const cached = (key: string): undefined => void asked.push(key);
    decodeText('{"metadata":{"name":"a","resourceVersion":"7"}}', { cached });
    expect(asked).toEqual(["a"]);
  });
});
