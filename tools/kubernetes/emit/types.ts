/** Writes the TypeScript types and descriptors of all kinds: one file per group and version, and the index of plain names. */
import type { DiscoveredResource, DiscoveredVersion } from "../discovery.js";
import { type Field, type Message, type Model, splitName, type TypeRef } from "../model.js";
import type { Words } from "../words/words.js";

export const banner = "// Generated from the published Kubernetes sources by `npm run generate`. Do not edit.\n";

/** Types that are written by hand in src/api, with the module that has them. */
const handWritten: Readonly<Record<string, string>> = {
  ObjectMeta: "object",
  OwnerReference: "object",
  ManagedFieldsEntry: "object",
  ListMeta: "object",
  Draft: "object",
  DraftMeta: "object",
  Status: "status",
  StatusCause: "status",
  StatusDetails: "status",
  IntOrString: "scalars",
  MicroTime: "scalars",
  QuantityText: "scalars",
  Time: "scalars",
  ResourceType: "resource-type",
  defineResource: "define-resource",
};

const plainTypes: Readonly<Record<string, string>> = {
  string: "string",
  boolean: "boolean",
  int32: "number",
  int64: "number",
  double: "number",
  bytes: "string",
  time: "Time",
  microTime: "MicroTime",
  duration: "string",
  quantity: "QuantityText",
  intOrString: "IntOrString",
  fieldsV1: "Readonly<Record<string, unknown>>",
  rawExtension: "Readonly<Record<string, unknown>>",
  json: "unknown",
  schemaOrArray: "JSONSchemaProps | readonly JSONSchemaProps[]",
  schemaOrBool: "JSONSchemaProps | boolean",
  schemaOrStrings: "JSONSchemaProps | readonly string[]",
};

/** Closed sets that upstream does not mark as enumerations. */
const alwaysClosed: ReadonlySet<string> = new Set([
  "ConditionStatus",
  "DeletionPropagation",
  "LabelSelectorOperator",
  "ResourceScope",
]);

/** The Go package of a group and version: `core/v1`. */
export function packageOf(group: string, version: string): string {
  const short = group === "" ? "core" : (group.split(".")[0] as string);
  return `${short === "internal" ? "apiserverinternal" : short}/${version}`;
}

/** Names that the index gives, by module: [name in the module, name in the index, has a value]. */
type IndexNames = ReadonlyMap<string, readonly (readonly [string, string, boolean])[]>;

export function emitTypes(
  model: Model,
  discovery: readonly DiscoveredVersion[],
  words: Words,
): ReadonlyMap<string, string> {
  const files = new Map<string, string>();
  const resources = new Map(
    discovery.map(({ group, version, resources }) => [packageOf(group, version), { group, version, resources }]),
  );
  const wanted = wantedMessages(model, [...resources.keys()]);
  const byPackage = new Map<string, Message[]>();
  for (const name of wanted) {
    const message = model.messages.get(name) as Message;
    byPackage.set(message.package, [...(byPackage.get(message.package) ?? []), message]);
  }
  for (const [id, messages] of byPackage) {
    files.set(`${moduleOf(id)}.ts`, new TypesFile({ model, id, words }, resources.get(id)).write(messages));
  }
  files.set("kinds.ts", emitIndex(indexNames(byPackage, discovery)));
  return files;
}

function moduleOf(id: string): string {
  return id.replace("/", "-");
}

/** All types that the served packages declare or refer to. Lists of kinds are `KubeList<Kind>` and need no type. */
function wantedMessages(model: Model, packages: readonly string[]): readonly string[] {
  const wanted = new Set<string>();
  const visitType = (type: TypeRef): void => {
    if (type.is === "message") visit(type.name);
    if (type.is === "list" || type.is === "map") visitType(type.of);
  };
  const visit = (name: string): void => {
    const [id, short] = splitName(name);
    if (wanted.has(name) || (id === "meta/v1" && short in handWritten)) return;
    wanted.add(name);
    for (const field of (model.messages.get(name) as Message).fields) visitType(field.type);
  };
  for (const [name, message] of model.messages) {
    const served = packages.includes(message.package) || message.package === "admission/v1";
    if (served && !isList(message)) visit(name);
  }
  return [...wanted].sort();
}

function isList(message: Message): boolean {
  return message.name.endsWith("List") && message.fields.some(({ name }) => name === "items") && isKind(message);
}

export function isKind(message: Message): boolean {
  return message.fields.some(({ name, number }) => name === "kind" && number === undefined);
}

