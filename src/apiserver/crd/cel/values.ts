/** JSON values as CEL sees them through a schema: integers, times, and members by the names that expressions must use. Used by rules. */
import { parseDuration } from "../../../api/index.js";
import { additionalSchema, isJsonObject, type JsonSchema } from "../schema/json-schema.js";
import { celEvaluator } from "./engine.js";

const reserved = new Set([
  "true",
  "false",
  "null",
  "in",
  "as",
  "break",
  "const",
  "continue",
  "else",
  "for",
  "function",
  "if",
  "import",
  "let",
  "loop",
  "package",
  "namespace",
  "return",
  "var",
  "void",
  "while",
]);

/** A member's name in an expression: `__dash__` for `-` and so on; reserved words stand between double underscores. */
export function escapedName(name: string): string {
  if (reserved.has(name)) return `__${name}__`;
  return name
    .replaceAll("__", "__underscores__")
    .replaceAll(".", "__dot__")
    .replaceAll("-", "__dash__")
    .replaceAll("/", "__slash__");
}

/** `root`: an object with kind, apiVersion and metadata, whatever the schema says of them. */
export function celValue(value: unknown, schema: JsonSchema | undefined, root = false): unknown {
  if (value === null || value === undefined) return null;
  if (typeof value === "number") return celNumber(value, schema);
  if (typeof value === "string") return celText(value, schema?.format);
  if (Array.isArray(value)) return value.map((item) => celValue(item, schema?.items));
  if (!isJsonObject(value)) return value;
  const result: Record<string, unknown> = {};
  const properties = schema?.properties ?? {};
  const additional = schema && additionalSchema(schema);
  const isRoot = root || schema?.["x-kubernetes-embedded-resource"] === true;
  for (const [name, member] of Object.entries(value)) {
    const own = Object.hasOwn(properties, name) ? properties[name] : undefined;
    if (isRoot && name === "metadata") result[name] = celMetadata(member);
    else if (own !== undefined) result[escapedName(name)] = celValue(member, own);
    else result[name] = celValue(member, additional);
  }
  return result;
}

/** Rules may look at the name alone. */
function celMetadata(metadata: unknown): unknown {
  if (!isJsonObject(metadata)) return {};
  const { name, generateName } = metadata;
  return { ...(name === undefined ? {} : { name }), ...(generateName === undefined ? {} : { generateName }) };
}

function celNumber(value: number, schema: JsonSchema | undefined): unknown {
  return schema?.type === "number" || !Number.isSafeInteger(value) ? value : BigInt(value);
}

function durationOf(text: string): unknown {
  return celEvaluator().Duration.fromMilliseconds(Number(parseDuration(text)) / 1e6);
}

function celText(value: string, format: string | undefined): unknown {
  try {
    if (format === "date-time") return new Date(value);
    if (format === "date") return new Date(`${value}T00:00:00Z`);
    if (format === "duration") return durationOf(value);
    if (format === "byte") return new Uint8Array(Buffer.from(value, "base64"));
  } catch {
    // what is not of its format has been reported already
  }
  return value;
}
