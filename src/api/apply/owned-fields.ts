/** Reads `metadata.managedFields` and gives the part of the object that one manager owns. */
import { defined } from "../../base/defined.js";
import { isRecord } from "../../base/members.js";
import type { KubeObject, ManagedFieldsEntry } from "../object.js";
import { type Json as PatchJson, setMember } from "../patch/json.js";

export interface OwnedBy {
  /** Default `Apply`: the fields that an update changed are rarely a whole configuration. */
  readonly operation?: "Apply" | "Update";
  /** Default: the main endpoint. */
  readonly subresource?: string;
}

type Json = Readonly<Record<string, unknown>>;

/**
 * The fields that the manager owns, with their present values: the configuration that it must apply again to keep
 * owning exactly these fields. Has apiVersion, kind, name and namespace, and the keys of list items. Undefined if the
 * manager owns nothing. Shares its parts with the object.
 */
export function extractOwned<T extends KubeObject>(
  object: T,
  manager: string,
  { operation = "Apply", subresource = "" }: OwnedBy = {},
): (Partial<T> & Pick<T, "apiVersion" | "kind" | "metadata">) | undefined {
  const entries = (object.metadata.managedFields ?? []).filter(
    (entry) => entry.manager === manager && entry.operation === operation && (entry.subresource ?? "") === subresource,
  );
  if (entries.length === 0) return undefined;
  const fields = entries.map(({ fieldsV1 }) => fieldsV1 ?? {}).reduce(overlay);
  const { metadata, ...owned } = extract(object, fields) as Json;
  const { name, namespace } = object.metadata;
  return {
    apiVersion: object.apiVersion,
    kind: object.kind,
    metadata: { ...(metadata as object), name, ...defined({ namespace }) },
    ...owned,
  } as Partial<T> & Pick<T, "apiVersion" | "kind" | "metadata">;
}

/** The managers of an object, each with its operation and time. */
export function fieldManagers(object: KubeObject): readonly Omit<ManagedFieldsEntry, "fieldsV1" | "fieldsType">[] {
  return (object.metadata.managedFields ?? []).map(({ fieldsV1: _fields, fieldsType: _type, ...entry }) => entry);
}

function overlay(a: Json, b: Json): Json {
  const result: Record<string, unknown> = { ...a };
  for (const [step, node] of Object.entries(b)) {
    result[step] = Object.hasOwn(a, step) ? overlay(a[step] as Json, node as Json) : node;
  }
  return result;
}

/** A path that ends here owns the whole value; otherwise only the parts at the longer paths are owned. */
function extract(value: unknown, fields: Json): unknown {
  const steps = Object.keys(fields).filter((step) => step !== ".");
  if (steps.length === 0) return value;
  if (Array.isArray(value)) return extractItems(value, fields);
  if (!isRecord(value)) return value;
  const result: Record<string, PatchJson> = {};
  for (const step of steps) {
    const name = step.slice(2);
    if (step.startsWith("f:") && Object.hasOwn(value, name)) {
      setMember(result, name, extract(value[name], fields[step] as Json) as PatchJson);
    }
  }
  return result;
}

/** Items come in the order of the object, and keep their keys even if another manager owns the keys. */
function extractItems(items: readonly unknown[], fields: Json): readonly unknown[] {
  const found: unknown[] = [];
  const wanted = Object.keys(fields)
    .filter((step) => step !== ".")
    .map((step) => ({ step, what: step[0], operand: parsed(step.slice(2)) }));
  for (const [index, item] of items.entries()) {
    for (const { step, what, operand } of wanted) {
      if (what === "k" && isRecord(item) && isRecord(operand) && hasKeys(item, operand)) {
        const keys = Object.keys(operand).filter((key) => Object.hasOwn(item, key));
        const kept = extract(item, fields[step] as Json);
        found.push({ ...Object.fromEntries(keys.map((key) => [key, item[key]])), ...(kept as object) });
      } else if ((what === "v" && item === operand) || (what === "i" && index === operand)) {
        found.push(item);
      } else continue;
      break;
    }
  }
  return found;
}

/** A key field that the item lacks matches: the server filled it in from its default. */
function hasKeys(item: Json, keys: Json): boolean {
  return Object.keys(keys).every((key) => !Object.hasOwn(item, key) || item[key] === keys[key]);
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}