class TypesFile {
  readonly #model: Model;
  readonly #id: string;
  readonly #words: Words;
  readonly #served: DiscoveredVersion | undefined;
  readonly #imports = new Map<string, Set<string>>();
  readonly #named = new Set<string>();
  readonly #values = new Set<string>();

  constructor(
    { model, id, words }: { readonly model: Model; readonly id: string; readonly words: Words },
    served: DiscoveredVersion | undefined,
  ) {
    this.#model = model;
    this.#id = id;
    this.#words = words;
    this.#served = served;
  }

  write(messages: readonly Message[]): string {
    const bodies = messages.map((message) => this.#message(message));
    const named = [...this.#named].sort().map((name) => this.#namedType(name));
    const imports = [...this.#imports]
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([from, names]) => {
        const list = [...names].sort();
        const types = list.every((name) => !this.#values.has(name));
        const marked = types ? list : list.map((name) => (this.#values.has(name) ? name : `type ${name}`));
        return `import ${types ? "type " : ""}{ ${marked.join(", ")} } from "${from}";\n`;
      });
    return [banner, ...imports, "\n", [...named, ...bodies].join("\n")].join("");
  }

  #message(message: Message): string {
    const resource = this.#served?.resources.find(({ kind }) => kind === message.name);
    const isObject =
      this.#served !== undefined && isKind(message) && message.fields.some(({ name }) => name === "metadata");
    const [own, inlined] = [
      message.fields.filter(({ inline }) => !inline),
      message.fields.filter(({ inline }) => inline),
    ];
    const parents = inlined.map(({ type }) => this.#type(type));
    const comment = this.#comment(message, "", "");
    const heading = `${comment}export interface ${message.name}${parents.length > 0 ? ` extends ${parents.join(", ")}` : ""}`;
    const rank = ({ name, number }: Field): number => (number !== undefined ? 2 : name === "apiVersion" ? 0 : 1);
    const lines = own.toSorted((a, b) => rank(a) - rank(b)).map((field) => this.#property(message, field, isObject));
    return `${heading} {\n${lines.join("")}}\n${resource ? this.#descriptor(message.name, resource) : ""}`;
  }

  #property(message: Message, field: Field, isObject: boolean): string {
    const key = /^\w+$/.test(field.name) ? field.name : JSON.stringify(field.name);
    const served = this.#served;
    if (isObject && served) {
      const apiVersion = served.group === "" ? served.version : `${served.group}/${served.version}`;
      if (field.name === "apiVersion") return `  readonly apiVersion: ${JSON.stringify(apiVersion)};\n`;
      if (field.name === "kind") return `  readonly kind: ${JSON.stringify(message.name)};\n`;
      if (field.name === "metadata") return `  readonly metadata: ${this.#import("ObjectMeta")};\n`;
    }
    const isTemplate = field.type.is === "message" && field.type.name === "meta/v1.ObjectMeta" && !isKind(message);
    const type = isTemplate ? this.#import("DraftMeta") : this.#type(field.type);
    return `${this.#comment(message, field.name, "  ")}  readonly ${key}${field.required ? "" : "?"}: ${type};\n`;
  }

  /** The comment that an editor shows beside a type or field, if there is a description. */
  #comment({ package: id, name }: Message, field: string, indent: string): string {
    const text = this.#words[`${id}.${name}`]?.[field];
    return text === undefined ? "" : `${indent}/** ${text} */\n`;
  }

  #descriptor(name: string, resource: DiscoveredResource): string {
    const { group, version } = this.#served as DiscoveredVersion;
    this.#import("ResourceType");
    this.#import("defineResource");
    this.#values.add("defineResource");
    const facts = {
      group,
      version,
      kind: name,
      plural: resource.plural,
      scope: resource.namespaced ? "Namespaced" : "Cluster",
      ...(resource.singular === name.toLowerCase() ? {} : { singular: resource.singular }),
      ...(resource.shortNames.length > 0 ? { shortNames: resource.shortNames } : {}),
      ...(resource.categories.length > 0 ? { categories: resource.categories } : {}),
      ...(resource.subresources.length > 0 ? { subresources: resource.subresources.map((sub) => sub.name) } : {}),
    };
    const text = Object.entries(facts).map(([key, value]) => `${key}: ${JSON.stringify(value).replaceAll(",", ", ")}`);
    return `export const ${name}: ResourceType<${name}> = /* @__PURE__ */ defineResource<${name}>({ ${text.join(", ")} });\n`;
  }

  #type(type: TypeRef): string {
    switch (type.is) {
      case "plain":
        return this.#plain(type.name);
      case "named":
        return this.#reference(type.name, true);
      case "message":
        return this.#messageType(type.name);
      case "map":
        return `Readonly<Record<string, ${this.#type(type.of)}>>`;
      case "list": {
        const item = this.#type(type.of);
        return `readonly ${item.includes(" ") ? `(${item})` : item}[]`;
      }
    }
  }

  /** A whole object inside another one (a claim template) is written without its kind, version and perhaps name. */
  #messageType(name: string): string {
    const message = this.#model.messages.get(name) as Message;
    const hasMeta = message.fields.some(({ name }) => name === "metadata");
    if (!isKind(message) || !hasMeta || isList(message) || name === "meta/v1.Status")
      return this.#reference(name, false);
    return `${this.#import("Draft")}<${this.#reference(name, false)}>`;
  }

  #plain(name: string): string {
    const text = plainTypes[name] as string;
    return text in handWritten ? this.#import(text) : text;
  }

