/** The last step of every conversion: the object under its new version, in the form that its type there has. */
import type { KubeObject } from "../../api/index.js";
import { type ObjectType, typedForm, typeOf } from "../../api/schema/index.js";

type Fields = { readonly kind: string } & Readonly<Record<string, unknown>>;

/** Fields that are undefined are as good as absent. Kind and version come first, as lists expect it of bytes. */
export function convert(apiVersion: string, fields: Fields): KubeObject {
  const { kind, apiVersion: _, ...rest } = fields;
  const type = typeOf(apiVersion, kind) as ObjectType;
  return typedForm(type, { kind, apiVersion, ...rest }) as unknown as KubeObject;
}
