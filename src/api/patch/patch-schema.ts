/** The facts about a kind's types that a strategic merge patch needs. */
import { PatchError } from "./patch-error.js";

/** One object type. Types may refer to each other in circles, so a field resolves its type only when asked. */
export interface PatchSchema {
  /** The field of this JSON name, or undefined if the type has none. */
  field(name: string): PatchField | undefined;
}

export interface PatchField {
  /** The object type of the value, or of the items if the value is a list. Absent for scalars and free maps. */
  readonly type?: PatchSchema | undefined;
  /** `merge`, `replace`, `retainKeys`, or two of them joined by a comma. Without it objects merge and lists are replaced. */
  readonly patchStrategy?: string | undefined;
  /** The member that tells the items of a merging list of objects apart. */
  readonly mergeKey?: string | undefined;
  /** Whether the value is a list. */
  readonly list?: boolean | undefined;
}

/** A field's facts, with its strategy split into parts. */
export interface FieldRules {
  readonly type: PatchSchema | undefined;
  readonly strategy: string;
  readonly retainKeys: boolean;
  readonly mergeKey: string;
}

/**
 * The rules of a field whose two values are both objects, or both lists. Throws PatchError if the schema gives the
 * field another shape.
 */
export function fieldRules(schema: PatchSchema | undefined, name: string, shape: "object" | "list"): FieldRules {
  if (schema === undefined) {
    const why = "merging an object in json but data type is not struct, instead is: map";
    throw new PatchError("unmergeable", why);
  }
  const field = schema.field(name);
  if (field === undefined) {
    throw new PatchError(
      "unmergeable",
      `unable to find api field in struct for the json field ${JSON.stringify(name)}`,
    );
  }
  if (shape === "list" && field.list !== true) {
    throw new PatchError("unmergeable", "expected slice or array type, but got: struct");
  }
  const strategies = field.patchStrategy === undefined ? [] : field.patchStrategy.split(",");
  return {
    type: field.type,
    strategy: strategies.find((strategy) => strategy !== "retainKeys") ?? "",
    retainKeys: strategies.includes("retainKeys"),
    mergeKey: field.mergeKey ?? "",
  };
}

/** The form in which tables are written: type names, each with its fields. */
export type PatchTypes = Readonly<
  Record<string, Readonly<Record<string, Omit<PatchField, "type"> & { readonly type?: string }>>>
>;

/** The schema of one named type of a table. */
export function patchSchemaOf(types: PatchTypes, name: string): PatchSchema {
  const fields = types[name];
  if (fields === undefined) throw new Error(`no type ${JSON.stringify(name)} in the patch table`);
  return {
    field(fieldName) {
      if (!Object.hasOwn(fields, fieldName)) return undefined;
      const { type, ...rest } = fields[fieldName] as { readonly type?: string };
      return type === undefined ? rest : { ...rest, type: patchSchemaOf(types, type) };
    },
  };
}
