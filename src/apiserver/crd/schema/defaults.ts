/** Drops nulls that a schema does not allow, and fills in what it gives by default. Pure: what does not change is shared. */
import { isJsonObject, type JsonObject, type JsonSchema, memberSchema } from "./json-schema.js";
import { changedMembers } from "./prune.js";

/** Of what clients send; a null that an apply leaves behind stays, and is refused. */
export function withoutNulls(object: JsonObject, schema: JsonSchema): JsonObject {
  return dropNulls(object, schema) as JsonObject;
}

export function withDefaults(object: JsonObject, schema: JsonSchema): JsonObject {
  return fill(object, schema) as JsonObject;
}

const mayNotBeNull = (value: unknown, schema: JsonSchema | undefined): boolean =>
  value === null && schema !== undefined && schema.nullable !== true;

function dropNulls(value: unknown, schema: JsonSchema | undefined): unknown {
  if (Array.isArray(value)) return changedItems(value, (item) => dropNulls(item, schema?.items));
  if (!isJsonObject(value)) return value;
  return changedMembers(value, (name, member) => {
    const own = memberSchema(schema, name);
    if (mayNotBeNull(member, own) && own?.default === undefined) return undefined;
    return dropNulls(member, own);
  });
}

function fill(value: unknown, schema: JsonSchema | undefined): unknown {
  if (schema === undefined) return value;
  if (Array.isArray(value)) {
    const { items } = schema;
    return changedItems(value, (item) =>
      fill(mayNotBeNull(item, items) && items?.default !== undefined ? items.default : item, items),
    );
  }
  if (!isJsonObject(value)) return value;
  let filled: JsonObject = value;
  for (const [name, property] of Object.entries(schema.properties ?? {})) {
    if (property.default === undefined || (Object.hasOwn(filled, name) && !mayNotBeNull(filled[name], property)))
      continue;
    filled = { ...filled, [name]: property.default };
  }
  return changedMembers(filled, (name, member) => {
    const own = memberSchema(schema, name);
    return fill(mayNotBeNull(member, own) && own?.default !== undefined ? own.default : member, own);
  });
}

function changedItems(items: readonly unknown[], change: (item: unknown) => unknown): readonly unknown[] {
  let changed = false;
  const result = items.map((item) => {
    const now = change(item);
    if (now !== item) changed = true;
    return now;
  });
  return changed ? result : items;
}
