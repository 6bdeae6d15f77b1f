/**
 * Strategic merge patch: takes a document, a patch and the schema of its kind, gives the merged document as an API
 * server does.
 */
import { deepEqual } from "../compare/deep-equal.js";
import {
  hasMember,
  isJsonObject,
  type Json,
  jsonType,
  type JsonObject,
  type JsonType,
  member,
  ObjectEdit,
  setMember,
  goText,
} from "./json.js";
import { PatchError } from "./patch-error.js";
import { type FieldRules, fieldRules, type PatchSchema } from "./patch-schema.js";
import { arrange, positions, requireSubsequence, wantArray } from "./strategic-order.js";

export const directiveKey = "$patch";
export const retainKeysKey = "$retainKeys";
export const setElementOrderPrefix = "$setElementOrder";
export const deleteFromPrimitiveListPrefix = "$deleteFromPrimitiveList";

/**
 * `apply` merges a patch into a document: directives are obeyed, nulls remove. `combine` merges a patch into another
 * patch: directives and nulls are kept for the later application of the result.
 */
type MergeMode = "apply" | "combine";

/** Neither argument is modified; the result shares parts with both, and is `document` itself if nothing changes. */
export function applyStrategicMergePatch<T>(document: T, patch: unknown, schema: PatchSchema): T {
  if (patch === null) return document;
  if (!isJsonObject(document) || !isJsonObject(patch)) throw new PatchError("malformed", "invalid JSON document");
  return mergeObjects(document, patch, { schema, mode: "apply", repeats: new Repeats() }) as T;
}

/** Merges the second patch into the first, so that the result has the effect of both. */
export function combinePatches(first: JsonObject, second: JsonObject, schema: PatchSchema): JsonObject {
  return mergeObjects(first, second, { schema, mode: "combine", repeats: new Repeats() });
}

function mergeObjects(original: JsonObject, patch: JsonObject, context: Context): JsonObject {
  if (hasMember(patch, directiveKey)) return directedObject(patch);
  const edit = new ObjectEdit(original);
  if (!hasDirectives(patch)) {
    for (const key of Object.keys(patch)) mergeMember(edit, key, patch[key] as Json, context);
    return edit.result;
  }
  const pending = new Map(Object.entries(patch));
  retainKeys(edit, pending, context.mode);
  for (const key of Object.keys(patch)) {
    if (key.startsWith(setElementOrderPrefix) && pending.has(key)) mergeOrdered(edit, pending, key, context);
  }
  for (const [key, value] of pending) {
    if (!key.startsWith(deleteFromPrimitiveListPrefix)) mergeMember(edit, key, value, context);
    else if (context.mode === "combine") edit.set(key, value);
    else deleteScalars(edit, key, value, context);
  }
  return edit.result;
}

/** Most objects of most patches have no directives, and are merged member by member. */
function hasDirectives(patch: JsonObject): boolean {
  for (const key in patch) if (key.startsWith("$")) return true;
  return false;
}

interface Context {
  readonly schema: PatchSchema | undefined;
  readonly mode: MergeMode;
  readonly repeats: Repeats;
}

/** Limit on the values that are merged again because several items of a patch have one key. */
const maxRepeatedValues = 250_000;

/**
 * Counts repeated merges. Items of a patch with the same key are merged one after the other, and each merge costs as
 * much as the item that it is merged into.
 */
class Repeats {
  #values = 0;

  add(target: Json): void {
    this.#values++;
    if (this.#values > maxRepeatedValues) {
      throw new PatchError("too-large", "too many items of the patch have the merge key of another");
    }
    if (typeof target === "object" && target !== null) for (const value of Object.values(target)) this.add(value);
  }
}

function directedObject(patch: JsonObject): JsonObject {
  const directive = member(patch, directiveKey);
  if (directive === "delete") return {};
  if (directive !== "replace") throw unknownDirective(patch);
  const replacement = new ObjectEdit(patch);
  replacement.delete(directiveKey);
  return replacement.result;
}

function unknownDirective(patch: JsonObject): PatchError {
  const directive = goText(member(patch, directiveKey));
  return new PatchError("unmergeable", `unknown patch type: ${directive} in map: ${goText(patch)}`);
}

