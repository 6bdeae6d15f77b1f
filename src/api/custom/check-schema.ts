/** Finds slips in a schema that the compiler did not see: words that no schema has, and required properties that do not exist. */
import { isRecord } from "../../base/members.js";

const words: ReadonlySet<string> = new Set([
  ..."type title description format default enum nullable properties required items additionalProperties".split(" "),
  ..."minimum maximum exclusiveMinimum exclusiveMaximum multipleOf minLength maxLength pattern".split(" "),
  ..."minItems maxItems uniqueItems minProperties maxProperties allOf anyOf oneOf not".split(" "),
  ..."id $schema $ref additionalItems patternProperties dependencies definitions externalDocs example".split(" "),
]);

/** Every object has these, whether its schema names them or not. */
const ofEveryObject: ReadonlySet<string> = new Set(["apiVersion", "kind", "metadata"]);

/** Throws a TypeError that names the path of the first slip. */
export function checkSchema(where: string, schema: unknown): void {
  check(schema, { where, path: "schema", isRoot: true, isPart: false });
}

interface Place {
  readonly where: string;
  readonly path: string;
  readonly isRoot: boolean;
  /** True inside allOf, anyOf, oneOf and not, where `required` may name properties that stand outside. */
  readonly isPart: boolean;
}

function check(schema: unknown, at: Place): void {
  if (!isRecord(schema)) return;
  for (const word of Object.keys(schema))
    if (!words.has(word) && !word.startsWith("x-kubernetes-"))
      throw new TypeError(`${at.where}: ${at.path}.${word} is no word of a schema`);
  if (!at.isPart) checkRequired(schema, at);
  const inner = (name: string, part: unknown, isPart = at.isPart): void =>
    check(part, { ...at, path: `${at.path}.${name}`, isRoot: false, isPart });
  const { properties, allOf, anyOf, oneOf } = schema;
  if (isRecord(properties)) for (const [name, part] of Object.entries(properties)) inner(`properties.${name}`, part);
  inner("items", schema["items"]);
  inner("additionalProperties", schema["additionalProperties"]);
  inner("not", schema["not"], true);
  for (const [name, parts] of Object.entries({ allOf, anyOf, oneOf }))
    if (Array.isArray(parts)) parts.forEach((part, index) => inner(`${name}[${index}]`, part, true));
}

function checkRequired(schema: Readonly<Record<string, unknown>>, { where, path, isRoot }: Place): void {
  const { properties, required } = schema;
  const isOpen =
    schema["x-kubernetes-preserve-unknown-fields"] === true || schema["additionalProperties"] !== undefined;
  if (!isRecord(properties) || !Array.isArray(required) || isOpen) return;
  for (const name of required)
    if (typeof name === "string" && !Object.hasOwn(properties, name) && !(isRoot && ofEveryObject.has(name)))
      throw new TypeError(
        `${where}: ${path}.required names ${JSON.stringify(name)}, which is not among the properties`,
      );
}
