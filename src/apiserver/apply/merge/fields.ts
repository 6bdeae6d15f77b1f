/** The set of fields that a value mentions: the fields that an applied configuration owns. */
import { isRecord } from "../../../base/members.js";
import { fieldStep, stepsOf } from "./list-items.js";
import { leaf, type PathSet } from "./path-set.js";
import { type ApplyType, formOf, type ListType, type MapType, memberType } from "./types.js";

/** Every leaf of the value, and every list item. For duplicates, the set holds only the item, not its fields. */
export function fieldsOf(value: unknown, type: ApplyType): PathSet {
  return fieldsWithin(value, type, false) ?? leaf;
}

/** `member`: whether the value's own path is in the set, whatever it contains. */
function fieldsWithin(value: unknown, type: ApplyType, member: boolean): PathSet | undefined {
  switch (formOf(type, value)) {
    case "map":
      return fieldsOfMap(value, type.map as MapType, member);
    case "list":
      return fieldsOfList(value, type.list as ListType, member);
    default:
      return leaf;
  }
}

function fieldsOfMap(value: unknown, type: MapType, member: boolean): PathSet | undefined {
  if (type.atomic) return leaf;
  const set: Record<string, PathSet> = member ? { ".": leaf } : {};
  let found = false;
  if (isRecord(value)) {
    for (const name of Object.keys(value)) {
      const child = value[name];
      const childType = memberType(type, name);
      if (childType === undefined) continue;
      const isData = type.field(name) === undefined;
      const empty = child === null || (isRecord(child) && Object.keys(child).length === 0);
      const node = fieldsWithin(child, childType, isData || empty);
      if (node === undefined) continue;
      set[fieldStep(name)] = node;
      found = true;
    }
  }
  return found ? set : member ? leaf : undefined;
}

function fieldsOfList(value: unknown, type: ListType, member: boolean): PathSet | undefined {
  if (type.atomic) return leaf;
  if (!Array.isArray(value) || value.length === 0) return member ? leaf : undefined;
  const set: Record<string, PathSet> = member ? { ".": leaf } : {};
  const steps = stepsOf(type, value);
  for (const [index, step] of steps.entries()) {
    if (step === undefined) continue;
    const isDuplicate = Object.hasOwn(set, step);
    set[step] = isDuplicate ? leaf : (fieldsWithin(value[index], type.items, true) as PathSet);
  }
  return set;
}
