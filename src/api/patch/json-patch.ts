/**
 * JSON Patch (RFC 6902): takes a document and operations, gives the changed document, which shares all unchanged parts.
 */
import { exactJson } from "../values/exact-json.js";
import { deepEqual } from "../compare/deep-equal.js";
import { hasMember, isJsonObject, type Json, type JsonObject, setMember } from "./json.js";
import { parseJsonPointer, unescapeToken } from "./json-pointer.js";
import { PatchError } from "./patch-error.js";

export type JsonPatchOperation =
  | { readonly op: "add" | "replace" | "test"; readonly path: string; readonly value: unknown }
  | { readonly op: "remove"; readonly path: string }
  | { readonly op: "move" | "copy"; readonly path: string; readonly from: string };

export interface JsonPatchOptions {
  /**
   * `rfc6902` is the RFC, strictly. `kubernetes` is the behaviour of kube-apiserver's JSON Patch library: indices may
   * be negative, `replace` adds a missing member, `copy` of a missing member adds null, `test` for null holds of a
   * missing member, the whole document can only be replaced or tested, and the limits below hold.
   */
  readonly rules?: "rfc6902" | "kubernetes";
}

/** kube-apiserver refuses a patch with more operations than this. */
export const maxJsonPatchOperations = 10_000;
/** kube-apiserver refuses a patch whose `copy` operations together add more bytes of JSON than this. */
const maxJsonPatchCopyBytes = 3 * 1024 * 1024;

/**
 * Limits the items that insertions and removals move. Ten thousand insertions at the front of a list of 5,000 items
 * pass; at the front of a much longer list they would stall the server.
 */
const maxJsonPatchShifts = 50_000_000;

/**
 * Applies all operations in order, or throws PatchError and applies none. Neither argument is modified; the result
 * shares parts with both.
 */
export function applyJsonPatch<T>(
  document: T,
  operations: readonly JsonPatchOperation[],
  { rules = "rfc6902" }: JsonPatchOptions = {},
): T {
  if (!Array.isArray(operations)) throw new PatchError("malformed", "a JSON patch must be an array of operations");
  if (rules === "kubernetes" && operations.length > maxJsonPatchOperations) {
    const limit = `The allowed maximum operations in a JSON patch is ${maxJsonPatchOperations}`;
    throw new PatchError("too-large", `${limit}, got ${operations.length}`);
  }
  const patching = new Patching(document as Json, rules);
  for (const operation of operations) patching.run(operation);
  return patching.document as T;
}

type Container = Json[] | Record<string, Json>;
type Place = { readonly parent: Container; readonly key: string };

/**
 * Invariants:
 * 1. `#owned` holds exactly the containers that were made here and are reachable by one path only: these may be
 *    changed.
 * 2. Every container on the path from the root to an owned container is owned.
 */
class Patching {
  document: Json;
  readonly #kubernetes: boolean;
  readonly #owned = new Set<object>();
  #copiedBytes = 0;
  #shifted = 0;

  constructor(document: Json, rules: "rfc6902" | "kubernetes") {
    this.document = document;
    this.#kubernetes = rules === "kubernetes";
  }

  run(operation: JsonPatchOperation): void {
    if (!isJsonObject(operation)) {
      const failure = this.#kubernetes ? "inapplicable" : "malformed";
      throw new PatchError(failure, "an operation of a JSON patch must be an object");
    }
    const fields = operation as JsonObject;
    const op = hasMember(fields, "op") && typeof fields.op === "string" ? fields.op : "unknown";
    switch (op) {
      case "add":
        return this.#add(op, pathOf(fields, op, "path"), valueOf(fields, op, this.#kubernetes));
      case "remove":
        this.#remove(op, pathOf(fields, op, "path"));
        return;
      case "replace":
        return this.#replace(pathOf(fields, op, "path"), valueOf(fields, op, this.#kubernetes));
      case "test":
        return this.#test(pathOf(fields, op, "path"), valueOf(fields, op, this.#kubernetes));
      case "move":
        return this.#move(pathOf(fields, op, "from"), pathOf(fields, op, "path"));
      case "copy":
        return this.#copy(pathOf(fields, op, "from"), pathOf(fields, op, "path"));
      default:
        throw new PatchError("inapplicable", `Unexpected kind: ${op}`);
    }
  }

