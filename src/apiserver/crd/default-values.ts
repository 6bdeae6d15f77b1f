/** Validates the defaults of a schema: each must be valid itself, rules included, and lose nothing to pruning. */
import { type FieldPath, type StatusCause } from "../../api/index.js";
import { parseExactJson, sortedJson } from "../../api/values/exact-json.js";
import { rulesByPart, type Rules } from "./cel/rules.js";
import { Effort } from "./schema/effort.js";
import { embeddedFaults } from "./schema/embedded.js";
import { type StructuralSchema } from "./schema/json-schema.js";
import { losesMembers } from "./schema/prune.js";
import { validateValue } from "./schema/validate.js";
import { Patterns } from "../text/pattern/pattern.js";
import { joinedErrors } from "../../api/errors/field-error.js";

/** Takes a structural schema and checks every node, except below additionalProperties, where no default applies. */
export function defaultErrors(schema: StructuralSchema, path: FieldPath): Iterable<StatusCause> {
  // made when the first default needs it: most schemas have none
  let rules: ReturnType<typeof rulesByPart> | undefined;
  const rulesOf = (part: StructuralSchema): Rules | undefined => (rules ??= rulesByPart(schema))(part);
  return errorsWithin(
    { schema, path, around: embedding(schema) },
    { effort: new Effort(), patterns: new Patterns(), rulesOf },
  );
}

interface Judging {
  readonly effort: Effort;
  readonly patterns: Patterns;
  /** A rule that does not compile is reported elsewhere. */
  readonly rulesOf: (part: StructuralSchema) => Rules | undefined;
}

/** A part of the schema. */
interface Part {
  readonly schema: StructuralSchema;
  readonly path: FieldPath;
  readonly around: Surroundings;
}

/** The innermost embedded object around a value; the whole object counts as one. */
interface Surroundings {
  readonly schema: StructuralSchema;
  /** Whether the value is this object, or stands in its apiVersion, kind or metadata. */
  readonly place: "itself" | "meta" | "elsewhere";
  /** Such an object with this value in its place. */
  holding(value: unknown): unknown;
}

const metaFields: readonly string[] = ["apiVersion", "kind", "metadata"];

function embedding(schema: StructuralSchema): Surroundings {
  return {
    schema: { ...schema, "x-kubernetes-embedded-resource": true },
    place: "itself",
    holding: (value) => ({ apiVersion: "validation/v1", kind: "Validation", ...(value as object) }),
  };
}

/** The surroundings of a property, or of the items of a list. */
function within({ around }: Part, inner: StructuralSchema, name?: string): Surroundings {
  if (inner["x-kubernetes-embedded-resource"] === true) return embedding(inner);
  const isMeta = around.place === "meta" || (around.place === "itself" && metaFields.includes(name ?? ""));
  return {
    schema: around.schema,
    place: isMeta ? "meta" : "elsewhere",
    holding: (value) => around.holding(name === undefined ? [value] : { [name]: value }),
  };
}

function* errorsWithin(part: Part, judging: Judging): Iterable<StatusCause> {
  const { schema, path } = part;
  if (schema.default !== undefined) yield* errorsOf(part, judging);
  const { items, properties = {} } = schema;
  if (items !== undefined)
    yield* errorsWithin({ schema: items, path: path.child("items"), around: within(part, items) }, judging);
  for (const [name, property] of Object.entries(properties)) {
    const here = path.child("properties").key(name);
    yield* errorsWithin({ schema: property, path: here, around: within(part, property, name) }, judging);
  }
}

function* errorsOf({ schema, path, around }: Part, { effort, patterns, rulesOf }: Judging): Iterable<StatusCause> {
  const value = schema.default;
  const here = path.child("default");
  const whole = around.place === "itself" ? around.schema : schema;
  if (around.place !== "meta" && losesMembers(value, whole)) {
    yield here.invalid(parseExactJson(sortedJson(value)), "must not have unknown fields");
  }
  const misplaced =
    around.place === "meta" ? metaFaults(value, here, around) : embeddedFaults(value, whole, String(here));
  if (misplaced.length > 0) return yield* misplaced;
  const bare = { ...schema, default: undefined } as StructuralSchema;
  const invalid = validateValue(value, bare, { path: "", old: undefined, effort, patterns });
  const complaints = invalid.length > 0 ? invalid : (rulesOf(schema)?.validate(value, undefined) ?? []);
  for (const cause of complaints) yield placed(cause, here);
}

/** The faults of an embedded object that has this default in its metadata. */
function metaFaults(value: unknown, path: FieldPath, { schema, holding }: Surroundings): readonly StatusCause[] {
  const faults = embeddedFaults(holding(value), schema, "").map(({ field, message }) => `${field}: ${message}`);
  if (faults.length === 0) return [];
  return [path.invalid(value, `must result in valid metadata: ${joinedErrors(faults)}`)];
}

function placed({ field = "", ...cause }: StatusCause, path: FieldPath): StatusCause {
  return { ...cause, field: String(field === "" || field === "<nil>" ? path : path.child(field)) };
}
