/** The schema by which the objects of one version are read; without one, objects keep everything. */
import type { CustomResourceDefinitionVersion } from "../../../api/index.js";
import type { StructuralSchema } from "./json-schema.js";

const anything: StructuralSchema = { type: "object", "x-kubernetes-preserve-unknown-fields": true };

export const schemaOf = (version: CustomResourceDefinitionVersion): StructuralSchema =>
  (version.schema?.openAPIV3Schema as StructuralSchema | undefined) ?? anything;
