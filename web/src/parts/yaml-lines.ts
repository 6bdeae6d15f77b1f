/** An object as the lines of YAML, each with the path of its field. Pure. */

export interface YamlLineText {
  readonly indent: number;
  /** `- ` for the first line of an item. */
  readonly dash: boolean;
  readonly name: string;
  readonly value: string;
  readonly path: string;
}

const plain = /^[A-Za-z_/.][\w ./:@%+=,-]*$/;
const words = /^(?:true|false|null|yes|no|on|off|~)$/i;

function scalar(value: unknown): string {
  if (typeof value !== "string") return JSON.stringify(value) ?? "null";
  return plain.test(value) && !words.test(value) && !value.endsWith(":") && !value.includes(": ")
    ? value
    : JSON.stringify(value);
}

const isLeaf = (value: unknown): boolean =>
  typeof value !== "object" ||
  value === null ||
  (Array.isArray(value) ? value.length === 0 : Object.keys(value).length === 0);

const leaf = (value: unknown): string =>
  Array.isArray(value) ? "[]" : typeof value === "object" && value !== null ? "{}" : scalar(value);

/** The lines of a value, as kubectl prints them; managed fields are told beside the lines instead. */
export function linesOf(value: unknown, indent = 0, path = "", dash = false): YamlLineText[] {
  if (isLeaf(value)) return [{ indent, dash, name: "", value: leaf(value), path }];
  if (Array.isArray(value)) return value.flatMap((item, i) => linesOf(item, indent, `${path}[${i}]`, true));
  const members = Object.entries(value as Readonly<Record<string, unknown>>).filter(
    ([name]) => path !== "metadata" || name !== "managedFields",
  );
  return members.flatMap(([name, member], i) => {
    const at = path === "" ? name : `${path}.${name}`;
    const head = { indent, dash: dash && i === 0, name: scalar(name), path: at };
    // the fields of an item stand beside its first one, after the dash
    const inner = indent + (dash ? 1 : 0);
    if (isLeaf(member)) return [{ ...head, indent: i === 0 ? indent : inner, value: leaf(member) }];
    const deeper = Array.isArray(member) ? inner : inner + 1;
    return [{ ...head, indent: i === 0 ? indent : inner, value: "" }, ...linesOf(member, deeper, at)];
  });
}
