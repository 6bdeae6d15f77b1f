/** Validates the defaults of a schema: each must be valid itself, rules included, and lose nothing to pruning. */
import { type FieldPath, type StatusCause } from "../../api/index.js";
import { rulesByPart, type Rules } from "./cel/rules.js";
import { Effort } from "./schema/effort.js";
import { type StructuralSchema } from "./schema/json-schema.js";
import { isRecord } from "../../base/members.js";
import { pruneObject } from "./schema/prune.js";
import { validateValue } from "./schema/validate.js";

/** Takes a structural schema and checks every node, except below additionalProperties, where no default applies. */
export function defaultErrors(schema: StructuralSchema, path: FieldPath): Iterable<StatusCause> {
  // made when the first default needs it: most schemas have none
  let rules: ReturnType<typeof rulesByPart> | undefined;
  const rulesOf = (part: StructuralSchema): Rules | undefined => (rules ??= rulesByPart(schema))(part);
  return errorsWithin(schema, path, { effort: new Effort(), rulesOf });
}

interface Judging {
  readonly effort: Effort;
  /** A rule that does not compile is reported elsewhere. */
  readonly rulesOf: (part: StructuralSchema) => Rules | undefined;
}

function* errorsWithin(schema: StructuralSchema, path: FieldPath, judging: Judging): Iterable<StatusCause> {
  if (schema.default !== undefined) yield* errorsOf(schema, path.child("default"), judging);
  if (schema.items !== undefined) yield* errorsWithin(schema.items, path.child("items"), judging);
  for (const [name, property] of Object.entries(schema.properties ?? {}))
    yield* errorsWithin(property, path.child("properties").key(name), judging);
}

function errorsOf(schema: StructuralSchema, path: FieldPath, { effort, rulesOf }: Judging): readonly StatusCause[] {
  const value = schema.default;
  const errors: StatusCause[] = [];
  if (isRecord(value) && losesMembers(value, schema)) errors.push(path.invalid(value, "must not have unknown fields"));
  const invalid = validateValue(value, { ...schema, default: undefined } as StructuralSchema, {
    path: "",
    old: undefined,
    effort,
  });
  if (invalid.length > 0) return [...errors, ...invalid.map((cause) => placed(cause, path))];
  const complaints = rulesOf(schema)?.validate(value, undefined) ?? [];
  return [...errors, ...complaints.map((cause) => placed(cause, path))];
}

function losesMembers(value: Readonly<Record<string, unknown>>, schema: StructuralSchema): boolean {
  let lost = false;
  pruneObject(value, schema, () => (lost = true));
  return lost;
}

function placed({ field = "", ...cause }: StatusCause, path: FieldPath): StatusCause {
  return { ...cause, field: String(field === "" || field === "<nil>" ? path : path.child(field)) };
}
