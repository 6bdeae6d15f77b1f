/** Projections of cached objects: takes the fields that a program reads, gives a transform that drops all others. */
import { apiVersionOf, type KubeObject, type ResourceType } from "../../api/index.js";
import { isRecord, own, setMember } from "../../base/members.js";
import type { Transform } from "../../informer/index.js";

/** The wanted members of an object, by name; an empty map wants the whole value. */
interface Wanted extends ReadonlyMap<string, Wanted> {}

const kept: readonly string[] = ["apiVersion", "kind", "metadata"];

/** Throws if a path cannot be meant. */
export function checkFields(of: string, fields: readonly unknown[]): void {
  for (const field of fields) {
    const isPath = typeof field === "string" && field.split(".").every((part) => /^[A-Za-z_][\w-]*$/.test(part));
    if (!isPath)
      throw new TypeError(`${of}: fields: ${JSON.stringify(field)} is no path of members, as in spec.nodeName`);
    if (kept.includes(field.split(".")[0] ?? ""))
      throw new TypeError(`${of}: fields: ${field} is always cached; name what else is read`);
  }
}

/** Keeps apiVersion, kind, metadata without managed fields, and the given fields; a path goes through lists to each of their items. */
export function projection(type: ResourceType, fields: readonly string[]): Transform<KubeObject> {
  const wanted = wantedOf(fields);
  // an object of a metadata-only list says that it is a PartialObjectMetadata
  const [apiVersion, kind] = [apiVersionOf(type), type.kind];
  return (object) => {
    const { managedFields: _, ...metadata } = object.metadata;
    return { apiVersion, kind, metadata, ...(partOf(object, wanted) as object) };
  };
}

function wantedOf(fields: readonly string[]): Wanted {
  const heads = new Set(fields.map((field) => field.split(".")[0] ?? ""));
  return new Map(
    Array.from(heads, (head) => {
      // the whole member is wanted if it is named itself
      const below = fields.includes(head) ? [] : fields.filter((field) => field.startsWith(`${head}.`));
      return [head, wantedOf(below.map((field) => field.slice(head.length + 1)))];
    }),
  );
}

function partOf(value: unknown, wanted: Wanted): unknown {
  if (Array.isArray(value)) return value.map((item) => (wanted.size === 0 ? item : partOf(item, wanted)));
  if (!isRecord(value)) return value;
  const part: Record<string, unknown> = {};
  for (const [name, below] of wanted) {
    const member = own(value, name);
    if (member !== undefined) setMember(part, name, below.size === 0 ? member : partOf(member, below));
  }
  return part;
}