function mergeMember(edit: ObjectEdit, key: string, value: Json, context: Context): void {
  const { schema, mode } = context;
  if (value === null) {
    edit.delete(key);
    if (mode === "apply") return;
  }
  const before = edit.get(key);
  if (before === undefined || jsonType(before) !== jsonType(value)) {
    const added = addition(value, mode);
    if (added === undefined) edit.delete(key);
    else edit.set(key, added);
  } else if (isJsonObject(before)) {
    const rules = fieldRules(schema, key, "object");
    const patch = value as JsonObject;
    edit.set(
      key,
      rules.strategy === "replace" ? patch : mergeObjects(before, patch, { ...context, schema: rules.type }),
    );
  } else if (Array.isArray(before)) {
    const rules = fieldRules(schema, key, "list");
    edit.set(key, keepIfEqual(before, mergeLists(before, value as readonly Json[], rules, context).items));
  } else {
    edit.set(key, value);
  }
}

/**
 * The value as it is added where there was none: nulls, and parts with a `$patch` directive, have nothing to act on and
 * are dropped.
 */
function addition(value: Json, mode: MergeMode): Json | undefined {
  if (Array.isArray(value)) {
    const items = (value as readonly Json[]).map((item) => addition(item, mode));
    if (items.every((item, index) => item === value[index])) return value;
    return items.filter((item) => item !== undefined);
  }
  if (!isJsonObject(value)) return value;
  if (hasMember(value, directiveKey)) return undefined;
  const edit = new ObjectEdit(value);
  for (const key of Object.keys(value)) {
    const inner = value[key] as Json;
    const added = inner === null && mode === "apply" ? undefined : addition(inner, mode);
    if (added === undefined) edit.delete(key);
    else edit.set(key, added);
  }
  return edit.result;
}

function retainKeys(edit: ObjectEdit, pending: Map<string, Json>, mode: MergeMode): void {
  const retained = pending.get(retainKeysKey);
  if (retained === undefined) return;
  pending.delete(retainKeysKey);
  if (mode === "combine") {
    if (edit.has(retainKeysKey) && !deepEqual(edit.get(retainKeysKey), retained)) {
      throw new PatchError("unmergeable", "the $retainKeys lists of the patches to combine differ");
    }
    edit.set(retainKeysKey, retained);
    return;
  }
  if (!Array.isArray(retained)) throw new PatchError("malformed", "invalid patch format of retainKeys");
  const keys = new Set<Json>(retained);
  for (const [key, value] of pending) {
    const directive = key.startsWith(deleteFromPrimitiveListPrefix) || key.startsWith(setElementOrderPrefix);
    if (value !== null && !directive && !keys.has(key)) {
      throw new PatchError("malformed", "invalid patch format of retainKeys");
    }
  }
  for (const key of Object.keys(edit.result)) if (!keys.has(key)) edit.delete(key);
}

/** `$setElementOrder/ports` and `ports` belong together: merges the list, then brings it into the requested order. */
function mergeOrdered(edit: ObjectEdit, pending: Map<string, Json>, key: string, context: Context): void {
  const { schema, mode } = context;
  const wanted = pending.get(key) as Json;
  pending.delete(key);
  if (mode === "combine") {
    if (edit.has(key) && !deepEqual(edit.get(key), wanted)) {
      throw new PatchError("malformed", "invalid patch format of setElementOrder list");
    }
    edit.set(key, wanted);
  }
  const order = wantArray(wanted);
  const field = listNameOf(key, setElementOrderPrefix, "invalid patch format of setElementOrder list");
  const before = edit.has(field) ? wantArray(edit.get(field)) : undefined;
  const patch = pending.has(field) ? wantArray(pending.get(field)) : undefined;
  const rules = fieldRules(schema, field, "list");
  requireSubsequence(patch ?? [], order, rules.mergeKey);
  if (before === undefined && patch === undefined) return;
  const merged =
    before === undefined
      ? { items: addition(patch as Json, "combine") as readonly Json[], order: [] }
      : patch === undefined
        ? { items: before, order: before }
        : mergeLists(before, patch, rules, context);
  const type = elementType(before ?? [], patch ?? []);
  if (type === "object" && rules.mergeKey === "")
    throw new PatchError("unmergeable", "cannot order a list without merge key");
  const items = arrange(merged.items, order, merged.order, rules.mergeKey);
  edit.set(field, before === undefined ? items : keepIfEqual(before, items));
  pending.delete(field);
}

function deleteScalars(edit: ObjectEdit, key: string, value: Json, context: Context): void {
  const field = listNameOf(key, deleteFromPrimitiveListPrefix, "invalid patch format of primitive list");
  if (value === null) edit.delete(field);
  const before = edit.get(field);
  if (before === undefined || jsonType(before) !== jsonType(value)) return;
  if (!Array.isArray(before)) {
    mergeMember(edit, field, value, context);
    return;
  }
  const rules = fieldRules(context.schema, field, "list");
  const doomed = value as readonly Json[];
  if (before.length === 0 && doomed.length === 0) return;
  if (elementType(before, doomed) === "object") {
    edit.set(field, mergeLists(before, doomed, { ...rules, strategy: "merge" }, context).items);
  } else {
    const gone = new Set(doomed);
    edit.set(
      field,
      keepIfEqual(
        before,
        before.filter((item) => !gone.has(item)),
      ),
    );
  }
}