  #add(op: string, path: string, value: Json): void {
    if (path === "" && !this.#kubernetes) {
      this.#setDocument(value);
      return;
    }
    const { parent, key } = this.#find(op, path, `doc is missing path: "${path}"`, "write");
    if (!Array.isArray(parent)) setMember(parent, key, value);
    else {
      const index = key === "-" ? parent.length : this.#index(parent, key, { op, path, last: 1 });
      this.#shift(parent.length - index);
      parent.splice(index, 0, value);
    }
  }

  #remove(op: string, path: string): Json {
    if (path === "" && !this.#kubernetes) {
      const whole = this.document;
      this.#setDocument(null);
      return whole;
    }
    const { parent, key } = this.#find(op, path, `doc is missing path: "${path}"`, "write");
    if (Array.isArray(parent)) {
      const index = this.#index(parent, key, { op, path });
      this.#shift(parent.length - index);
      return parent.splice(index, 1)[0] as Json;
    }
    if (!hasMember(parent, key)) throw failed(op, path, `Unable to remove nonexistent key: ${key}: missing value`);
    const removed = parent[key] as Json;
    delete parent[key];
    return removed;
  }

  #replace(path: string, value: Json): void {
    if (path === "") {
      if (this.#kubernetes && (typeof value !== "object" || value === null)) {
        throw new PatchError("inapplicable", "replace operation value must be object or array");
      }
      this.#setDocument(value);
      return;
    }
    const { parent, key } = this.#find("replace", path, `doc is missing path: ${path}`, "write");
    const missing = `replace operation does not apply: doc is missing key: ${path}: missing value`;
    if (Array.isArray(parent)) {
      parent[this.#index(parent, key, { op: "replace", path, missing })] = value;
    } else if (this.#kubernetes || hasMember(parent, key)) {
      setMember(parent, key, value);
    } else {
      throw new PatchError("inapplicable", missing);
    }
  }

  #test(path: string, value: Json): void {
    if (!deepEqual(this.#read("test", path, `is missing path: ${path}`), value)) {
      throw new PatchError("inapplicable", `testing value ${path} failed: test failed`);
    }
  }

  #move(from: string, path: string): void {
    // RFC 6902, section 4.4: a value cannot be moved into itself. Upstream does not check this, and fails later at
    // the missing place
    if (!this.#kubernetes && path.startsWith(`${from}/`)) {
      throw new PatchError("inapplicable", `move operation does not apply: ${path} lies inside ${from}`);
    }
    this.#add("move", path, this.#remove("move", from));
  }

  #copy(from: string, path: string): void {
    const value = this.#read("copy", from, `doc is missing from path: ${from}`);
    if (this.#kubernetes) {
      this.#copiedBytes += Buffer.byteLength(exactJson(value));
      if (this.#copiedBytes > maxJsonPatchCopyBytes) {
        const growth = `the accumulated size increase of copy is ${this.#copiedBytes}`;
        const limit = `exceeding the limit ${maxJsonPatchCopyBytes}`;
        throw new PatchError("inapplicable", `Unable to complete the copy, ${growth}, ${limit}`);
      }
    }
    this.#share(value);
    this.#add("copy", path, value);
  }

  /** Counts the items behind a place whose index changes. */
  #shift(items: number): void {
    this.#shifted += items;
    if (this.#kubernetes && this.#shifted > maxJsonPatchShifts) {
      throw new PatchError("too-large", `the operations shift more than ${maxJsonPatchShifts} items of lists`);
    }
  }

  #read(op: string, path: string, missing: string): Json {
    if (path === "" && !(this.#kubernetes && op === "copy")) return this.document;
    const { parent, key } = this.#find(op, path, missing, "read");
    if (Array.isArray(parent)) return parent[this.#index(parent, key, { op, path })] as Json;
    if (hasMember(parent, key)) return parent[key] as Json;
    if (this.#kubernetes) return null;
    throw new PatchError("inapplicable", `${op} operation does not apply: ${missing}: missing value`);
  }

  /** The container of the path's last token. For `write`, this container and all above it are owned afterwards. */
  #find(op: string, path: string, missing: string, access: "read" | "write"): Place {
    const refuse = (): never => {
      throw new PatchError("inapplicable", `${op} operation does not apply: ${missing}: missing value`);
    };
    // kube-apiserver drops the text before the first slash: "a/b" is "/b"
    const tokens = this.#kubernetes ? path.split("/").slice(1).map(unescapeToken) : parseJsonPointer(path);
    if (tokens.length === 0) refuse();
    let parent = this.document as Container;
    if (typeof parent !== "object" || parent === null) refuse();
    if (access === "write") parent = this.document = this.#own(parent);
    for (const token of tokens.slice(0, -1)) {
      const step: string | number = Array.isArray(parent) ? (this.#indexOrUndefined(parent, token, 0) ?? -1) : token;
      if (!hasMember(parent, String(step))) refuse();
      let next = (parent as Record<string | number, Json>)[step] as Container;
      if (typeof next !== "object" || next === null) refuse();
      if (access === "write") {
        next = this.#own(next);
        (parent as Record<string | number, Json>)[step] = next;
      }
      parent = next;
    }
    return { parent, key: tokens.at(-1) as string };
  }

  /**
   * The value is about to be reachable by two paths, so by invariant 1 it is no longer owned. By invariant 2 its parts
   * can be owned only if it was.
   */
  #share(value: Json): void {
    if (typeof value !== "object" || value === null || !this.#owned.delete(value)) return;
    for (const part of Array.isArray(value) ? value : Object.values(value)) this.#share(part as Json);
  }

  #own(container: Container): Container {
    if (this.#owned.has(container)) return container;
    const copy = Array.isArray(container) ? [...container] : { ...container };
    this.#owned.add(copy);
    return copy;
  }

  #setDocument(value: Json): void {
    this.#owned.clear();
    this.document = value;
  }

  /** `last: 1` allows the place after the last item, where an item can be added. */
  #index(
    array: readonly Json[],
    token: string,
    context: { readonly op: string; readonly path: string; readonly last?: 0 | 1; readonly missing?: string },
  ): number {
    const index = this.#indexOrUndefined(array, token, context.last ?? 0);
    if (index !== undefined) return index;
    if (context.missing !== undefined) throw new PatchError("inapplicable", context.missing);
    const why = indexPattern.test(token)
      ? `Unable to access invalid index: ${Number(token)}: invalid index referenced`
      : `value was not a proper array index: '${token}': strconv.Atoi: parsing ${JSON.stringify(token)}: invalid syntax`;
    throw failed(context.op, context.path, why);
  }

  #indexOrUndefined(array: readonly Json[], token: string, last: 0 | 1): number | undefined {
    if (!(this.#kubernetes ? indexPattern : strictIndexPattern).test(token)) return undefined;
    const size = array.length + last;
    const index = Number(token);
    if (index >= size || index < -size) return undefined;
    return index < 0 ? index + size : index;
  }
}

const indexPattern = /^[+-]?[0-9]+$/;
const strictIndexPattern = /^(?:0|[1-9][0-9]*)$/;

function failed(op: string, path: string, why: string): PatchError {
  return new PatchError("inapplicable", `error in ${op} for path: '${path}': ${why}`);
}

function pathOf(operation: JsonObject, op: string, field: "path" | "from"): string {
  const path = hasMember(operation, field) ? operation[field] : undefined;
  if (typeof path === "string") return path;
  throw new PatchError("inapplicable", `${op} operation failed to decode ${field}: missing value`);
}

function valueOf(operation: JsonObject, op: string, absentIsNull: boolean): Json {
  if (hasMember(operation, "value") && operation.value !== undefined) return operation.value as Json;
  if (absentIsNull) return null;
  throw new PatchError("inapplicable", `${op} operation has no value: missing value`);
}
