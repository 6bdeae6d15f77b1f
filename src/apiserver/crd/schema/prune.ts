/** Removes members that a schema does not declare. Pure: unchanged parts are shared. */
import { typeNamed } from "../../../api/schema/index.js";
import { additionalSchema, type PlainObject, type StructuralSchema } from "./json-schema.js";
import { isRecord, own } from "../../../base/members.js";

/** Members that every object has, whatever its schema declares. */
const metaFields = new Set(["apiVersion", "kind", "metadata"]);

/** `unknown` is called with the path of each removed member. */
export function pruneObject(
  object: PlainObject,
  schema: StructuralSchema,
  unknown: (path: string) => void,
): PlainObject {
  return prune(object, { ...schema, "x-kubernetes-embedded-resource": true }, { path: "", unknown }) as PlainObject;
}

/** Whether a value that need not be a whole object would lose members. */
export function losesMembers(value: unknown, schema: StructuralSchema): boolean {
  let lost = false;
  prune(value, schema, { path: "", unknown: () => (lost = true) });
  return lost;
}

interface Place {
  readonly path: string;
  unknown(path: string): void;
}

const into = ({ path, unknown }: Place, name: string): Place => ({
  path: path === "" ? name : `${path}.${name}`,
  unknown,
});
const at = ({ path, unknown }: Place, index: number): Place => ({ path: `${path}[${index}]`, unknown });

function prune(value: unknown, schema: StructuralSchema | undefined, place: Place, preserving = false): unknown {
  const keeps = preserving || schema?.["x-kubernetes-preserve-unknown-fields"] === true;
  if (Array.isArray(value)) return pruneItems(value, schema, { ...place, keeps });
  if (!isRecord(value)) return value;
  if (!keeps) return pruneMembers(value, schema, place);
  if (schema === undefined) return value;
  return changedMembers(value, (name, member) => {
    if (schema["x-kubernetes-embedded-resource"] && metaFields.has(name)) return keepMeta(name, member, place);
    const known = own(schema.properties, name) ?? additionalSchema(schema);
    return known === undefined ? member : prune(member, known, into(place, name));
  });
}

/** Items inside a preserved value are preserved too. */
function pruneItems(
  items: readonly unknown[],
  schema: StructuralSchema | undefined,
  { keeps, ...place }: Place & { readonly keeps: boolean },
): unknown {
  let changed = false;
  const pruned = items.map((item, i) => {
    const kept = prune(item, schema?.items, at(place, i), keeps);
    if (kept !== item) changed = true;
    return kept;
  });
  return changed ? pruned : items;
}

function pruneMembers(value: PlainObject, schema: StructuralSchema | undefined, place: Place): PlainObject {
  return changedMembers(value, (name, member) => {
    if (schema?.["x-kubernetes-embedded-resource"] && metaFields.has(name)) return keepMeta(name, member, place);
    const known = own(schema?.properties, name);
    if (known !== undefined) return prune(member, known, into(place, name));
    const additional = schema && additionalSchema(schema);
    if (additional !== undefined) return prune(member, additional, into(place, name));
    // the schema allows any content
    if (schema?.additionalProperties === true) return prune(member, undefined, into(place, name));
    place.unknown(into(place, name).path);
    return undefined;
  });
}

/**
 * The metadata of an embedded object is brought into form later; the fields that will be dropped then are reported
 * here. The decoder reports those of the root's metadata.
 */
function keepMeta(name: string, member: unknown, place: Place): unknown {
  if (name !== "metadata" || place.path === "" || !isRecord(member)) return member;
  const known = typeNamed("meta/v1.ObjectMeta")?.properties;
  const inside = into(place, name);
  for (const field of Object.keys(member)) if (!known?.has(field)) place.unknown(into(inside, field).path);
  return member;
}

/** The object with each member changed; a member for which `change` gives undefined is left out. */
export function changedMembers(value: PlainObject, change: (name: string, member: unknown) => unknown): PlainObject {
  let result: Record<string, unknown> | undefined;
  for (const name of Object.keys(value)) {
    const member = value[name];
    const kept = change(name, member);
    if (kept === member) continue;
    result ??= { ...value };
    if (kept === undefined) delete result[name];
    else result[name] = kept;
  }
  return result ?? value;
}
