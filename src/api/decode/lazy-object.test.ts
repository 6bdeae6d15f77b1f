import assert from "node:assert";
import { inspect } from "node:util";
import { deserialize, serialize, setFlagsFromString } from "node:v8";
import { runInThisContext } from "node:vm";
import { describe, expect, test } from "vitest";
import { estimatedBytes } from "./lazy-object.js";
import { lazyDecoder } from "./decoder.js";

function decodeText(text: string, decode = lazyDecoder()): unknown {
  // between other bytes, as in a chunk with many frames
  const bytes = Buffer.from(`}"{${text}}"]1`);
  return decode(bytes, 3, bytes.length - 4);
}

describe("a decoded object behaves as plain data", () => {
  const text =
    '{"kind":"Pod","apiVersion":"v1","metadata":{"name":"a"},"spec":{"nodeName":"n","list":[1,{"a":2}]},"status":{"phase":"Running"}}';
  const make = (): Record<string, Record<string, unknown>> =>
    decodeText(text) as unknown as Record<string, Record<string, unknown>>;
  const plain = JSON.parse(text) as Record<string, Record<string, unknown>>;

  test("its prototype is Object.prototype", () => {
    expect(Object.getPrototypeOf(make())).toBe(Object.prototype);
    expect(make().constructor).toBe(Object);
  });

  test("deep equality, both ways, strict or not, before and after it was read", () => {
    const read = make();
    void read["spec"];
    for (const object of [make(), read]) {
      assert.deepStrictEqual(object, plain);
      assert.deepStrictEqual(plain, object);
      assert.deepEqual(object, plain);
      expect(object).toEqual(plain);
      expect(plain).toEqual(object);
      expect(object).toStrictEqual(plain);
      expect(object).toMatchObject({ spec: { nodeName: "n" } });
    }
    assert.notDeepStrictEqual(make(), { ...plain, status: { phase: "Failed" } });
    assert.deepStrictEqual(make(), make());
  });

  test("keys, entries, values, in, hasOwn, for-in, Reflect.ownKeys", () => {
    const object = make();
    expect(Object.keys(object)).toEqual(Object.keys(plain));
    expect(Object.entries(object)).toEqual(Object.entries(plain));
    expect(Object.values(object)).toEqual(Object.values(plain));
    expect("spec" in object).toBe(true);
    expect("other" in object).toBe(false);
    expect(Object.hasOwn(object, "status")).toBe(true);
    const seen: string[] = [];
    for (const key in object) seen.push(key);
    expect(seen).toEqual(Object.keys(plain));
    expect(Reflect.ownKeys(object).filter((key) => typeof key === "string")).toEqual(Reflect.ownKeys(plain));
  });

  test("spread, rest, Object.assign and destructuring give ordinary data properties", () => {
    const { spec, ...rest } = make();
    expect(spec).toEqual(plain["spec"]);
    expect(rest).toEqual({ kind: "Pod", apiVersion: "v1", metadata: { name: "a" }, status: { phase: "Running" } });
    const copy = { ...make() };
    expect(Object.getOwnPropertyDescriptor(copy, "spec")).toHaveProperty("value", plain["spec"]);
    expect(Object.assign({}, make())).toEqual(plain);
  });

  test("structuredClone and v8.serialize", () => {
    expect(structuredClone(make())).toStrictEqual(plain);
    expect(deserialize(serialize(make()))).toStrictEqual(plain);
  });

  test("util.inspect shows the data, at any depth", () => {
    expect(inspect(make())).toBe(inspect(plain));
    expect(inspect(make(), { depth: 0 })).toBe(inspect(plain, { depth: 0 }));
    expect(inspect({ pods: [make()] }, { depth: 10 })).toBe(inspect({ pods: [plain] }, { depth: 10 }));
    expect(inspect(make(), { compact: false, depth: 3, sorted: true })).toBe(
      inspect(plain, { compact: false, depth: 3, sorted: true }),
    );
  });

  test("the same part is the same object each time", () => {
    const object = make();
    expect(object["spec"]).toBe(object["spec"]);
    expect({ ...object }["spec"]).toBe(object["spec"]);
  });

  test("frozen, it cannot be changed, and can still be read for the first time", () => {
    const object = make();
    Object.freeze(object);
    expect(Object.isFrozen(object)).toBe(true);
    expect(() => {
      object["spec"] = {};
    }).toThrow(TypeError);
    expect(() => {
      delete object["spec"];
    }).toThrow(TypeError);
    expect(object["spec"]).toEqual(plain["spec"]);
    expect(object).toEqual(plain);
  });

  test("not frozen, a transform may assign, delete and define", () => {
    const object = make();
    object["spec"] = { other: true };
    delete object["status"];
    object["extra"] = { x: 1 };
    expect(object).toStrictEqual({
      kind: "Pod",
      apiVersion: "v1",
      metadata: { name: "a" },
      spec: { other: true },
      extra: { x: 1 },
    });
    expect(JSON.stringify(object)).toBe(
      '{"kind":"Pod","apiVersion":"v1","metadata":{"name":"a"},"spec":{"other":true},"extra":{"x":1}}',
    );
    const defined = make();
    Object.defineProperty(defined, "spec", { value: 1, enumerable: true });
    expect(defined["spec"]).toBe(1);
  });

  test("an object that inherits from it reads and shadows its parts", () => {
    const parent = make();
    const child = Object.create(parent) as typeof parent;
    expect(child["spec"]).toBe(parent["spec"]);
    child["spec"] = { mine: true };
    expect(child["spec"]).toEqual({ mine: true });
    expect(parent["spec"]).toEqual(plain["spec"]);
  });

  test("objects of one decoder with one layout share one shape in the engine, so that reading them stays fast", () => {
    const decode = lazyDecoder();
    const getter = (key: string): unknown =>
      Object.getOwnPropertyDescriptor(decodeText(`{"${key}":{"a":1}}`, decode), key)?.get;
    expect(getter("spec")).toBe(getter("spec"));
    // a server that sends ever new sections does not fill the decoder's memory
    for (let i = 0; i < 100; i++) getter(`section-${i}`);
    expect(getter("another")).not.toBe(getter("another"));
    expect(getter("spec")).toBe(getter("spec"));
  });
});

