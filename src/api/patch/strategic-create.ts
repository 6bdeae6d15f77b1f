/** Makes strategic merge patches: from two documents, or from three as `kubectl apply` does for built-in kinds. */
import { deepEqual } from "../compare/deep-equal.js";
import { goText, hasMember, isJsonObject, type Json, type JsonObject, member, setMember } from "./json.js";
import type { ThreeWayDocuments } from "./merge-patch.js";
import { PatchError } from "./patch-error.js";
import { type FieldRules, fieldRules, type PatchSchema } from "./patch-schema.js";
import {
  deleteFromPrimitiveListPrefix,
  directiveKey,
  combinePatches,
  elementType,
  keyOf,
  objectOf,
  retainKeysKey,
  setElementOrderPrefix,
} from "./strategic-merge.js";
import { arrange } from "./strategic-order.js";

/**
 * The parts of the difference that the patch shall hold. Three-way patches take changes from one pair of documents and
 * deletions from another.
 */
interface Wanted {
  readonly changes: boolean;
  readonly deletions: boolean;
}

/** A patch that, applied to `from`, gives `to`; undefined if they are equal. */
export function createStrategicMergePatch(from: unknown, to: unknown, schema: PatchSchema): unknown {
  return orUndefined(diffObjects(document(from), document(to), { schema, wanted: { changes: true, deletions: true } }));
}

/**
 * A patch for `current` that sets the fields of `modified` and deletes the fields that `original` has and `modified`
 * lacks. Fields that others added to `current` stay. Undefined if there is nothing to do.
 */
export function createThreeWayStrategicMergePatch(
  { original = {}, modified, current }: ThreeWayDocuments,
  schema: PatchSchema,
): unknown {
  const wanted = document(modified);
  const changes = diffObjects(document(current), wanted, { schema, wanted: { changes: true, deletions: false } });
  const deletions = diffObjects(document(original), wanted, { schema, wanted: { changes: false, deletions: true } });
  return orUndefined(combinePatches(deletions, changes, schema));
}

function document(value: unknown): JsonObject {
  if (isJsonObject(value)) return value;
  throw new PatchError("malformed", "invalid JSON document");
}

function orUndefined(patch: JsonObject): JsonObject | undefined {
  return Object.keys(patch).length === 0 ? undefined : patch;
}

interface Place {
  readonly schema: PatchSchema | undefined;
  readonly wanted: Wanted;
  /** Whether the patch must name all members that shall stay. */
  readonly retainKeys?: boolean;
}

function diffObjects(from: JsonObject, to: JsonObject, { schema, wanted, retainKeys = false }: Place): JsonObject {
  const patch: Record<string, Json> = {};
  for (const key of Object.keys(to)) {
    const [before, after] = [member(from, key), to[key] as Json];
    if (isJsonObject(before) && isJsonObject(after)) {
      diffMemberObjects(patch, key, [before, after], { schema, wanted });
    } else if (Array.isArray(before) && Array.isArray(after)) {
      diffMemberLists(patch, key, [before, after], { schema, wanted });
    } else if (wanted.changes && (before === undefined || before !== after)) {
      setMember(patch, key, after);
    }
  }
  const gone = Object.keys(from).filter((key) => !hasMember(to, key));
  if (wanted.deletions) for (const key of gone) setMember(patch, key, null);
  const retained = retainKeys ? Object.keys(to).filter((key) => to[key] !== null) : [];
  const loses = gone.some((key) => from[key] !== null);
  if (retained.length > 0 && (Object.keys(patch).length > 0 || loses)) patch[retainKeysKey] = retained.toSorted();
  return patch;
}

function diffMemberObjects(
  patch: Record<string, Json>,
  key: string,
  [before, after]: readonly [JsonObject, JsonObject],
  { schema, wanted }: Place,
): void {
  const rules = rulesUnlessEqual(schema, key, before, after);
  if (rules === undefined) return;
  if (rules.strategy === "replace") {
    if (wanted.changes) setMember(patch, key, after);
    return;
  }
  const inner = diffObjects(before, after, { schema: rules.type, wanted, retainKeys: rules.retainKeys });
  if (Object.keys(inner).length > 0) setMember(patch, key, inner);
}

function diffMemberLists(
  patch: Record<string, Json>,
  key: string,
  [before, after]: readonly [readonly Json[], readonly Json[]],
  { schema, wanted }: Place,
): void {
  const rules = rulesUnlessEqual(schema, key, before, after);
  if (rules === undefined) return;
  if (rules.strategy !== "merge") {
    if (wanted.changes && !deepEqual(before, after)) setMember(patch, key, after);
    return;
  }
  const { items, deletions, order } = diffLists(before, after, rules, wanted);
  if (items.length > 0) setMember(patch, key, items);
  if (deletions.length > 0) patch[`${deleteFromPrimitiveListPrefix}/${key}`] = deletions;
  if (order.length > 0) patch[`${setElementOrderPrefix}/${key}`] = order;
}

