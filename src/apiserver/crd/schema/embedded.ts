/**
 * Embedded objects (`x-kubernetes-embedded-resource`): brings their metadata into the common form and requires their
 * apiVersion and kind. Pure.
 */
import {
  type FieldPath,
  fieldPath,
  isDns1035Label,
  isPathSegmentName,
  newBadRequest,
  type ObjectMeta,
  ParseError,
  parseGroupVersion,
  type StatusCause,
} from "../../../api/index.js";
import { jsonKind, type ObjectType, typedForm, TypeMismatch, typeNamed } from "../../../api/schema/index.js";
import { validateObjectMeta } from "../../registry/write/object-meta.js";
import { additionalSchema, type PlainObject, type StructuralSchema, memberSchema } from "./json-schema.js";
import { isRecord } from "../../../base/members.js";
import { changedMembers } from "./prune.js";

/** Most schemas embed no object, and their objects need no walk. */
export function embedsObjects(schema: StructuralSchema): boolean {
  const { items, properties = {} } = schema;
  const inner = [items, additionalSchema(schema), ...Object.values(properties)];
  return (
    schema["x-kubernetes-embedded-resource"] === true ||
    inner.some((child) => child !== undefined && embedsObjects(child))
  );
}

/**
 * Brings the metadata of all embedded objects into the common form. Throws BadRequest where a member has a wrong type.
 */
export function withEmbeddedInForm(object: PlainObject, schema: StructuralSchema): PlainObject {
  try {
    return inForm(object, schema, "") as PlainObject;
  } catch (error) {
    if (!(error instanceof Misfit)) throw error;
    const version = JSON.stringify(String(object["apiVersion"]).split("/").at(-1));
    throw newBadRequest(
      `${object["kind"]} in version ${version} cannot be handled as a ${object["kind"]}: ${error.fault.field}: ${error.fault.message}`,
    );
  }
}

/** Thrown for a field of an embedded object whose value has the wrong type. */
class Misfit extends Error {
  override readonly name = "Misfit";
  readonly fault: StatusCause;

  constructor(path: string, value: unknown, why: string) {
    super(why);
    this.fault = fieldPath(path).invalid(value, why);
  }
}

function inForm(value: unknown, schema: StructuralSchema | undefined, path: string): unknown {
  if (schema === undefined) return value;
  if (Array.isArray(value)) {
    const items: unknown[] = value.map((item, index) => inForm(item, schema.items, `${path}[${index}]`));
    return items.some((item, index) => item !== value[index]) ? items : value;
  }
  if (!isRecord(value)) return value;
  const embedded = schema["x-kubernetes-embedded-resource"] === true;
  return changedMembers(value, (name, member) => {
    const here = path === "" ? name : `${path}.${name}`;
    if (embedded && name === "metadata") return metaInForm(member ?? {}, here);
    if (embedded && (name === "kind" || name === "apiVersion") && typeof member !== "string") {
      throw new Misfit(here, member, "must be a string");
    }
    return inForm(member, memberSchema(schema, name), here);
  });
}

function metaInForm(metadata: unknown, path: string): unknown {
  if (!isRecord(metadata)) {
    const given = jsonKind(metadata, { kind: "json" });
    throw new Misfit(path, metadata, `json: cannot unmarshal ${given} into Go value of type v1.ObjectMeta`);
  }
  try {
    return typedForm(typeNamed("meta/v1.ObjectMeta") as ObjectType, metadata);
  } catch (error) {
    if (error instanceof TypeMismatch) throw new Misfit(path, metadata, error.message);
    if (error instanceof ParseError) throw new Misfit(path, metadata, error.reason);
    throw error;
  }
}

/** The faults of all embedded objects in a value that nothing has brought into form yet: the first wrong type, or all others. */
export function embeddedFaults(value: unknown, schema: StructuralSchema, path: string): readonly StatusCause[] {
  try {
    return [...validateEmbedded(inForm(value, schema, path), schema, path)];
  } catch (error) {
    if (error instanceof Misfit) return [error.fault];
    throw error;
  }
}

/** The faults of all embedded objects in a value in form; its own, too, if its schema says that it is one. */
export function* validateEmbedded(
  value: unknown,
  schema: StructuralSchema | undefined,
  path: string,
): Iterable<StatusCause> {
  if (schema === undefined) return;
  if (Array.isArray(value)) {
    for (const [index, item] of value.entries()) yield* validateEmbedded(item, schema.items, `${path}[${index}]`);
  }
  if (!isRecord(value)) return;
  if (schema["x-kubernetes-embedded-resource"] === true) yield* identityErrors(value, path);
  for (const [name, member] of Object.entries(value)) {
    yield* validateEmbedded(member, memberSchema(schema, name), path === "" ? name : `${path}.${name}`);
  }
}

function* identityErrors(object: PlainObject, path: string): Iterable<StatusCause> {
  const { apiVersion, kind, metadata } = object;
  const at = (name: string): FieldPath => fieldPath(path === "" ? name : `${path}.${name}`);
  if (apiVersion === undefined) yield at("apiVersion").required();
  if (kind === undefined) yield at("kind").required();
  const wrongVersion = apiVersion === undefined ? undefined : versionProblem(apiVersion);
  if (wrongVersion !== undefined) yield at("apiVersion").invalid(apiVersion, wrongVersion);
  const wrongKind = kind === undefined ? undefined : kindProblem(kind);
  if (wrongKind !== undefined) yield at("kind").invalid(kind, wrongKind);
  if (!isRecord(metadata)) return;
  const meta = { ...metadata, name: metadata["name"] || "fakename" } as unknown as ObjectMeta;
  for (const cause of validateObjectMeta(meta, { namespaced: Boolean(meta.namespace), nameRule: isPathSegmentName })) {
    yield { ...cause, field: String(at(cause.field ?? "")) };
  }
}

function versionProblem(apiVersion: unknown): string | undefined {
  if (typeof apiVersion !== "string") return "must be a string";
  if (apiVersion === "") return "must not be empty";
  try {
    parseGroupVersion(apiVersion);
    return undefined;
  } catch (error) {
    return (error as Error).message;
  }
}

function kindProblem(kind: unknown): string | undefined {
  if (typeof kind !== "string") return "must be a string";
  if (kind === "") return "must not be empty";
  const wrong = isDns1035Label(kind.toLowerCase());
  return wrong.length === 0 ? undefined : `may have mixed case, but should otherwise match: ${wrong.join(",")}`;
}