test("the estimate of its memory counts text as text, decodes nothing, and sees what was read or assigned", () => {
  const long = JSON.stringify({ list: Array.from({ length: 100 }, (_, i) => ({ i })) });
  const object = decodeText(`{"kind":"Pod","metadata":{"name":"a"},"spec":${long},"status":{}}`) as Record<
    string,
    unknown
  >;
  const asText = estimatedBytes(object);
  expect(asText).toBeGreaterThan(long.length);
  expect(asText).toBeLessThan(long.length + 300);
  expect(estimatedBytes(object)).toBe(asText);
  void object["spec"];
  expect(estimatedBytes(object)).toBeGreaterThan(100 * 40);
  object["spec"] = "gone";
  expect(estimatedBytes(object)).toBeLessThan(400);
});

test("objects of several decoders are kept by their shape, none as a dictionary", () => {
  setFlagsFromString("--allow-natives-syntax");
  const isFast = runInThisContext("(object) => %HasFastProperties(object)") as (object: unknown) => boolean;
  // compiled by its first call
  expect(isFast({})).toBe(true);
  setFlagsFromString("--no-allow-natives-syntax");
  const text =
    '{"kind":"Pod","apiVersion":"v1","metadata":{"name":"a"},"spec":{"nodeName":"n"},"status":{"phase":"P"}}';
  for (const isReadonly of [true, true, false])
    expect(isFast(decodeText(text, lazyDecoder({ isReadonly })))).toBe(true);
});
