/** TypeScript for a kind that others defined: takes a version of its definition, gives interfaces and a descriptor. Pure. */
import { isRecord } from "../../base/members.js";
import type { CustomResourceDefinition, StructuralSchema } from "../../api/index.js";
import { defined, unlessEmpty } from "../../base/defined.js";

/** A kind in one version. */
export interface ForeignKind {
  readonly definition: CustomResourceDefinition;
  readonly version: string;
  /** The name in TypeScript: the kind, unless several kinds of one file share it. */
  readonly name: string;
}

/** The declarations of kinds, and the imports that they need. */
export interface KindsText {
  readonly text: string;
  readonly imports: readonly string[];
}

/** Fields that stand first, in this order; the others follow by their names. */
const leading: readonly string[] = ["apiVersion", "kind", "metadata", "spec", "status"];

export function kindsText(kinds: readonly ForeignKind[]): KindsText {
  const names = new Set(kinds.map(({ name }) => name));
  const imports = new Set(["defineResource", "ObjectMeta", "ResourceType"]);
  const texts = kinds.map((kind) => kindText(kind, new InterfaceWriter(kind.name, { names, imports })));
  return { text: texts.join("\n"), imports: [...imports].toSorted() };
}

function kindText({ definition, version, name }: ForeignKind, writer: InterfaceWriter): string {
  const { spec } = definition;
  const { names, group, scope } = spec;
  const served = spec.versions.find((one) => one.name === version);
  const schema = (served?.schema?.openAPIV3Schema ?? {}) as StructuralSchema;
  const { apiVersion: _apiVersion, kind: _kind, metadata: _metadata, ...properties } = schema.properties ?? {};
  writer.root({ ...schema, properties }, { apiVersion: `${group}/${version}`, kind: names.kind });
  const { status, scale } = served?.subresources ?? {};
  const facts: Readonly<Record<string, unknown>> = {
    group,
    version,
    kind: names.kind,
    plural: names.plural,
    scope,
    ...(names.singular === undefined || names.singular === names.kind.toLowerCase()
      ? {}
      : { singular: names.singular }),
    ...(names.listKind === undefined || names.listKind === `${names.kind}List` ? {} : { listKind: names.listKind }),
    ...defined({ shortNames: unlessEmpty(names.shortNames), categories: unlessEmpty(names.categories) }),
    subresources: [...(status ? ["status"] : []), ...(scale ? ["scale"] : [])],
  };
  const lines = Object.entries(facts).map(([key, value]) => `  ${key}: ${literal(value)},\n`);
  const descriptor = `export const ${name}: ResourceType<${name}> = defineResource<${name}>({\n${lines.join("")}});\n`;
  return `${writer.text()}\n${descriptor}`;
}

/** A value as the formatter would write it on one line. */
const literal = (value: unknown): string =>
  Array.isArray(value) ? `[${value.map(literal).join(", ")}]` : JSON.stringify(value);

interface Field {
  readonly name: string;
  readonly type: string;
  readonly isOptional: boolean;
  readonly schema: StructuralSchema;
}

/**
 * Writes one interface for each object with properties, named by its path.
 *
 * 1. Each name is given once in a file: a second path of the same name gets a number, in the order of kinds and fields.
 * 2. The text depends on the schema's contents alone, not on the order of its members.
 */
class InterfaceWriter {
  readonly #root: string;
  /** The names of the file's interfaces; those of its kinds are among them from the start. */
  readonly #names: Set<string>;
  /** The last number that was given to a path. */
  readonly #counts = new Map<string, number>();
  readonly #imports: Set<string>;
  readonly #interfaces: string[] = [];

  constructor(root: string, { names, imports }: { readonly names: Set<string>; readonly imports: Set<string> }) {
    this.#root = root;
    this.#names = names;
    this.#imports = imports;
  }

  text(): string {
    return this.#interfaces.join("\n");
  }

  root(schema: StructuralSchema, constants: { readonly apiVersion: string; readonly kind: string }): void {
    const place = this.#interfaces.push("") - 1;
    const own = this.#fields(schema, this.#root);
    const given = [
      ...Object.entries(constants).map(([name, text]) => ({ name, type: JSON.stringify(text) })),
      { name: "metadata", type: "ObjectMeta" },
    ].map(({ name, type }): Field => ({ name, type, isOptional: false, schema: {} }));
    this.#interfaces[place] = this.#interface(this.#root, schema, [...given, ...own]);
  }

