/** Validates a version of a custom kind: its schema, columns, subresources and selectable fields. */
import { type CustomResourceDefinitionVersion, type FieldPath, fieldPath, type StatusCause } from "../../api/index.js";
import { Causes } from "../../api/status.js";
import { expressionErrors, nodesOf, ruleTextErrors } from "./cel/rule-errors.js";
import { defaultErrors } from "./default-values.js";
import { findField } from "./schema/field-path.js";
import { isKnownFormat } from "../text/formats.js";
import type { StructuralSchema } from "./schema/json-schema.js";
import { openApiErrors } from "./schema/openapi.js";
import { validateStructural } from "./schema/structural.js";

/** The paths of a version's parts; undefined for a part that is validated elsewhere. */
export interface VersionPlaces {
  readonly schema: FieldPath | undefined;
  readonly subresources: FieldPath | undefined;
  readonly columns: FieldPath | undefined;
  readonly selectable: FieldPath | undefined;
}

export function partErrors(version: CustomResourceDefinitionVersion, places: VersionPlaces): readonly StatusCause[] {
  const schema = version.schema?.openAPIV3Schema as StructuralSchema | undefined;
  const hasStatus = version.subresources?.status !== undefined;
  const scale = version.subresources?.scale;
  const errors: StatusCause[] = [];
  if (schema !== undefined && places.schema !== undefined)
    errors.push(...schemaErrors(schema, hasStatus, places.schema.child("openAPIV3Schema")));
  if (scale !== undefined && places.subresources !== undefined)
    errors.push(...scaleErrors(scale, places.subresources.child("scale")));
  if (places.columns !== undefined) errors.push(...columnErrors(version, places.columns));
  if (schema !== undefined && places.selectable !== undefined)
    errors.push(...selectableErrors(version, schema, places.selectable));
  else if (places.selectable !== undefined && (version.selectableFields ?? []).length > 0)
    errors.push(places.selectable.invalid("", unselectable(places.selectable)));
  return errors;
}

export function deprecationErrors(
  { deprecated, deprecationWarning: warning }: CustomResourceDefinitionVersion,
  path: FieldPath,
): readonly StatusCause[] {
  if (warning === undefined) return [];
  const complaints: string[] = [];
  if (deprecated !== true) complaints.push("can only be set for deprecated versions");
  else {
    if (Buffer.byteLength(warning) > 256) complaints.push("must be <= 256 characters long");
    if (warning === "") complaints.push("must not be an empty string");
    const odd = /[^\p{L}\p{M}\p{N}\p{P}\p{S} ]/u.exec(warning);
    if (odd !== null) {
      const at = Buffer.byteLength(warning.slice(0, odd.index));
      complaints.push(`must only contain printable UTF-8 characters; non-printable character found at index ${at}`);
    }
  }
  return complaints.map((complaint) => path.child("deprecationWarning").invalid(warning, complaint));
}

/**
 * The schema fields that may stand at the root beside `properties` if status is a subresource, as messages list them.
 */
const rootFields =
  "Description Type Format Title Maximum ExclusiveMaximum Minimum ExclusiveMinimum MaxLength MinLength Pattern MaxItems MinItems UniqueItems MultipleOf Required Items Properties ExternalDocs Example XPreserveUnknownFields XValidations";
const allowedAtRoot = new Set(
  rootFields
    .split(" ")
    .map((name) => name.charAt(0).toLowerCase() + name.slice(1))
    .concat("x-kubernetes-preserve-unknown-fields", "x-kubernetes-validations"),
);

function schemaErrors(schema: StructuralSchema, hasStatus: boolean, path: FieldPath): readonly StatusCause[] {
  const errors = new Causes();
  if (hasStatus && Object.keys(schema).some((name) => !allowedAtRoot.has(name))) {
    const why = `only [${rootFields}] fields are allowed at the root of the schema if the status subresource is enabled`;
    errors.push(path.invalid(schema, why));
  }
  if (schema.nullable === true) errors.push(path.child("nullable").forbidden("nullable cannot be true at the root"));
  const items = openApiErrors(schema, path);
  // a schema that is not a tree of schemas cannot be validated further
  const isTree =
    !items.full && !items.all.some(({ message }) => message?.includes("items must be a schema object") === true);
  const structural = isTree ? validateStructural(schema, path) : [];
  errors.add(structural);
  if (isTree && structural.length === 0) errors.add(defaultErrors(schema, path));
  errors.add(items.all);
  if (isTree) errors.add(ruleTextErrors(schema, path));
  if (errors.all.length === 0) errors.add(expressionErrors(schema, path));
  return errors.all;
}

