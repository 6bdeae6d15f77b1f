/** Validates the defaults of a schema: each must be valid itself, rules included, and lose nothing to pruning. */
import { type FieldPath, type StatusCause } from "../../api/index.js";
import { compileRules } from "./cel/rules.js";
import { Effort } from "./schema/effort.js";
import { type StructuralSchema } from "./schema/json-schema.js";
import { isRecord } from "../../base/members.js";
import { pruneObject } from "./schema/prune.js";
import { validateValue } from "./schema/validate.js";

/** Takes a structural schema and checks every node, except below additionalProperties, where no default applies. */
export function* defaultErrors(
  schema: StructuralSchema,
  path: FieldPath,
  effort: Effort = new Effort(),
): Iterable<StatusCause> {
  if (schema.default !== undefined) yield* errorsOf(schema, path.child("default"), effort);
  if (schema.items !== undefined) yield* defaultErrors(schema.items, path.child("items"), effort);
  for (const [name, property] of Object.entries(schema.properties ?? {}))
    yield* defaultErrors(property, path.child("properties").key(name), effort);
}

function errorsOf(schema: StructuralSchema, path: FieldPath, effort: Effort): readonly StatusCause[] {
  const value = schema.default;
  const errors: StatusCause[] = [];
  if (isRecord(value) && losesMembers(value, schema)) errors.push(path.invalid(value, "must not have unknown fields"));
  const invalid = validateValue(value, { ...schema, default: undefined } as StructuralSchema, {
    path: "",
    old: undefined,
    effort,
  });
  if (invalid.length > 0) return [...errors, ...invalid.map((cause) => placed(cause, path))];
  return [...errors, ...ruleComplaints(schema, value).map((cause) => placed(cause, path))];
}

function losesMembers(value: Readonly<Record<string, unknown>>, schema: StructuralSchema): boolean {
  let lost = false;
  pruneObject(value, schema, () => (lost = true));
  return lost;
}

/** A rule that does not compile is reported elsewhere. */
function ruleComplaints(schema: StructuralSchema, value: unknown): readonly StatusCause[] {
  try {
    return compileRules(schema)?.validate(value, undefined) ?? [];
  } catch {
    return [];
  }
}

function placed({ field = "", ...cause }: StatusCause, path: FieldPath): StatusCause {
  return { ...cause, field: String(field === "" || field === "<nil>" ? path : path.child(field)) };
}
