/** Joins the facts of Go, protobuf and OpenAPI about each API type into one model, from which all emitters write. */
import type { GoField, GoNamed, GoStruct } from "./go-types.js";
import type { ModuleFolders } from "./modules.js";
import { type OpenApiSchema, readSchemas } from "./openapi.js";
import { type ApiPackage, readPackages } from "./packages.js";
import type { ProtoField } from "./proto.js";

/** Types that are one word in JSON, and have a form of their own in protobuf. */
const specialTypes: Readonly<Record<string, string>> = {
  "meta/v1.Time": "time",
  "meta/v1.MicroTime": "microTime",
  "meta/v1.Duration": "duration",
  "meta/v1.FieldsV1": "fieldsV1",
  "resource.Quantity": "quantity",
  "intstr.IntOrString": "intOrString",
  "runtime.RawExtension": "rawExtension",
  "apiextensions/v1.JSON": "json",
  "apiextensions/v1.JSONSchemaPropsOrArray": "schemaOrArray",
  "apiextensions/v1.JSONSchemaPropsOrBool": "schemaOrBool",
  "apiextensions/v1.JSONSchemaPropsOrStringArray": "schemaOrStrings",
};

const scalars: Readonly<Record<string, string>> = {
  string: "string",
  bool: "boolean",
  int: "int32",
  int32: "int32",
  int64: "int64",
  float64: "double",
  "[]byte": "bytes",
  "types.UID": "string",
  "types.NodeName": "string",
};

export type TypeRef =
  | { readonly is: "plain"; readonly name: string }
  /** A named string type, by its qualified name. */
  | { readonly is: "named"; readonly name: string }
  | { readonly is: "message"; readonly name: string }
  /** `wrapped`: protobuf puts the list into a message of its own. */
  | { readonly is: "list"; readonly of: TypeRef; readonly wrapped: boolean }
  | { readonly is: "map"; readonly of: TypeRef };

export interface Field {
  readonly name: string;
  readonly type: TypeRef;
  readonly pointer: boolean;
  readonly inline: boolean;
  readonly omitEmpty: boolean;
  readonly omitZero: boolean;
  readonly number: number | undefined;
  readonly required: boolean;
  /** The facts of the published schema beyond the type. */
  readonly schema: OpenApiSchema | undefined;
}

export interface Message {
  readonly package: string;
  readonly name: string;
  readonly fields: readonly Field[];
  readonly schema: OpenApiSchema | undefined;
}

export interface Model {
  readonly packages: ReadonlyMap<string, ApiPackage>;
  readonly messages: ReadonlyMap<string, Message>;
  /** Named string types, with their values. */
  readonly named: ReadonlyMap<string, GoNamed>;
}

export async function readModel(folders: ModuleFolders): Promise<Model> {
  const packages = await readPackages(folders);
  const schemas = await readSchemas(folders);
  const builder = new Builder(packages, schemas);
  for (const name of schemas.keys()) builder.addSchema(name);
  for (const name of ["PartialObjectMetadata", "PartialObjectMetadataList", "APIVersions"])
    builder.add(`meta/v1.${name}`);
  builder.add("admission/v1.AdmissionReview");
  return { packages, messages: builder.messages, named: builder.named };
}

class Builder {
  readonly messages = new Map<string, Message>();
  readonly named = new Map<string, GoNamed>();
  readonly #packages: ReadonlyMap<string, ApiPackage>;
  readonly #schemas: ReadonlyMap<string, OpenApiSchema>;
  readonly #idByGoPath: ReadonlyMap<string, string>;

  constructor(packages: ReadonlyMap<string, ApiPackage>, schemas: ReadonlyMap<string, OpenApiSchema>) {
    this.#packages = packages;
    this.#schemas = schemas;
    this.#idByGoPath = new Map([...packages.values()].map(({ id, go }) => [go.path, id]));
  }

  addSchema(schemaName: string): void {
    const dot = schemaName.lastIndexOf(".");
    const prefix = schemaName.slice(0, dot);
    for (const { id, schemaPrefix } of this.#packages.values()) {
      if (schemaPrefix === prefix) this.add(`${id}.${schemaName.slice(dot + 1)}`);
    }
  }

