/**
 * Reads Go type declarations (structs with their tags, named types, constants) of one package, as far as API types use
 * the language.
 */
import { readFile } from "node:fs/promises";
import { filesOf } from "./modules.js";

export interface GoField {
  /** The JSON name; empty for a struct whose fields appear among the parent's own. */
  readonly json: string;
  readonly inline: boolean;
  /** As written, e.g. `*metav1.Time`, `[]Container`; an embedded struct's type is its name. */
  readonly type: string;
  readonly omitEmpty: boolean;
  readonly omitZero: boolean;
  /** Protobuf field number, if it is encoded at all. */
  readonly number: number | undefined;
}

export interface GoStruct {
  readonly name: string;
  readonly fields: readonly GoField[];
}

export interface GoNamed {
  readonly name: string;
  readonly underlying: string;
  /** Another name for the very same type. */
  readonly alias: boolean;
  /** Marked as an enumeration: the constants are all the legal values. */
  readonly closed: boolean;
  /** String constants declared with this type. */
  readonly values: readonly string[];
}

export interface GoPackage {
  readonly path: string;
  readonly structs: ReadonlyMap<string, GoStruct>;
  readonly named: ReadonlyMap<string, GoNamed>;
  /** Import alias → import path. */
  readonly imports: ReadonlyMap<string, string>;
  /** String constants by name. */
  readonly constants: ReadonlyMap<string, string>;
  /** Constants that take their value from another package: the type, and the other package's constant. */
  readonly borrowed: readonly { readonly type: string; readonly alias: string; readonly constant: string }[];
}

export async function readGoPackage(path: string, folder: string): Promise<GoPackage> {
  const isSource = (name: string) => name.endsWith(".go") && !/_test\.go$|^zz_|^generated\.pb|swagger_doc/.test(name);
  const structs = new Map<string, GoStruct>();
  const named = new Map<string, GoNamed>();
  const imports = new Map<string, string>();
  const values = new Map<string, string[]>();
  const constants = new Map<string, string>();
  const borrowed: GoPackage["borrowed"][number][] = [];
  for (const file of await filesOf(folder, isSource)) {
    const text = await readFile(file, "utf8");
    readImports(text, imports);
    readConstants(text, values, constants);
    for (const [, type = "", alias = "", constant = ""] of text.matchAll(/^\s*\w+\s*=\s*(\w+)\((\w+)\.(\w+)\)/gm)) {
      borrowed.push({ type, alias, constant });
    }
    for (const struct of readStructs(text)) structs.set(struct.name, struct);
    for (const type of readNamed(text)) named.set(type.name, type);
  }
  for (const [name, type] of named) {
    named.set(name, { ...type, values: [...new Set(values.get(name) ?? [])].sort() });
  }
  return { path, structs, named, imports, constants, borrowed };
}

function readImports(text: string, into: Map<string, string>): void {
  const block = /^import \(\n([\s\S]*?)^\)/m.exec(text)?.[1] ?? "";
  const single = /^import (.*)$/m.exec(text)?.[1] ?? "";
  for (const line of [...block.split("\n"), single]) {
    const match = /^\s*(?:(\w+)\s+)?"([^"]+)"/.exec(line);
    if (match) into.set(match[1] ?? (match[2] as string).split("/").at(-1)!, match[2] as string);
  }
}

/** Both `Name Type = "value"` and `Name = Type("value")`. */
function readConstants(text: string, byType: Map<string, string[]>, byName: Map<string, string>): void {
  const declared = text.matchAll(/^\s*(?:const )?(\w+)\s+(\w+)\s*=\s*"([^"]*)"/gm);
  const converted = text.matchAll(/^\s*(?:const )?(\w+)\s*=\s*(\w+)\("([^"]*)"\)/gm);
  for (const [, name = "", type = "", value = ""] of [...declared, ...converted]) {
    byName.set(name, value);
    byType.set(type, [...(byType.get(type) ?? []), value]);
  }
}

function* readStructs(text: string): Generator<GoStruct> {
  for (const [, name, body] of text.matchAll(/^type (\w+) struct ?\{\n([\s\S]*?)^\}/gm)) {
    const fields: GoField[] = [];
    for (const line of (body as string).split("\n")) {
      const field = readField(line);
      if (field) fields.push(field);
    }
    yield { name: name as string, fields };
  }
  for (const [, name] of text.matchAll(/^type (\w+) struct ?\{\}/gm)) yield { name: name as string, fields: [] };
}

function readField(line: string): GoField | undefined {
  const match = /^\t(?:([\w.*]+)\s+)?([\w.*[\]{}]+)\s+`([^`]*)`/.exec(line);
  if (!match) return undefined;
  const tags = match[3] as string;
  const json = /json:"([^"]*)"/.exec(tags)?.[1];
  const proto = /protobuf:"([^"]*)"/.exec(tags)?.[1];
  const number = proto === undefined || proto === "-" ? undefined : Number(proto.split(",")[1]);
  if (json === "-") return undefined;
  const [name = "", ...options] = (json ?? "").split(",");
  return {
    json: name,
    inline: options.includes("inline") || (name === "" && match[1] === undefined),
    type: match[2] as string,
    omitEmpty: options.includes("omitempty"),
    omitZero: options.includes("omitzero"),
    number,
  };
}

function* readNamed(text: string): Generator<GoNamed> {
  for (const match of text.matchAll(/((?:^\/\/.*\n)*)^type (\w+)( =)? ([\w.[\]*]+)$/gm)) {
    const [, comment = "", name, alias, underlying] = match;
    const closed = /^\/\/\s*\+enum\b/m.test(comment);
    yield { name: name as string, underlying: underlying as string, alias: alias !== undefined, closed, values: [] };
  }
}
