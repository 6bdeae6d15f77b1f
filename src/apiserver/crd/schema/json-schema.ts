/** The schema of a custom kind as its definition carries it: the structural subset of OpenAPI. */

import type { StructuralSchema } from "../../../api/index.js";

export type { StructuralSchema, ValidationRuleLiteral } from "../../../api/index.js";

export type PlainObject = Readonly<Record<string, unknown>>;

/** The schema of members that are not among the properties; undefined if there is none. */
export function additionalSchema({ additionalProperties }: StructuralSchema): StructuralSchema | undefined {
  return typeof additionalProperties === "object" ? additionalProperties : undefined;
}

export function memberSchema(schema: StructuralSchema | undefined, name: string): StructuralSchema | undefined {
  if (schema === undefined) return undefined;
  const { properties } = schema;
  return properties !== undefined && Object.hasOwn(properties, name) ? properties[name] : additionalSchema(schema);
}