/** Unknown formats anywhere in the schema; they are allowed, with a warning. */
export function unknownFormats({ schema }: CustomResourceDefinitionVersion): readonly string[] {
  const root = schema?.openAPIV3Schema as StructuralSchema | undefined;
  if (root === undefined) return [];
  return nodesOf(root, fieldPath("")).flatMap(({ node: { type, format } }) =>
    format && !isKnownFormat(type, format) ? [format] : [],
  );
}

type Scale = NonNullable<NonNullable<CustomResourceDefinitionVersion["subresources"]>["scale"]>;

function scaleErrors(scale: Scale, path: FieldPath): readonly StatusCause[] {
  const { labelSelectorPath: selector } = scale;
  const errors = [
    ...replicasErrors(scale.specReplicasPath, ".spec", path.child("specReplicasPath")),
    ...replicasErrors(scale.statusReplicasPath, ".status", path.child("statusReplicasPath")),
  ];
  if (!selector) return errors;
  const at = path.child("labelSelectorPath");
  if (!selector.startsWith(".")) errors.push(simplePath(at, selector));
  else if (!selector.startsWith(".spec.") && !selector.startsWith(".status."))
    errors.push(at.invalid(selector, "should be a json path under either .spec or .status"));
  return errors;
}

function replicasErrors(path: string | undefined, start: string, at: FieldPath): StatusCause[] {
  if (!path) return [at.required()];
  if (!path.startsWith(".")) return [simplePath(at, path)];
  return path.startsWith(`${start}.`) ? [] : [at.invalid(path, `should be a json path under ${start}`)];
}

const simplePath = (at: FieldPath, path: string): StatusCause =>
  at.invalid(path, "must be a simple json path starting with .");

const columnTypes = ["boolean", "date", "integer", "number", "string"];
const columnFormats = ["byte", "date", "date-time", "double", "float", "int32", "int64", "password"];

function columnErrors(
  { additionalPrinterColumns = [] }: CustomResourceDefinitionVersion,
  path: FieldPath,
): StatusCause[] {
  const errors: StatusCause[] = [];
  for (const [i, { name, type, format, jsonPath }] of additionalPrinterColumns.entries()) {
    const at = path.index(i);
    if (!name) errors.push(at.child("name").required());
    const wanted = `must be one of ${columnTypes.join(",")}`;
    if (!type) errors.push(at.child("type").required(wanted));
    else if (!columnTypes.includes(type)) errors.push(at.child("type").invalid(type, wanted));
    if (format && !columnFormats.includes(format))
      errors.push(at.child("format").invalid(format, `must be one of ${columnFormats.join(",")}`));
    if (!jsonPath) errors.push(at.child("JSONPath").required());
    else if (!jsonPath.startsWith(".")) errors.push(simplePath(at.child("JSONPath"), jsonPath));
  }
  return errors;
}

const mostSelectable = 8;

/**
 * Why fields cannot be selected where there is no schema; the words say the opposite for a single version, as a real
 * server's do.
 */
const unselectable = (at: FieldPath): string =>
  String(at) === "spec.selectableFields"
    ? "may only be set when validations.schema is included"
    : "may only be set when `version.schema.openAPIV3Schema` is not included";

function selectableErrors(
  { selectableFields = [] }: CustomResourceDefinitionVersion,
  schema: StructuralSchema,
  path: FieldPath,
): readonly StatusCause[] {
  const errors: StatusCause[] = [];
  const seen = new Set<string>();
  for (const [i, { jsonPath }] of selectableFields.entries()) {
    const at = path.index(i).child("jsonPath");
    if (!jsonPath) {
      errors.push(at.required());
      continue;
    }
    const found = findField(jsonPath, schema, false);
    if (typeof found === "string") {
      errors.push(at.invalid(jsonPath, `is an invalid path: ${found}`));
      continue;
    }
    if (found.names[0] === "metadata") errors.push(at.invalid(jsonPath, "must not point to fields in metadata"));
    if (!["string", "boolean", "integer"].includes(found.schema.type ?? "")) {
      const why =
        "must point to a field of type string, boolean or integer. Enum string fields and strings with formats are allowed.";
      errors.push(at.invalid(jsonPath, why));
    }
    const id = found.names.join(".");
    if (seen.has(id)) errors.push(at.duplicate(jsonPath));
    seen.add(id);
  }
  if (seen.size > mostSelectable) errors.push(path.tooMany(seen.size, mostSelectable));
  return errors;
}