  #reference(qualified: string, named: boolean): string {
    const [id, name] = splitName(qualified);
    if (id === "meta/v1" && name in handWritten) return this.#import(name);
    if (named && this.#model.named.get(qualified)?.values.length === 0) return "string";
    if (id === this.#id) {
      if (named) this.#named.add(qualified);
      return name;
    }
    // a named type is written with the messages of its package, if they are written; otherwise it is repeated here
    if (named && !this.#model.packages.has(id)) throw new Error(`no home for ${qualified}`);
    if (named) {
      this.#named.add(qualified);
      return name;
    }
    this.#importFrom(`./${moduleOf(id)}.js`, name);
    return name;
  }

  #namedType(qualified: string): string {
    const [id, name] = splitName(qualified);
    const { values, closed } = this.#model.named.get(qualified)!;
    const union = values.map((value) => JSON.stringify(value)).join(" | ");
    const open = closed || alwaysClosed.has(name) ? "" : " | (string & {})";
    return `${id === this.#id ? "export " : ""}type ${name} = ${union}${open};\n`;
  }

  #import(name: string): string {
    this.#importFrom(`../${handWritten[name]}.js`, name);
    return name;
  }

  #importFrom(path: string, name: string): void {
    const names = this.#imports.get(path) ?? new Set();
    this.#imports.set(path, names.add(name));
  }
}

/**
 * Assigns the plain names: first to the kinds in their preferred versions, then to the types inside them, in the order
 * in which the server prefers groups; a kind whose name is taken gets its group and version in front (`EventsV1Event`).
 */
function indexNames(
  byPackage: ReadonlyMap<string, readonly Message[]>,
  discovery: readonly DiscoveredVersion[],
): IndexNames {
  const taken = new Set<string>(Object.keys(handWritten));
  const names = new Map<string, (readonly [string, string, boolean])[]>();
  const add = (id: string, name: string, as: string, value: boolean): void => {
    taken.add(as);
    names.set(id, [...(names.get(id) ?? []), [name, as, value]]);
  };
  const seenKinds = new Set<string>();
  for (const { group, version, resources } of discovery) {
    const id = packageOf(group, version);
    for (const { kind } of resources) {
      const preferred = !seenKinds.has(`${group}/${kind}`) && !taken.has(kind);
      seenKinds.add(`${group}/${kind}`);
      const prefix = `${capital((group || "core").split(".")[0] as string)}${capital(version)}`;
      add(id, kind, preferred ? kind : `${prefix}${kind}`, true);
    }
  }
  const preferredFirst = [
    "meta/v1",
    ...discovery.map(({ group, version }) => packageOf(group, version)),
    "admission/v1",
  ];
  for (const id of preferredFirst) {
    for (const { name } of byPackage.get(id) ?? []) {
      const isResource = names.get(id)?.some(([own, , value]) => own === name && value);
      if (!isResource && !taken.has(name)) add(id, name, name, false);
    }
  }
  return names;
}

function emitIndex(names: IndexNames): string {
  const parts = [...names]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([id, entries]) => {
      const sorted = entries.toSorted(([, a], [, b]) => (a < b ? -1 : 1));
      const text = sorted.map(([name, as, value]) => `${value ? "" : "type "}${name}${as === name ? "" : ` as ${as}`}`);
      const types = entries.every(([, , value]) => !value);
      const list = types ? text.map((entry) => entry.replace("type ", "")) : text;
      return `export ${types ? "type " : ""}{\n${list.map((entry) => `  ${entry},\n`).join("")}} from "./${moduleOf(id)}.js";\n`;
    });
  return banner + parts.join("");
}

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
