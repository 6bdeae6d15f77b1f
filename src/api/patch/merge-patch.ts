/**
 * JSON merge patch (RFC 7386): applies a patch, and makes one from two or three documents as `kubectl apply` does for
 * custom kinds.
 */
import { deepEqual } from "../compare/deep-equal.js";
import {
  hasMember,
  isJsonArray,
  isJsonObject,
  type Json,
  jsonType,
  type JsonObject,
  ObjectEdit,
  setMember,
} from "./json.js";
import { PatchError } from "./patch-error.js";

export interface MergePatchOptions {
  /**
   * `kubernetes`: null also removes members of objects inside lists, as API servers do it; by default lists are taken
   * as they are.
   */
  readonly rules?: "rfc7386" | "kubernetes";
}

/** Null removes a member, an object is merged, anything else replaces. Parts that the patch leaves alone are shared with the original. */
export function applyMergePatch<T>(document: T, patch: unknown, { rules = "rfc7386" }: MergePatchOptions = {}): T {
  const replacing = rules === "kubernetes" ? withoutNullMembers : (value: Json): Json => value;
  return merge(document as Json, patch as Json, replacing) as T;
}

function merge(document: Json | undefined, patch: Json, replacing: (value: Json) => Json): Json {
  if (!isJsonObject(patch)) return replacing(patch);
  const edit = new ObjectEdit(isJsonObject(document) ? document : {});
  for (const key of Object.keys(patch)) {
    const value = patch[key] as Json;
    if (value === null) edit.delete(key);
    else edit.set(key, merge(edit.get(key), value, replacing));
  }
  return edit.result;
}

/** Nulls that are items of a list stay. */
function withoutNullMembers(value: Json): Json {
  if (isJsonArray(value)) return value.map(withoutNullMembers);
  return isJsonObject(value) ? merge({}, value, withoutNullMembers) : value;
}

/** The patch that turns `from` into `to`, or undefined if they are equal. A null inside `to` cannot be expressed. */
export function createMergePatch(from: unknown, to: unknown): unknown {
  if (!isJsonObject(from) || !isJsonObject(to)) return deepEqual(from, to) ? undefined : to;
  const patch = difference(from, to);
  return Object.keys(patch).length === 0 ? undefined : patch;
}

function difference(from: JsonObject, to: JsonObject): JsonObject {
  const patch: Record<string, Json> = {};
  for (const key of Object.keys(to)) {
    const before = hasMember(from, key) ? (from[key] as Json) : undefined;
    const after = to[key] as Json;
    if (isJsonObject(before) && isJsonObject(after)) {
      const inner = difference(before, after);
      if (Object.keys(inner).length > 0) setMember(patch, key, inner);
    } else if (before === undefined || !deepEqual(before, after)) {
      setMember(patch, key, after);
    }
  }
  for (const key of Object.keys(from)) if (!hasMember(to, key)) setMember(patch, key, null);
  return patch;
}

export interface ThreeWayDocuments {
  /** The last applied configuration; absent if there was none. */
  readonly original?: unknown;
  /** The configuration that is wanted now. */
  readonly modified: unknown;
  /** The object on the server. */
  readonly current: unknown;
}

/**
 * A merge patch for `current` that sets the fields of `modified` and removes the fields that `original` has and
 * `modified` lacks. Fields that others added to `current` stay. Undefined if there is nothing to do.
 */
export function createThreeWayMergePatch({ original = {}, modified, current }: ThreeWayDocuments): unknown {
  for (const document of [original, modified, current]) {
    if (!isJsonObject(document)) throw new PatchError("malformed", "invalid JSON document");
  }
  const changes = keepChanges(difference(current as JsonObject, modified as JsonObject));
  const deletions = keepDeletions(difference(original as JsonObject, modified as JsonObject));
  const patch = overlay(deletions, changes);
  return Object.keys(patch).length === 0 ? undefined : patch;
}

function keepChanges(patch: JsonObject): JsonObject {
  return keep(patch, (value) => (value === null ? undefined : value));
}

function keepDeletions(patch: JsonObject): JsonObject {
  return keep(patch, (value) => (value === null ? null : undefined));
}

/** An empty object in the patch is a value and stays; an object that became empty here is dropped. */
function keep(patch: JsonObject, leaf: (value: Json) => Json | undefined): JsonObject {
  const kept: Record<string, Json> = {};
  for (const key of Object.keys(patch)) {
    const value = patch[key] as Json;
    const inner = isJsonObject(value) && Object.keys(value).length > 0 ? keep(value, leaf) : leaf(value);
    if (inner === undefined || (isJsonObject(inner) && inner !== value && Object.keys(inner).length === 0)) continue;
    setMember(kept, key, inner);
  }
  return kept;
}

/** Unlike a merge, keeps the nulls of both patches. */
function overlay(first: JsonObject, second: JsonObject): JsonObject {
  const both = new ObjectEdit(first);
  for (const key of Object.keys(second)) {
    const [before, after] = [both.get(key), second[key] as Json];
    const bothObjects = jsonType(before) === "object" && jsonType(after) === "object";
    both.set(key, bothObjects ? overlay(before as JsonObject, after as JsonObject) : after);
  }
  return both.result;
}
