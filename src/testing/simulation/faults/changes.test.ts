import { describe, expect, test } from "vitest";
import { changesOf, type FieldSchema, patchBack } from "./changes.js";

const ofSpec = (properties: Record<string, FieldSchema>): FieldSchema => ({
  type: "object",
  properties: { spec: { type: "object", properties } },
});

const told = (properties: Record<string, FieldSchema>, spec: object, invalid = false): readonly string[] =>
  changesOf(ofSpec(properties), { spec })
    .filter(({ isInvalid }) => isInvalid === invalid)
    .map(({ about }) => about);

describe("changes of an object", () => {
  test("a number goes up, down, to its bounds, and away", () => {
    const replicas = { type: "integer", minimum: 1, maximum: 100 };
    expect(told({ replicas }, { replicas: 3 })).toEqual([
      "sets spec.replicas to 4",
      "sets spec.replicas to 2",
      "sets spec.replicas to 1",
      "sets spec.replicas to 8",
      "unsets spec.replicas",
    ]);
    expect(told({ replicas }, { replicas: 3 }, true)).toEqual([
      "sets spec.replicas to 0",
      "sets spec.replicas to 101",
      'sets spec.replicas to "many"',
    ]);
  });

  test("a field that is not there is set", () => {
    expect(told({ on: { type: "boolean" } }, {})).toEqual(["sets spec.on to true"]);
  });

  test("a text becomes another, or one of its choices", () => {
    expect(told({ mode: { type: "string", enum: ["a", "b"] } }, { mode: "a" })).toEqual([
      'sets spec.mode to "b"',
      "unsets spec.mode",
    ]);
    expect(told({ name: { type: "string", minLength: 1 } }, { name: "n" })).toEqual([
      'sets spec.name to "nx"',
      "unsets spec.name",
    ]);
    expect(told({ name: { type: "string", minLength: 1, maxLength: 2 } }, { name: "n" }, true)).toEqual([
      'sets spec.name to "xxx"',
      'sets spec.name to ""',
      "sets spec.name to 7",
    ]);
  });

  test("lists lose and win items, and are turned round; maps win and lose keys", () => {
    expect(told({ list: { type: "array", items: { type: "integer" } } }, { list: [1, 2] })).toEqual([
      "sets spec.list to []",
      "sets spec.list to [1]",
      "sets spec.list to [2,1]",
      "sets spec.list to [1,2,1]",
      "unsets spec.list",
    ]);
    expect(told({ map: { type: "object", additionalProperties: { type: "string" } } }, { map: { a: "1" } })).toEqual([
      'sets spec.map to {"generated":"x"}',
      'sets spec.map to {"a":null}',
      "unsets spec.map",
    ]);
  });

  test("fields of fields are changed in their place", () => {
    const changes = changesOf(ofSpec({ a: { type: "object", properties: { b: { type: "boolean" } } } }), {
      spec: { a: { b: true } },
    });
    expect(changes.map(({ patch }) => patch)).toEqual([
      { spec: { a: null } },
      { spec: { a: { b: false } } },
      { spec: { a: { b: "yes" } } },
      { spec: { a: { b: null } } },
    ]);
  });
});

test("the way back sets what was changed, and unsets what was added", () => {
  expect(patchBack({ a: 1, b: { c: 2, d: 3 }, e: [1] }, { a: 1, b: { c: 5 }, f: 6 })).toEqual({
    b: { c: 5, d: null },
    e: null,
    f: 6,
  });
});