  /** Adds a type and all types that it refers to. The fields of an inline struct are published in the schema of its parent. */
  add(qualified: string, parent?: OpenApiSchema): void {
    if (this.messages.has(qualified) || qualified in specialTypes || qualified === "meta/v1.Patch") return;
    const [id, name] = splitName(qualified);
    const holder = this.#packages.get(id);
    if (!holder) throw new Error(`no package ${id}`);
    const schema = this.#schemas.get(`${holder.schemaPrefix}.${name}`);
    const fields: Field[] = [];
    this.messages.set(qualified, { package: id, name, fields, schema });
    const [home, struct] = this.#struct(holder, name);
    for (const field of struct.fields) fields.push(...this.#field(home, struct, field, schema ?? parent));
  }

  /** A struct, or the struct in another package whose shape a type has. */
  #struct(holder: ApiPackage, name: string): readonly [ApiPackage, GoStruct] {
    const struct = holder.go.structs.get(name);
    if (struct) return [holder, struct];
    const named = holder.go.named.get(name);
    if (!named) throw new Error(`no struct ${holder.id}.${name}`);
    const [id, original] = splitName(this.#qualify(holder, named.underlying));
    return this.#struct(this.#packages.get(id) as ApiPackage, original);
  }

  #field(holder: ApiPackage, struct: GoStruct, field: GoField, schema: OpenApiSchema | undefined): readonly Field[] {
    const where = `${holder.id}.${struct.name}.${field.json || field.type}`;
    if (field.inline && /(^|\.)TypeMeta$/.test(field.type)) return [typeMeta("kind"), typeMeta("apiVersion")];
    const pointer = field.type.startsWith("*");
    const named = pointer ? field.type.slice(1) : field.type;
    if (field.inline) this.add(this.#original(holder, named), schema);
    const type = this.#type(holder, named, where);
    const property = schema?.properties?.[field.json];
    if (schema && !field.inline && !property) throw new Error(`${where} is not in the published schema`);
    this.#checkProto(holder.proto.get(struct.name), field, type, where);
    return [
      {
        name: field.json,
        type,
        pointer,
        inline: field.inline,
        omitEmpty: field.omitEmpty,
        omitZero: field.omitZero,
        number: field.number,
        required: schema ? (schema.required?.includes(field.json) ?? false) : !field.omitEmpty,
        schema: property,
      },
    ];
  }

  /** Every number in a Go tag must be in the .proto with the same shape; otherwise our reading of Go is wrong. */
  #checkProto(
    message: ReadonlyMap<number, ProtoField> | undefined,
    field: GoField,
    type: TypeRef,
    where: string,
  ): void {
    if (field.number === undefined) return;
    const declared = message?.get(field.number);
    if (!declared) throw new Error(`${where} = ${field.number} is not in the .proto`);
    const expected = type.is === "map" ? "map" : type.is === "list" && !type.wrapped ? "repeated" : "optional";
    if (declared.label !== expected) throw new Error(`${where} is ${declared.label} in the .proto, not ${expected}`);
  }

  #type(holder: ApiPackage, text: string, where: string): TypeRef {
    const scalar = scalars[text];
    if (scalar !== undefined) return { is: "plain", name: scalar };
    if (text.startsWith("[]"))
      return { is: "list", of: this.#type(holder, text.slice(2).replace(/^\*/, ""), where), wrapped: false };
    const map = /^map\[[\w.]+\](.*)$/.exec(text);
    if (map) return { is: "map", of: this.#type(holder, map[1] as string, where) };
    const qualified = this.#qualify(holder, text);
    const special = specialTypes[qualified];
    if (special !== undefined) return { is: "plain", name: special };
    const [id, name] = splitName(qualified);
    const home = this.#packages.get(id);
    const named = home?.go.named.get(name);
    if (home && named) return this.#named(home, named, qualified, where);
    this.add(qualified);
    return { is: "message", name: qualified };
  }

  #named(home: ApiPackage, named: GoNamed, qualified: string, where: string): TypeRef {
    if (named.underlying === "string") {
      this.named.set(qualified, named);
      return { is: "named", name: qualified };
    }
    const type = this.#type(home, named.underlying, where);
    if (type.is === "message" && !named.alias) {
      this.add(qualified);
      return { is: "message", name: qualified };
    }
    return type.is === "list" && home.proto.has(named.name) ? { ...type, wrapped: true } : type;
  }

  /** The qualified name behind an alias. */
  #original(holder: ApiPackage, text: string): string {
    const qualified = this.#qualify(holder, text);
    const [id, name] = splitName(qualified);
    const home = this.#packages.get(id);
    const named = home?.go.named.get(name);
    return home && named?.alias ? this.#original(home, named.underlying) : qualified;
  }

  #qualify(holder: ApiPackage, text: string): string {
    const [alias, name] = text.includes(".") ? splitName(text) : [undefined, text];
    if (alias === undefined) return `${holder.id}.${name}`;
    const path = holder.go.imports.get(alias);
    if (path === undefined) throw new Error(`unknown import ${alias} in ${holder.id}`);
    return `${this.#idByGoPath.get(path) ?? path.split("/").at(-1)}.${name}`;
  }
}

function typeMeta(name: string): Field {
  const type: TypeRef = { is: "plain", name: "string" };
  return {
    name,
    type,
    pointer: false,
    inline: false,
    omitEmpty: true,
    omitZero: false,
    number: undefined,
    required: false,
    schema: { type: "string" },
  };
}

/** `core/v1.Pod` → [`core/v1`, `Pod`] */
export function splitName(qualified: string): readonly [string, string] {
  const dot = qualified.lastIndexOf(".");
  return [qualified.slice(0, dot), qualified.slice(dot + 1)];
}
