import assert from "node:assert";
import fc from "fast-check";
import { expect, test } from "vitest";
import type { KubeObject } from "../object.js";
import { decodedNaively } from "../../../test/informer/decoded.js";
import { type LazyDecoder, lazyDecoder, type LazyDecoderOptions } from "./decoder.js";

const runs = process.env["COXSWAIN_FULL"] === "1" ? 5_000 : 400;

function decodeText(decode: LazyDecoder<KubeObject>, text: string): unknown {
  const bytes = Buffer.from(`${text}\n${text}`);
  return decode(bytes, 0, Buffer.byteLength(text));
}

const managedFields = ',"managedFields":[{"manager":"m","fieldsV1":{"f:a":{}}}]';

/** The parts of the text of one object. */
interface Sibling {
  readonly app: string;
  readonly name: string;
  readonly uid: string;
  readonly revision: string;
  readonly time: string;
  readonly isManaged: boolean;
  readonly hasStatus: boolean;
  readonly spec: string;
}

const status =
  '{"phase":"Running","conditions":[{"type":"Ready","status":"True","lastProbeTime":null}],"podIPs":[{"ip":"1"}]}';

function textOf({ app, name, uid, revision, time, isManaged, hasStatus, spec }: Sibling): string {
  const owner = `[{"kind":"ReplicaSet","name":"${app}","uid":"1","controller":true}]`;
  return (
    `{"kind":"Pod","apiVersion":"v1","metadata":{"name":"${app}-${name}","generateName":"${app}-","namespace":"n",` +
    `"uid":"${uid}","resourceVersion":"${revision}","generation":1,"creationTimestamp":"${time}",` +
    `"labels":{"app":"${app}"},"ownerReferences":${owner}${isManaged ? managedFields : ""}},` +
    `"spec":${spec}${hasStatus ? `,"status":${status}` : ""}}`
  );
}

const own = fc.oneof(
  { weight: 6, arbitrary: fc.string({ unit: fc.constantFrom("a", "b", "0", "-", " "), maxLength: 6 }) },
  fc.constantFrom("é", "\\n", '\\"', "\\u0041", "😀"),
);
const sibling: fc.Arbitrary<Sibling> = fc.record({
  app: fc.constantFrom("a", "b", "a-b", "é"),
  name: own,
  uid: own,
  revision: own,
  time: fc.constantFrom("2026-08-01T10:20:30Z", "2026-08-01T10:20:31Z", ""),
  isManaged: fc.boolean(),
  hasStatus: fc.boolean(),
  spec: fc.constantFrom(
    "{}",
    '{"a":[1,{"b":"c"}]}',
    '{"nodeName":"n","containers":[{"name":"c","ports":null}],"volumes":null,"priority":0}',
    ' { "nodeName" : "o" , "containers" : [ { "name" : "c" } ] } ',
    '{"containers":[1],"containers":[2]}',
    '{"__proto__":[1],"toString":{}}',
    '{"é":["é"],"\\u0061":[],"2":{},"1":{}}',
    "[]",
    "null",
    "1",
  ),
});

/** One change of a text: `length` characters at a place are replaced. */
const damage = fc.option(
  fc.record({
    place: fc.nat(),
    length: fc.nat(2),
    by: fc.constantFrom("", "}", "]", ",", '"', "\\", "0", "x", "\n", " ", '","uid":"', '"name":"z",'),
  }),
  { freq: 3 },
);

function damaged(text: string, { place, length, by }: { place: number; length: number; by: string }): string {
  const at = place % text.length;
  const cut = text.indexOf(managedFields);
  // the parts that are left out are not checked
  if (cut !== -1 && at >= cut && at <= cut + managedFields.length) return text;
  // half a character is none in UTF-8
  return Buffer.from(text.slice(0, at) + by + text.slice(at + length)).toString();
}

test("objects that are alike, nearly alike or damaged are each what JSON.parse gives, or refused as it refuses", () => {
  fc.assert(
    fc.property(fc.array(fc.tuple(sibling, damage), { maxLength: 40 }), fc.boolean(), (siblings, isReadonly) => {
      const decode = lazyDecoder<KubeObject>({ isReadonly });
      for (const [parts, harm] of siblings) {
        const text = harm === null ? textOf(parts) : damaged(textOf(parts), harm);
        let want: unknown;
        try {
          want = decodedNaively(text);
        } catch {
          assert.throws(() => decodeText(decode, text), SyntaxError, text);
          continue;
        }
        const decoded = decodeText(decode, text);
        expect(JSON.stringify(decoded)).toBe(JSON.stringify(want));
        assert.deepStrictEqual(decoded, want);
      }
    }),
    { numRuns: runs },
  );
});

interface Labelled {
  readonly metadata: { labels: { app: string }; ownerReferences: readonly object[]; name: string };
  readonly spec: { readonly containers: readonly object[] };
  readonly status: { readonly conditions: readonly object[]; readonly podIPs: readonly object[] };
}

function threeAlike(options: LazyDecoderOptions<KubeObject>): readonly [Labelled, Labelled, Labelled] {
  const decode = lazyDecoder<KubeObject>(options);
  const parts = {
    app: "a",
    uid: "u",
    revision: "1",
    time: "t",
    isManaged: true,
    hasStatus: true,
    spec: `{"containers":[{}]}`,
  };
  const decoded = (name: string): Labelled => decodeText(decode, textOf({ ...parts, name })) as Labelled;
  return [decoded("x"), decoded("y"), decoded("z")];
}

test("objects that are alike share neither metadata nor anything in it, since whoever gets one may change it", () => {
  const [first, second, third] = threeAlike({});
  first.metadata.labels.app = "changed";
  second.metadata.labels.app = "changed too";
  expect([third.metadata.labels.app, third.metadata.name]).toEqual(["a", "a-z"]);
});

test("those that nobody will change share labels, owners and parts of pods, which are frozen, and no more", () => {
  const [, second, third] = threeAlike({ isReadonly: true });
  expect(second.spec).not.toBe(third.spec);
  expect(second.spec.containers).toBe(third.spec.containers);
  expect(Object.isFrozen(second.spec.containers[0])).toBe(true);
  expect(second.status.conditions).toBe(third.status.conditions);
  expect(Object.isFrozen(second.status.conditions[0])).toBe(true);
  expect(second.status.podIPs).not.toBe(third.status.podIPs);
  expect(second.metadata.labels).toBe(third.metadata.labels);
  expect(second.metadata.ownerReferences).toBe(third.metadata.ownerReferences);
  expect(() => {
    second.metadata.labels.app = "changed";
  }).toThrow(TypeError);
  expect(Object.isFrozen(second.metadata.ownerReferences[0])).toBe(true);
  expect(second.metadata).not.toBe(third.metadata);
  const copy = structuredClone(second);
  copy.metadata.labels.app = "changed";
  expect(third.metadata.labels.app).toBe("a");
});