/** A field that the schema does not know is an error only if it changes. */
function rulesUnlessEqual(
  schema: PatchSchema | undefined,
  key: string,
  before: Json,
  after: Json,
): FieldRules | undefined {
  try {
    return fieldRules(schema, key, Array.isArray(before) ? "list" : "object");
  } catch (error) {
    if (deepEqual(before, after)) return undefined;
    throw error;
  }
}

interface ListPatch {
  readonly items: readonly Json[];
  readonly deletions: readonly Json[];
  readonly order: readonly Json[];
}

const nothing: ListPatch = { items: [], deletions: [], order: [] };

function diffLists(from: readonly Json[], to: readonly Json[], rules: FieldRules, wanted: Wanted): ListPatch {
  if (from.length === 0) return wanted.changes ? { ...nothing, items: to } : nothing;
  return elementType(from, to) === "object"
    ? diffObjectLists(from as readonly JsonObject[], to as readonly JsonObject[], rules, wanted)
    : diffScalarLists(from, to, wanted);
}

function diffObjectLists(
  from: readonly JsonObject[],
  to: readonly JsonObject[],
  { mergeKey, type, retainKeys }: FieldRules,
  wanted: Wanted,
): ListPatch {
  const changed: JsonObject[] = [];
  const deleted: JsonObject[] = [];
  const byKey = (item: JsonObject): string => goText(keyOf(item, mergeKey));
  for (const [before, after] of pairs(from, to, byKey)) {
    if (before !== undefined && after !== undefined) {
      const inner = diffObjects(before, after, { schema: type, wanted, retainKeys });
      if (Object.keys(inner).length > 0) changed.push({ ...inner, [mergeKey]: keyOf(after, mergeKey) });
    } else if (after !== undefined) {
      if (wanted.changes) changed.push(after);
    } else if (before !== undefined && wanted.deletions) {
      deleted.push(
        objectOf([
          [mergeKey, keyOf(before, mergeKey)],
          [directiveKey, "delete"],
        ]),
      );
    }
  }
  const items = [...arrange(changed, to, [], mergeKey), ...deleted];
  const sameOrder = from.length === to.length && from.every((item, index) => sameKey(item, to[index], mergeKey));
  const needsOrder = items.length > 0 || (wanted.changes && !sameOrder);
  const order = needsOrder ? to.map((item) => objectOf([[mergeKey, keyOf(item, mergeKey)]])) : [];
  return { items, deletions: [], order };
}

function sameKey(a: JsonObject, b: JsonObject | undefined, mergeKey: string): boolean {
  return b !== undefined && keyOf(a, mergeKey) === keyOf(b, mergeKey);
}

function diffScalarLists(from: readonly Json[], to: readonly Json[], wanted: Wanted): ListPatch {
  const added: Json[] = [];
  const deleted: Json[] = [];
  for (const [before, after] of pairs(from, to, goText)) {
    if (before === undefined && after !== undefined && wanted.changes) added.push(after);
    if (after === undefined && before !== undefined && wanted.deletions) deleted.push(before);
  }
  const needsOrder = deleted.length > 0 || (wanted.changes && !deepEqual(from, to));
  return {
    items: arrange(added, to, [], ""),
    deletions: withoutDuplicates(deleted),
    order: needsOrder ? to : [],
  };
}

/** The last item takes the place of a duplicate: upstream's way, visible in the order of the result. */
function withoutDuplicates(items: Json[]): Json[] {
  for (let i = 0; i < items.length; i++) {
    for (let j = i + 1; j < items.length; j++) {
      if (items[i] !== items[j]) continue;
      const last = items.pop() as Json;
      if (j < items.length) items[j] = last;
      j--;
    }
  }
  return items;
}

/** Walks both lists in the order of their keys: items with equal keys come as a pair, the others alone. */
function* pairs<T extends Json>(
  from: readonly T[],
  to: readonly T[],
  keyFor: (item: T) => string,
): Generator<readonly [T | undefined, T | undefined]> {
  const left = sortedByKey(from, keyFor);
  const right = sortedByKey(to, keyFor);
  let [i, j] = [0, 0];
  while (i < left.length || j < right.length) {
    const [a, b] = [left[i], right[j]];
    if (a !== undefined && (b === undefined || a.key <= b.key)) i++;
    if (b !== undefined && (a === undefined || b.key <= a.key)) j++;
    if (a === undefined || b === undefined || a.key === b.key) yield [a?.item, b?.item];
    else yield a.key < b.key ? [a.item, undefined] : [undefined, b.item];
  }
}

function sortedByKey<T>(items: readonly T[], keyFor: (item: T) => string): readonly { key: string; item: T }[] {
  const keyed = items.map((item) => ({ key: keyFor(item), item }));
  return keyed.sort((a, b) => (a.key < b.key ? -1 : a.key > b.key ? 1 : 0));
}
