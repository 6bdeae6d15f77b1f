/** Writes the schema table: one line for each type, with everything that codecs, patches, apply, validation and OpenAPI need. */
import type { DiscoveredVersion } from "../discovery.js";
import { banner, isKind, packageOf } from "./types.js";
import { type Field, type Message, type Model, splitName, type TypeRef } from "../model.js";
import type { OpenApiSchema } from "../openapi.js";

const codes: Readonly<Record<string, string>> = {
  string: "s",
  boolean: "b",
  int32: "i",
  int64: "l",
  double: "d",
  bytes: "x",
  time: "T",
  microTime: "M",
  duration: "D",
  quantity: "Q",
  intOrString: "I",
  rawExtension: "R",
  fieldsV1: "F",
  json: "J",
  schemaOrArray: "A",
  schemaOrBool: "B",
  schemaOrStrings: "C",
};

export function emitSchemas(model: Model, discovery: readonly DiscoveredVersion[]): string {
  const groups = new Map(discovery.map(({ group, version }) => [packageOf(group, version), group]));
  groups.set("admission/v1", "admission.k8s.io");
  const byPackage = new Map<string, Message[]>();
  for (const message of model.messages.values()) {
    byPackage.set(message.package, [...(byPackage.get(message.package) ?? []), message]);
  }
  const lines: string[] = [];
  for (const [id, messages] of [...byPackage].sort(([a], [b]) => (a < b ? -1 : 1))) {
    const group = groups.get(id);
    lines.push(`=${id} ${model.packages.get(id)?.schemaPrefix}${group === undefined ? "" : ` ${group || "-"}`}`);
    for (const [name, { closed, values }] of [...model.named].sort(([a], [b]) => (a < b ? -1 : 1))) {
      const [home, short] = splitName(name);
      if (closed && home === id) lines.push(`+${short} ${values.join(";")}`);
    }
    const sorted = messages.toSorted((a, b) => (a.name < b.name ? -1 : 1));
    lines.push(...sorted.map((message) => emitMessage(model, message)));
  }
  return `${banner}\n/** Its form is described in ../schema/table.ts. */\nexport const schemaTable: string = \`\n${lines.join("\n")}\n\`;\n`;
}

function emitMessage(model: Model, message: Message): string {
  const atomic = message.schema?.["x-kubernetes-map-type"] === "atomic" ? ",a" : "";
  const kind = isKind(message) && message.package !== "meta/v1" ? ",k" : "";
  // types that OpenAPI does not publish must not be published here either
  const hidden = message.schema === undefined ? ",h" : "";
  const fields = message.fields.map((field) => emitField(model, message, field));
  return [`${message.name}${atomic}${kind}${hidden}`, ...fields].join(" ");
}

function emitField(model: Model, message: Message, field: Field): string {
  const type = `${field.pointer ? "*" : ""}${emitType(model, field.type, message.package)}`;
  const schema = field.schema ?? {};
  const listType = schema["x-kubernetes-list-type"];
  const attributes = [
    field.inline ? "n" : "",
    field.required ? "r" : "",
    field.omitEmpty || field.inline ? "" : "e",
    field.omitZero ? "z" : "",
    listType === "map" ? `k=${schema["x-kubernetes-list-map-keys"]?.join(";") ?? ""}` : (listType ?? ""),
    schema["x-kubernetes-map-type"] ? `t=${schema["x-kubernetes-map-type"]}` : "",
    schema["x-kubernetes-patch-strategy"] ? `p=${schema["x-kubernetes-patch-strategy"].replaceAll(",", ";")}` : "",
    schema["x-kubernetes-patch-merge-key"] ? `m=${schema["x-kubernetes-patch-merge-key"]}` : "",
    field.inline || field.schema === undefined ? "" : defaultOf(field, schema),
  ];
  return [field.name, type, field.number ?? "", ...attributes.filter(Boolean)].join(",");
}

/** Defaults follow from the Go type, with few exceptions: only these are written. */
function defaultOf(field: Field, schema: OpenApiSchema): string {
  const actual = JSON.stringify(schema.default);
  const expected = field.pointer ? undefined : zeroValue(field);
  if (actual === expected) return "";
  return actual === undefined ? "nd" : `d=${actual}`;
}

function zeroValue({ type, omitEmpty }: Field): string | undefined {
  if (type.is === "message") return "{}";
  if (type.is === "list" || type.is === "map" || omitEmpty) return undefined;
  if (type.is === "named" || type.name === "string") return '""';
  if (type.name === "boolean") return "false";
  return ["int32", "int64", "double"].includes(type.name) ? "0" : undefined;
}

function emitType(model: Model, type: TypeRef, home: string): string {
  switch (type.is) {
    case "plain":
      return codes[type.name] as string;
    case "named":
      return model.named.get(type.name)?.closed ? `@${relative(type.name, home)}` : "s";
    case "message":
      return `#${relative(type.name, home)}`;
    case "list":
      return `${type.wrapped ? "&" : "["}${emitType(model, type.of, home)}`;
    case "map":
      return `{${emitType(model, type.of, home)}`;
  }
}

function relative(qualified: string, home: string): string {
  const [id, name] = splitName(qualified);
  return id === home ? name : qualified;
}