  /** The name of the interface of an object with properties. */
  #object(schema: StructuralSchema, path: string): string {
    let name = path;
    let count = this.#counts.get(path) ?? 1;
    while (this.#names.has(name)) name = `${path}${++count}`;
    this.#counts.set(path, count);
    this.#names.add(name);
    const place = this.#interfaces.push("") - 1;
    this.#interfaces[place] = this.#interface(name, schema, this.#fields(schema, name));
    return name;
  }

  #fields({ properties = {}, required = [] }: StructuralSchema, path: string): readonly Field[] {
    const order = (name: string): string => `${leading.includes(name) ? leading.indexOf(name) : leading.length}${name}`;
    return Object.keys(properties)
      .toSorted((a, b) => (order(a) < order(b) ? -1 : 1))
      .map((name) => {
        const schema = properties[name] ?? {};
        const isOptional = !required.includes(name) && schema.default === undefined;
        return { name, schema, isOptional, type: this.#type(schema, `${path}${pascalCase(name)}`) };
      });
  }

  #interface(name: string, schema: StructuralSchema, fields: readonly Field[]): string {
    const lines = fields.map(({ name: field, type, isOptional, schema: of }) => {
      const key = /^[A-Za-z_$][\w$]*$/.test(field) ? field : JSON.stringify(field);
      return `${comment(of, "  ")}  readonly ${key}${isOptional ? "?" : ""}: ${type};\n`;
    });
    const open = schema["x-kubernetes-preserve-unknown-fields"] ? "  readonly [name: string]: unknown;\n" : "";
    return `${comment(schema, "")}export interface ${name} {\n${lines.join("")}${open}}\n`;
  }

  #type(schema: StructuralSchema, path: string): string {
    const type = this.#plain(schema, path);
    return schema.nullable === true && type !== "unknown" ? `${type} | null` : type;
  }

  #plain(schema: StructuralSchema, path: string): string {
    if (schema["x-kubernetes-int-or-string"] === true) return "number | string";
    if (schema["x-kubernetes-embedded-resource"] === true) {
      this.#imports.add("KubeObject");
      return "KubeObject";
    }
    if (schema.enum !== undefined && schema.enum.length > 0)
      return (
        schema.enum
          .filter((value) => value !== null)
          .map((value) => JSON.stringify(value))
          .join(" | ") || "null"
      );
    switch (schema.type) {
      case "string":
      case "boolean":
        return schema.type;
      case "integer":
      case "number":
        return "number";
      case "array":
        return this.#list(schema, path);
      case "object":
        return this.#map(schema, path);
      default:
        return "unknown";
    }
  }

  #list({ items }: StructuralSchema, path: string): string {
    const type = items === undefined ? "unknown" : this.#type(items, `${path}Item`);
    return `readonly ${/[ |]/.test(type) ? `(${type})` : type}[]`;
  }

  #map(schema: StructuralSchema, path: string): string {
    if (Object.keys(schema.properties ?? {}).length > 0) return this.#object(schema, path);
    const { additionalProperties } = schema;
    const value = isRecord(additionalProperties)
      ? this.#type(additionalProperties as StructuralSchema, `${path}Value`)
      : "unknown";
    return `Readonly<Record<string, ${value}>>`;
  }
}

const pascalCase = (name: string): string =>
  name
    .split(/[^A-Za-z0-9]+/)
    .filter((part) => part !== "")
    .map((part) => (part[0] ?? "").toUpperCase() + part.slice(1))
    .join("");

/** The description and the default, for people who point at a name. */
function comment({ description = "", default: standard }: StructuralSchema, indent: string): string {
  const lines = description
    .trim()
    .replaceAll("*/", "*\\/")
    .split("\n")
    .map((line) => line.trimEnd());
  if (standard !== undefined) lines.push(`@default ${JSON.stringify(standard).replaceAll("*/", "*\\/")}`);
  const unlessEmpty = lines.filter((line, index) => line !== "" || (index > 0 && index < lines.length - 1));
  if (unlessEmpty.length === 0) return "";
  if (unlessEmpty.length === 1) return `${indent}/** ${unlessEmpty[0]} */\n`;
  return `${indent}/**\n${unlessEmpty.map((line) => `${indent} *${line === "" ? "" : ` ${line}`}\n`).join("")}${indent} */\n`;
}
