/** Makes objects that a schema allows, from random numbers: small ones, with absent fields, empty lists and odd texts. */
import { apiVersionOf, type CustomResourceType, type KubeObject, type StructuralSchema } from "../../api/index.js";
import type { Random } from "../../base/index.js";
import { lookup } from "../../base/members.js";

/** `texts` are tried for texts besides words of all sorts. Throws if none fits a field's pattern. */
export function generatedObject(type: CustomResourceType, random: Random, texts: readonly string[]): KubeObject {
  const making: Making = { random, words: [...words, ...texts], of: `${type.kind} ${type.version}` };
  const { apiVersion: _v, kind: _k, metadata: _m, ...fields } = membersOf(type.definition.schema, making, 0);
  const namespace = type.scope === "Namespaced" ? { namespace: "default" } : {};
  const labels = random.int(3) === 0 ? { labels: { app: `app-${random.int(10)}` } } : {};
  const metadata = { name: `object-${random.int(1000)}`, ...namespace, uid: `uid-${random.int(1000)}`, ...labels };
  return { apiVersion: apiVersionOf(type), kind: type.kind, metadata, ...fields };
}

interface Making {
  readonly random: Random;
  readonly words: readonly string[];
  /** The kind and its version, for errors. */
  readonly of: string;
}

const maxDepth = 8;

function value(schema: StructuralSchema, making: Making, depth: number): unknown {
  const { random } = making;
  if (schema.nullable === true && random.int(8) === 0) return null;
  if (schema.enum !== undefined && schema.enum.length > 0) return schema.enum[random.int(schema.enum.length)];
  if (schema["x-kubernetes-int-or-string"] === true)
    return random.int(2) === 0 ? random.int(100) : `${random.int(100)}%`;
  switch (schema.type) {
    case "string":
      return stringOf(schema, making);
    case "integer":
      return integerOf(schema, random);
    case "number":
      return integerOf(schema, random) + (schema.maximum === undefined ? random.int(4) / 4 : 0);
    case "boolean":
      return random.int(2) === 0;
    case "array":
      return itemsOf(schema, making, depth);
    default:
      return membersOf(schema, making, depth);
  }
}

function itemsOf(schema: StructuralSchema, making: Making, depth: number): readonly unknown[] {
  const { items, minItems = 0, maxItems = minItems + 3 } = schema;
  if (items === undefined || depth > maxDepth) return [];
  const count = minItems + making.random.int(Math.min(maxItems - minItems, 3) + 1);
  return Array.from({ length: count }, () => value(items, making, depth + 1));
}

function membersOf(schema: StructuralSchema, making: Making, depth: number): Record<string, unknown> {
  const { random } = making;
  const { properties = {}, required = [], additionalProperties } = schema;
  const made: Record<string, unknown> = {};
  for (const [name, part] of Object.entries(properties)) {
    const isPresent = required.includes(name) || part.default !== undefined || (depth <= maxDepth && random.int(3) > 0);
    if (isPresent) made[name] = value(part, making, depth + 1);
  }
  if (typeof additionalProperties === "object" && depth <= maxDepth)
    for (let n = random.int(3); n > 0; n--) made[`key-${n}`] = value(additionalProperties, making, depth + 1);
  return made;
}

function integerOf({ minimum, maximum }: StructuralSchema, random: Random): number {
  const low = Math.ceil(minimum ?? Math.min(0, maximum ?? 0));
  const high = Math.floor(maximum ?? low + 1000);
  return low + random.int(Math.max(high - low, 0) + 1);
}

const words = ["", "a", "web", "Ünïcode", "with space", "a,b", "0", "true", "null", '"quoted"', "x".repeat(40)];

const formats: Readonly<Record<string, string>> = lookup({ "date-time": "2030-01-01T00:00:00Z", date: "2030-01-01" });

function stringOf({ format, minLength = 0, maxLength, pattern }: StructuralSchema, making: Making): string {
  const known = format === undefined ? undefined : formats[format];
  if (known !== undefined) return known;
  const expression = pattern === undefined ? undefined : new RegExp(pattern, "u");
  const longest = maxLength ?? Number.POSITIVE_INFINITY;
  const fits = (text: string): boolean =>
    text.length >= minLength && text.length <= longest && (expression?.test(text) ?? true);
  const fitting = [...making.words, "a".repeat(minLength)].filter(fits);
  if (fitting.length > 0) return fitting[making.random.int(fitting.length)] as string;
  throw new Error(`${making.of}: no word fits the pattern ${pattern}; give some in \`texts\``);
}