function listNameOf(key: string, prefix: string, malformed: string): string {
  if (!key.startsWith(`${prefix}/`)) throw new PatchError("malformed", malformed);
  return key.slice(prefix.length + 1);
}

/** The merged items, and their order in the document, by which items outside the requested order are placed. */
interface MergedList {
  readonly items: readonly Json[];
  readonly order: readonly Json[];
}

function mergeLists(before: readonly Json[], patch: readonly Json[], rules: FieldRules, context: Context): MergedList {
  if (rules.strategy !== "merge") return { items: patch, order: before };
  if (before.length === 0 && patch.length === 0) return { items: before, order: before };
  if (elementType(before, patch) !== "object") {
    return { items: arrange([...new Set([...before, ...patch])], patch, before, ""), order: before };
  }
  if (rules.mergeKey === "") throw new PatchError("unmergeable", "cannot merge lists without merge key for struct");
  return mergeObjectLists(before as readonly JsonObject[], patch as readonly JsonObject[], rules, context);
}

function mergeObjectLists(
  before: readonly JsonObject[],
  patch: readonly JsonObject[],
  { mergeKey, type }: FieldRules,
  context: Context,
): MergedList {
  const plain = patch.filter((item) => !hasMember(item, directiveKey));
  const directed = patch.filter((item) => hasMember(item, directiveKey));
  const doomed = new Set(directed.flatMap((item) => doomedKey(item, mergeKey)));
  if (directed.some((item) => member(item, directiveKey) === "replace")) {
    for (const item of plain) keyOf(item, mergeKey);
    return { items: plain, order: plain };
  }
  const kept = doomed.size === 0 ? before : before.filter((item) => !doomed.has(member(item, mergeKey) as Json));
  const items: JsonObject[] = [...kept];
  const added: JsonObject[] = [];
  const places = positions(kept, mergeKey);
  const merged = new Set<Json>();
  for (const item of plain) {
    const key = keyOf(item, mergeKey);
    const index = places.get(key);
    if (index === undefined) {
      places.set(key, items.length);
      items.push(item);
      added.push(item);
    } else {
      const before = items[index] as JsonObject;
      if (merged.has(key)) context.repeats.add(before);
      items[index] = mergeObjects(before, item, { ...context, schema: type });
    }
    merged.add(key);
  }
  for (const item of items) keyOf(item, mergeKey);
  // upstream reuses the room of deleted items for added ones, which then count as known to the document
  const order = [...kept, ...added.slice(0, before.length - kept.length)];
  return { items: arrange(items, plain, kept, mergeKey), order };
}

function doomedKey(item: JsonObject, mergeKey: string): Json[] {
  switch (member(item, directiveKey)) {
    case "delete":
      return [keyOf(item, mergeKey)];
    case "replace":
      return [];
    case "merge":
      throw new PatchError("unmergeable", "merging lists cannot yet be specified in the patch");
    default:
      throw unknownDirective(item);
  }
}

export function keyOf(item: JsonObject, mergeKey: string): Json {
  const key = member(item, mergeKey);
  if (key !== undefined) return key;
  throw new PatchError("unmergeable", `map: ${goText(item)} does not contain declared merge key: ${mergeKey}`);
}

/** The one type of all items of all lists. Throws PatchError for lists that mix types. */
export function elementType(...lists: readonly (readonly Json[])[]): "object" | "scalar" {
  const types = new Set<JsonType>();
  for (const list of lists) for (const item of list) types.add(jsonType(item));
  const [type] = types;
  if (type === "array") throw new PatchError("inapplicable", "lists of lists are not supported");
  if (types.size > 1) throw new PatchError("unmergeable", `list element types are not identical: ${goText(lists)}`);
  if (type === "null") throw new PatchError("unmergeable", "a list that is merged cannot hold null");
  if (type === undefined) throw new PatchError("unmergeable", "no elements in any of the given slices");
  return type === "object" ? "object" : "scalar";
}

function keepIfEqual(before: readonly Json[], after: readonly Json[]): readonly Json[] {
  return before.length === after.length && before.every((item, index) => item === after[index]) ? before : after;
}

/** An object of the given members; for patches under construction. */
export function objectOf(members: readonly (readonly [string, Json])[]): JsonObject {
  const object: Record<string, Json> = {};
  for (const [key, value] of members) setMember(object, key, value);
  return object;
}
