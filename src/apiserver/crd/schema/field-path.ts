/** Finds fields of a schema by paths as definitions write them (`.spec.size`, `.labels['a.b']`). */
import { additionalSchema, type StructuralSchema } from "./json-schema.js";
import { own } from "../../../base/members.js";

export interface FoundField {
  readonly names: readonly string[];
  readonly schema: StructuralSchema;
}

/** The field at a path, or a sentence that explains why there is none. */
export function findField(path: string, schema: StructuralSchema, brackets = true): FoundField | string {
  const tokens = [...path.matchAll(/'(?:[^'\\]|\\.?)*'?|[.[\]]|[^.[\]']+/gs)].map(([token]) => token);
  const names: string[] = [];
  let at = schema;
  for (let i = 0; i < tokens.length; ) {
    const token = tokens[i++];
    let name: string | undefined;
    if (token === ".") name = tokens[i++];
    else if (token === "[") {
      if (!brackets) return "array notation is not allowed";
      const quoted = tokens[i++];
      if (quoted === undefined) return "unexpected end of JSON path";
      if (!/^'.*'$/s.test(quoted)) return `expected single quoted string but got ${quoted}`;
      name = quoted.slice(1, -1).replaceAll(/\\(.)/gs, "$1");
      const end = tokens[i++];
      if (end !== "]") return end === undefined ? "unexpected end of JSON path" : `expected ] but got ${end}`;
    } else return `expected [ or . but got: ${token}`;
    if (name === undefined) return "unexpected end of JSON path";
    const { properties } = at;
    const next = properties === undefined ? additionalSchema(at) : own(properties, name);
    if (next === undefined) return "does not refer to a valid field";
    names.push(name);
    at = next;
  }
  return { names, schema: at };
}
