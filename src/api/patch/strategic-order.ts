/**
 * The order of merged lists. Takes items and the orders that patch and document ask for; gives the items in their final
 * order.
 */
import { goText, goTypeName, isJsonObject, type Json, jsonType, member } from "./json.js";
import { PatchError } from "./patch-error.js";

/** The identity of an item: its merge key if the list has one, else the item itself. */
function identity(item: Json | undefined, mergeKey: string): Json | undefined {
  if (mergeKey === "") return item;
  return isJsonObject(item) ? member(item, mergeKey) : undefined;
}

/** The first position of each identity; items without an identity share undefined. */
export function positions(items: readonly Json[], mergeKey: string): Map<Json | undefined, number> {
  const found = new Map<Json | undefined, number>();
  for (const [index, item] of items.entries()) {
    const key = identity(item, mergeKey);
    if (!found.has(key)) found.set(key, index);
  }
  return found;
}

/**
 * Items named by `wanted` come in that order; the others keep their order in `known`. When the two rows are
 * interleaved, one of the other items comes first only if it stands before the wanted item in `known`.
 */
export function arrange(
  items: readonly Json[],
  wanted: readonly Json[],
  known: readonly Json[],
  mergeKey: string,
): readonly Json[] {
  for (const list of mergeKey === "" ? [] : [items, wanted, known]) {
    for (const item of list) requiredKey(item, mergeKey);
  }
  const wantedAt = positions(wanted, mergeKey);
  const knownAt = positions(known, mergeKey);
  const isWanted = (item: Json): boolean => wantedAt.has(identity(item, mergeKey));
  const row = sorted(
    items.filter((item) => isWanted(item)),
    (item) => wantedAt.get(identity(item, mergeKey)),
  );
  const others = sorted(
    items.filter((item) => !isWanted(item)),
    (item) => knownAt.get(identity(item, mergeKey)),
  );
  const result: Json[] = [];
  let next = 0;
  for (const item of row) {
    const at = knownAt.get(identity(item, mergeKey));
    while (next < others.length && at !== undefined) {
      const otherAt = knownAt.get(identity(others[next] as Json, mergeKey));
      if (otherAt === undefined || otherAt >= at) break;
      result.push(others[next++] as Json);
    }
    result.push(item);
  }
  return [...result, ...others.slice(next)];
}

/**
 * Stable by rank, deletions last. An item without a rank goes before its predecessor, by upstream's comparison; this
 * comparison is no strict order, so the insertion sort itself is part of the behaviour.
 */
function sorted(all: Json[], rank: (item: Json) => number | undefined): Json[] {
  const [deletions, items] = [all.filter(isDeletion), all.filter((item) => !isDeletion(item))];
  return deletions.length === 0 ? sortedByRank(items, rank) : [...sortedByRank(items, rank), ...deletions];
}

/** When patches are combined, deletions stand last. */
function isDeletion(item: Json): boolean {
  return isJsonObject(item) && member(item, "$patch") === "delete";
}

function sortedByRank(items: Json[], rank: (item: Json) => number | undefined): Json[] {
  const ranks = items.map(rank);
  if (!ranks.includes(undefined)) {
    const order = items.map((_, index) => index).sort((a, b) => (ranks[a] as number) - (ranks[b] as number));
    return order.map((index) => items[index] as Json);
  }
  const result: { item: Json; rank: number | undefined }[] = [];
  for (const [index, item] of items.entries()) {
    const entry = { item, rank: ranks[index] };
    let at = result.length;
    while (at > 0) {
      const before = result[at - 1]?.rank;
      if (entry.rank !== undefined && before !== undefined && entry.rank >= before) break;
      at--;
    }
    result.splice(at, 0, entry);
  }
  return result.map(({ item }) => item);
}

/**
 * The items of a patch list must appear in its `$setElementOrder` list, in the same relative order. Deletions are
 * exempt; as upstream, other directives are exempt only as long as that list has not ended.
 */
export function requireSubsequence(patch: readonly Json[], order: readonly Json[], mergeKey: string): void {
  if (order.length === 0 || patch.length === 0) return;
  const items = mergeKey === "" ? patch : patch.filter((item) => directiveOf(item) !== "delete");
  if (mergeKey === "" && items.some((item) => typeof item === "object")) throw wrongType("", items[0] as Json);
  let [found, place] = [0, 0];
  while (found < items.length && place < order.length) {
    const item = items[found] as Json;
    if (mergeKey !== "" && directiveOf(item) !== undefined) {
      found++;
      continue;
    }
    if (sameIdentity(item, order[place] as Json, mergeKey)) found++;
    place++;
  }
  if (found < items.length) {
    const lists = `\n${goText(patch)}\n doesn't match $setElementOrder list:\n${goText(order)}\n`;
    throw new PatchError("unmergeable", `The order in patch list:${lists}`);
  }
}

function directiveOf(item: Json): Json | undefined {
  if (!isJsonObject(item)) throw wrongType({}, item);
  return member(item, "$patch");
}

function sameIdentity(a: Json, b: Json, mergeKey: string): boolean {
  if (mergeKey === "") return a === b;
  return requiredKey(a, mergeKey) === requiredKey(b, mergeKey);
}

function requiredKey(item: Json, mergeKey: string): Json {
  if (!isJsonObject(item)) throw wrongType({}, item);
  const key = member(item, mergeKey);
  if (key !== undefined) return key;
  throw new PatchError("unmergeable", `map: ${goText(item)} does not contain declared merge key: ${mergeKey}`);
}

export function wantArray(value: Json | undefined): readonly Json[] {
  if (jsonType(value) === "array") return value as readonly Json[];
  throw wrongType([], value);
}

function wrongType(expected: Json, actual: unknown): PatchError {
  const message = `expected a ${goTypeName(expected)}, but received a ${goTypeName(actual)}`;
  return new PatchError("unmergeable", message);
}
