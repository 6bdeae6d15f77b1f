/** The last step of every conversion: the object under its new version, in that version's typed form. */
import type { KubeObject } from "../../api/index.js";
import { type ObjectType, typedForm, builtInTypeOf } from "../../api/schema/index.js";

type Fields = { readonly kind: string } & Readonly<Record<string, unknown>>;

/** Undefined fields count as absent. Kind and version come first, because list encoding expects them there. */
export function convert(apiVersion: string, fields: Fields): KubeObject {
  const { kind, apiVersion: _, ...rest } = fields;
  const type = builtInTypeOf(apiVersion, kind) as ObjectType;
  return typedForm(type, { kind, apiVersion, ...rest }) as unknown as KubeObject;
}
