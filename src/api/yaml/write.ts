/** Writes data as YAML in the form of a Kubernetes server: keys in natural order, lists not indented. */
import { compareKeys } from "./key-order.js";
import { isSimpleKey, writeNumber, writeString } from "./write-scalar.js";

/** The value as a document that ends with a line break. Undefined fields are left out. */
export function writeYaml(value: unknown): string {
  if (isFilled(value)) return `${block(value, 0).slice(1)}\n`;
  return `${scalar(value, 2, 0)}\n`;
}

/** The same text as `writeYaml` of `head` with the list `items` under `name`, in pieces: each item is one piece. */
export function* writeYamlList(head: object, name: string, items: Iterable<unknown>): Generator<string> {
  const fields = entriesOf({ ...head, [name]: undefined });
  const position = fields.findIndex(([key]) => compareKeys(key, name) > 0);
  const after = position === -1 ? [] : fields.splice(position);
  yield fields.map((field) => `${entry(field, 0)}\n`).join("");
  let before = `${name}:\n`;
  for (const item of items) {
    yield `${before}${listItem(item, 0)}\n`;
    before = "";
  }
  if (before !== "") yield `${name}: []\n`;
  yield after.map((field) => `${entry(field, 0)}\n`).join("");
}

type Entry = readonly [string, unknown];

function entriesOf(value: object): Entry[] {
  return Object.entries(value)
    .filter(([, one]) => one !== undefined)
    .sort(([a], [b]) => compareKeys(a, b));
}

/** A collection with content, which stands on lines of its own. */
function isFilled(value: unknown): value is object {
  if (Array.isArray(value)) return value.length > 0;
  return typeof value === "object" && value !== null && Object.values(value).some((one) => one !== undefined);
}

/** The lines of a collection, each after a line break. */
function block(value: object, indent: number): string {
  let text = "";
  if (Array.isArray(value)) for (const item of value) text += `\n${spaces(indent)}${listItem(item, indent)}`;
  else for (const field of entriesOf(value)) text += `\n${spaces(indent)}${entry(field, indent)}`;
  return text;
}

/** The text of a list item; its content begins on the line of its dash. */
function listItem(item: unknown, indent: number): string {
  return `- ${isFilled(item) ? block(item, indent + 2).slice(indent + 3) : scalar(item, indent + 2, indent + 2)}`;
}

function entry([key, value]: Entry, indent: number): string {
  const name = writeString(key, { indent: indent + 2, column: indent, foldable: false });
  if (!isSimpleKey(key)) {
    // a long key stands on a line of its own, and its value follows like a list item
    return `? ${name}\n${spaces(indent)}:${listItem(value, indent).slice(1)}`;
  }
  if (!isFilled(value)) return `${name}: ${scalar(value, indent + 2, indent + name.length + 2)}`;
  return `${name}:${block(value, Array.isArray(value) ? indent : indent + 2)}`;
}

function scalar(value: unknown, indent: number, column: number): string {
  if (typeof value === "string") return writeString(value, { indent, column, foldable: true });
  if (typeof value === "number") return writeNumber(value);
  if (typeof value === "boolean" || typeof value === "bigint") return String(value);
  if (typeof value === "object" && value !== null) return Array.isArray(value) ? "[]" : "{}";
  return "null";
}

const spaces = (count: number): string => " ".repeat(count);
