/** Tells the items of a list apart: gives each item its step in a path. */
import { byEntryName, isRecord } from "../../../base/members.js";
import { fieldStep, keyStep, singleKeyStep, valueStep } from "./path-element.js";
import { type ListType } from "./types.js";
import { goQuotes } from "../../../api/go-quote.js";

export { fieldStep };

/** The reason why an item has no step. */
export class ItemError extends Error {}

/** The step of an item. Throws ItemError. */
export function itemStep(list: ListType, item: unknown): string {
  return list.keys.length > 0 ? keyedStep(list, item) : setStep(item);
}

function keyedStep(list: ListType, item: unknown): string {
  if (item === null || item === undefined) {
    throw new ItemError("associative list with keys may not have a null element");
  }
  if (!isRecord(item)) throw new ItemError("associative list with keys may not have non-map elements");
  if (list.keys.length === 1) {
    const name = list.keys[0] as string;
    if (Object.hasOwn(item, name)) return singleKeyStep(name, item[name]);
  }
  const keys: [string, unknown][] = [];
  for (const name of list.keys) {
    const value = Object.hasOwn(item, name) ? item[name] : list.items.map?.field(name)?.default;
    // an item that lacks the key, where it has no default, differs from every item that has it
    if (value !== undefined) keys.push([name, value]);
  }
  if (keys.length === 0) {
    const why = `omits all key fields ${goQuotes(list.keys)} (and doesn't have default values for any key fields)`;
    throw new ItemError(`associative list with keys has an element that ${why}`);
  }
  return keyStep(keys.sort(byEntryName));
}

function setStep(item: unknown): string {
  if (isRecord(item)) throw new ItemError("associative list without keys has an element that's a map type");
  if (Array.isArray(item)) throw new ItemError("not supported: associative list with lists as elements");
  if (item === null || item === undefined) {
    throw new ItemError("associative list without keys has an element that's an explicit null");
  }
  return valueStep(item);
}

/** The steps of all items, in order; an item that has none gets undefined. */
export function stepsOf(list: ListType, items: readonly unknown[]): (string | undefined)[] {
  return items.map((item) => stepOf(list, item));
}

/** The step of an item; undefined if it has none. */
export function stepOf(list: ListType, item: unknown): string | undefined {
  try {
    return itemStep(list, item);
  } catch (error) {
    if (error instanceof ItemError) return undefined;
    throw error;
  }
}
