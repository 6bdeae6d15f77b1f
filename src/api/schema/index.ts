/** schema: the tables of the built-in kinds, read at first use. Not part of api's index, so that clients need not load them. */
export { describeField, describeType } from "./descriptions.js";
export {
  type BuiltInResource,
  type BuiltInVersion,
  builtInVersions,
  type ServedResource,
  type ServedSubresource,
} from "./discovery.js";
export { builtInTypeOf, typeOfKind } from "./kinds.js";
export { patchSchemaOfKind } from "./patch-schema.js";
export type { FieldType, ObjectType, Shape } from "./shapes.js";
export { jsonKind, mismatchWords, TypeMismatch } from "./mismatch.js";
export { typedForm, typedFormWhole } from "./typed-form.js";
export { packageOf, typeNamed, typeNames, typeOfSchema } from "./table.js";
