import { expect, test } from "vitest";
import { goJson, goQuote } from "../go-quote.js";
import { printFieldErrors } from "./field-error.js";
import { fieldPath } from "./field-path.js";

const at = fieldPath("spec", "containers").index(0).child("name");

test("paths read as causes name them", () => {
  expect([
    String(fieldPath("spec")),
    String(at),
    String(fieldPath("metadata").child("labels").key("x.io/y")),
    String(fieldPath("spec").child("template", "spec")),
  ]).toEqual(["spec", "spec.containers[0].name", "metadata.labels[x.io/y]", "spec.template.spec"]);
});

test("each error has its reason and its words", () => {
  const errors = [
    at.invalid("A", "bad"),
    at.invalid(3, ""),
    at.invalid(undefined, "x"),
    at.invalid({ a: "<" }, "x"),
    at.typeInvalid(true, "must be text"),
    at.required(),
    at.required("why"),
    at.notSupported("Z", ["A", "B"]),
    at.notSupported("Z", []),
    at.forbidden("no"),
    at.duplicate("a"),
    at.notFound("a"),
    at.tooLong(63),
    at.tooLong(1),
    at.tooLong(2, "character"),
    at.tooShort(1),
    at.tooMany(3, 2),
    at.tooMany(undefined, 1),
    at.tooFew(0, 1),
    at.internal("boom"),
  ];
  expect(errors.map(({ reason, message }) => `${reason} | ${message}`)).toEqual([
    'FieldValueInvalid | Invalid value: "A": bad',
    "FieldValueInvalid | Invalid value: 3",
    "FieldValueInvalid | Invalid value: null: x",
    'FieldValueInvalid | Invalid value: {"a":"\\u003c"}: x',
    "FieldValueTypeInvalid | Invalid value: true: must be text",
    "FieldValueRequired | Required value",
    "FieldValueRequired | Required value: why",
    'FieldValueNotSupported | Unsupported value: "Z": supported values: "A", "B"',
    'FieldValueNotSupported | Unsupported value: "Z"',
    "FieldValueForbidden | Forbidden: no",
    'FieldValueDuplicate | Duplicate value: "a"',
    'FieldValueNotFound | Not found: "a"',
    "FieldValueTooLong | Too long: may not be more than 63 bytes",
    "FieldValueTooLong | Too long: may not be more than 1 byte",
    "FieldValueTooLong | Too long: may not be more than 2 characters",
    "FieldValueTooShort | Too short: must be at least 1 character",
    "FieldValueTooMany | Too many: 3: must have at most 2 items",
    "FieldValueTooMany | Too many: must have at most 1 item",
    "FieldValueTooFew | Too few: 0: must have at least 1 item",
    "InternalError | Internal error: boom",
  ]);
});

test("several errors are one text, each said once", () => {
  const one = at.required();
  expect([
    printFieldErrors([]),
    printFieldErrors([one, one]),
    printFieldErrors([one, fieldPath("b").forbidden("no")]),
  ]).toEqual([
    "",
    "spec.containers[0].name: Required value",
    "[spec.containers[0].name: Required value, b: Forbidden: no]",
  ]);
});

test("text is quoted as Go does", () => {
  expect(
    ['a"b\\', "\n\t\u0007\u0001\u007f", "é😀", "\u00a0\u200b\ufeff", "\u{10ffff}", "\ud800"].map((text) =>
      goQuote(text),
    ),
  ).toEqual(['"a\\"b\\\\"', '"\\n\\t\\a\\x01\\x7f"', '"é😀"', '"\\u00a0\\u200b\\ufeff"', '"\\U0010ffff"', '"\\ufffd"']);
  expect([goJson("<&>"), goJson(undefined), goJson(null), goJson([1n])]).toEqual([
    '"\\u003c\\u0026\\u003e"',
    "null",
    "null",
    "[1]",
  ]);
});
