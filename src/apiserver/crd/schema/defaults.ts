/** Drops nulls that a schema does not allow, and fills in its defaults. Pure: unchanged parts are shared. */
import { exactJson } from "../../../api/values/exact-json.js";
import { newRequestEntityTooLarge } from "../../../api/index.js";
import { type PlainObject, type StructuralSchema, memberSchema } from "./json-schema.js";
import { isRecord } from "../../../base/members.js";
import { changedMembers } from "./prune.js";

/** For objects that clients send. A null that an apply leaves behind stays, and is refused later. */
export function withoutForbiddenNulls(object: PlainObject, schema: StructuralSchema): PlainObject {
  return dropNulls(object, schema) as PlainObject;
}

/** Throws 413 if the defaults would make a small object very large. */
export function withDefaults(object: PlainObject, schema: StructuralSchema): PlainObject {
  return fill(object, schema, new Filling()) as PlainObject;
}

/** Limit on the characters of JSON that defaults add to one object. */
const maxGrowth = 1024 * 1024;

type DefaultedProperty = readonly [name: string, property: StructuralSchema];

/** The state of filling one object in. */
class Filling {
  #characters = 0;
  readonly #defaults = new Map<StructuralSchema, readonly DefaultedProperty[]>();

  /** A schema may declare very many properties, and be asked for each item of a list. */
  defaultsOf(schema: StructuralSchema): readonly DefaultedProperty[] {
    let found = this.#defaults.get(schema);
    if (found === undefined) {
      found = Object.entries(schema.properties ?? {}).filter(([, property]) => property.default !== undefined);
      this.#defaults.set(schema, found);
    }
    return found;
  }

  /** Counts the value, which is about to be filled in once more, and gives it back. */
  add(value: unknown, name = ""): unknown {
    this.#characters += name.length + exactJson(value).length + 4;
    if (this.#characters <= maxGrowth) return value;
    throw newRequestEntityTooLarge(`the defaults of the schema add more than ${maxGrowth} characters`);
  }
}

const mayNotBeNull = (value: unknown, schema: StructuralSchema | undefined): boolean =>
  value === null && schema !== undefined && schema.nullable !== true;

function dropNulls(value: unknown, schema: StructuralSchema | undefined): unknown {
  if (Array.isArray(value)) return changedItems(value, (item) => dropNulls(item, schema?.items));
  if (!isRecord(value)) return value;
  return changedMembers(value, (name, member) => {
    const own = memberSchema(schema, name);
    if (mayNotBeNull(member, own) && own?.default === undefined) return undefined;
    return dropNulls(member, own);
  });
}

function fill(value: unknown, schema: StructuralSchema | undefined, filling: Filling): unknown {
  if (schema === undefined) return value;
  if (Array.isArray(value)) {
    const { items } = schema;
    return changedItems(value, (item) =>
      fill(
        mayNotBeNull(item, items) && items?.default !== undefined ? filling.add(items.default) : item,
        items,
        filling,
      ),
    );
  }
  if (!isRecord(value)) return value;
  const added: [string, unknown][] = [];
  for (const [name, property] of filling.defaultsOf(schema)) {
    if (Object.hasOwn(value, name) && !mayNotBeNull(value[name], property)) continue;
    added.push([name, filling.add(property.default, name)]);
  }
  const filled = added.length === 0 ? value : { ...value, ...Object.fromEntries(added) };
  return changedMembers(filled, (name, member) => {
    const own = memberSchema(schema, name);
    const isFilled = mayNotBeNull(member, own) && own?.default !== undefined;
    return fill(isFilled ? filling.add(own.default) : member, own, filling);
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
