/** Removes a set of paths from a value, or extracts them. */
import { isRecord, setMember } from "../../../base/members.js";
import { fieldStep, stepsOf } from "./list-items.js";
import { below, hasStep, isEmpty, leaf, type PathSet } from "./path-set.js";
import { type ApplyType, formOf, type ListType, type MapType, memberType } from "./types.js";

/**
 * The value without the fields and items of the set and their contents. Gives the value itself if it has none of them.
 */
export function removeItems(value: unknown, set: PathSet, type: ApplyType): unknown {
  switch (formOf(type, value)) {
    case "map":
      return removeFromMap(value, set, type.map as MapType);
    case "list":
      return removeFromList(value, set, type.list as ListType);
    default:
      return value;
  }
}

function removeFromMap(value: unknown, set: PathSet, type: MapType): unknown {
  if (!isRecord(value) || type.atomic || Object.keys(value).length === 0) return null;
  let result: Record<string, unknown> | undefined;
  for (const name of Object.keys(value)) {
    const step = fieldStep(name);
    if (!Object.hasOwn(set, step)) continue;
    if (hasStep(set, step)) {
      result ??= { ...value };
      delete result[name];
      continue;
    }
    const childType = memberType(type, name);
    if (childType === undefined) continue;
    const kept = removeItems(value[name], below(set, step), childType);
    if (kept !== value[name]) (result ??= { ...value })[name] = kept;
  }
  if (result === undefined) return value;
  return Object.keys(result).length > 0 ? result : null;
}

function removeFromList(value: unknown, set: PathSet, type: ListType): unknown {
  if (!Array.isArray(value) || value.length === 0 || type.atomic) return null;
  let changed = false;
  const items: unknown[] = [];
  for (const [index, step] of stepsOf(type, value).entries()) {
    if (step === undefined || !Object.hasOwn(set, step)) {
      items.push(value[index]);
      continue;
    }
    if (hasStep(set, step)) {
      changed = true;
      continue;
    }
    const kept = removeItems(value[index], below(set, step), type.items);
    if (kept !== value[index]) changed = true;
    items.push(kept);
  }
  if (!changed) return value;
  return items.length > 0 ? items : null;
}

/** Only the fields and items of the set, with their contents. */
function extractItems(value: unknown, set: PathSet, type: ApplyType): unknown {
  switch (formOf(type, value)) {
    case "map":
      return extractFromMap(value, set, type.map as MapType);
    case "list":
      return extractFromList(value, set, type.list as ListType);
    default:
      return value;
  }
}

function extractFromMap(value: unknown, set: PathSet, type: MapType): unknown {
  if (!isRecord(value) || type.atomic || Object.keys(value).length === 0) return value;
  const result: Record<string, unknown> = {};
  for (const name of Object.keys(value)) {
    const step = fieldStep(name);
    const inner = below(set, step);
    const childType = memberType(type, name);
    if (childType === undefined || (!hasStep(set, step) && isEmpty(inner))) continue;
    const kept = extractItems(value[name], inner, childType);
    if (kept !== undefined) setMember(result, name, kept);
    else if (hasStep(set, step)) setMember(result, name, Array.isArray(value[name]) ? [] : {});
  }
  return Object.keys(result).length > 0 ? result : undefined;
}

function extractFromList(value: unknown, set: PathSet, type: ListType): unknown {
  if (!Array.isArray(value) || value.length === 0 || type.atomic) return value;
  const items: unknown[] = [];
  for (const [index, step] of stepsOf(type, value).entries()) {
    if (step === undefined || !Object.hasOwn(set, step)) continue;
    const inner = below(set, step);
    const item: unknown = value[index];
    items.push(isEmpty(inner) ? item : withKeys(extractItems(item, inner, type.items), item, type));
  }
  return items.length > 0 ? items : undefined;
}

/** Adds the keys of an item, whichever manager owns them: without its keys an item could not be told apart. */
function withKeys(extracted: unknown, item: unknown, { keys }: ListType): unknown {
  if (!isRecord(item)) return extracted;
  const found = keys.filter((key) => Object.hasOwn(item, key)).map((key) => [key, item[key]]);
  return { ...Object.fromEntries(found), ...(isRecord(extracted) ? extracted : {}) };
}

/**
 * Adds to a set all declared fields that its paths go through. A declared field exists because of its content and goes
 * with it; the entries of a map or list exist by themselves.
 */
export function withNamedFields(set: PathSet, type: ApplyType | undefined): PathSet {
  const result: Record<string, PathSet> = {};
  for (const step of Object.keys(set)) {
    const node = set[step] as PathSet;
    if (step === "." || isEmpty(node)) {
      result[step] = node;
      continue;
    }
    const name = step.slice(2);
    const isField = step.startsWith("f:");
    const field = isField ? type?.map?.field(name) : undefined;
    const childType = isField
      ? (field?.type ?? type?.map?.others)
      : step.startsWith("k:")
        ? type?.list?.items
        : undefined;
    const inner = withNamedFields(node, childType);
    result[step] = field !== undefined && !Object.hasOwn(inner, ".") ? { ".": leaf, ...inner } : inner;
  }
  return result;
}
