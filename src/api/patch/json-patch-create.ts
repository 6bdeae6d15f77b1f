/** Makes a JSON Patch from two documents: applied to the first it gives the second. */
import { deepEqual } from "../compare/deep-equal.js";
import { hasMember, isJsonArray, isJsonObject, type Json, type JsonObject } from "./json.js";
import type { JsonPatchOperation } from "./json-patch.js";
import { formatJsonPointer } from "./json-pointer.js";

/**
 * Arrays are compared by their common head and tail; the items between are replaced one by one, then added or removed.
 */
export function createJsonPatch(from: unknown, to: unknown): JsonPatchOperation[] {
  const operations: JsonPatchOperation[] = [];
  diff(from as Json, to as Json, [], operations);
  return operations;
}

function diff(from: Json, to: Json, path: readonly string[], into: JsonPatchOperation[]): void {
  if (from === to) return;
  if (isJsonObject(from) && isJsonObject(to)) diffObjects(from, to, path, into);
  else if (isJsonArray(from) && isJsonArray(to)) diffArrays(from, to, path, into);
  else if (!deepEqual(from, to)) into.push({ op: "replace", path: formatJsonPointer(path), value: to });
}

function diffObjects(from: JsonObject, to: JsonObject, path: readonly string[], into: JsonPatchOperation[]): void {
  for (const key of Object.keys(from)) {
    if (!hasMember(to, key)) into.push({ op: "remove", path: formatJsonPointer([...path, key]) });
  }
  for (const key of Object.keys(to)) {
    const value = to[key] as Json;
    if (hasMember(from, key)) diff(from[key] as Json, value, [...path, key], into);
    else into.push({ op: "add", path: formatJsonPointer([...path, key]), value });
  }
}

function diffArrays(
  from: readonly Json[],
  to: readonly Json[],
  path: readonly string[],
  into: JsonPatchOperation[],
): void {
  const shorter = Math.min(from.length, to.length);
  let head = 0;
  while (head < shorter && deepEqual(from[head], to[head])) head++;
  let tail = 0;
  while (tail < shorter - head && deepEqual(from.at(-1 - tail), to.at(-1 - tail))) tail++;
  const at = (index: number): readonly string[] => [...path, String(index)];
  const common = shorter - tail;
  for (let index = head; index < common; index++) diff(from[index] as Json, to[index] as Json, at(index), into);
  // from the end, so that the indices of the items still to be removed stay true
  for (let index = from.length - tail - 1; index >= common; index--) {
    into.push({ op: "remove", path: formatJsonPointer(at(index)) });
  }
  for (let index = common; index < to.length - tail; index++) {
    into.push({ op: "add", path: formatJsonPointer(at(index)), value: to[index] as Json });
  }
}
