/** Lists the fields that differ between two objects, as paths: for journals, logs and queue reasons. */
import { deepEqual } from "./deep-equal.js";
import { own, isRecord } from "../../base/members.js";

/**
 * `listKeys` takes a path without subscripts (`spec.containers`) and gives the keys that tell the items of that list
 * apart, or undefined if its items are compared by position. `limit` bounds the number of paths.
 */
export interface DiffOptions {
  readonly listKeys?: (path: string) => readonly string[] | undefined;
  readonly limit?: number;
}

const defaults = { limit: 100 } as const;

type Fields = Readonly<Record<string, unknown>>;

/**
 * Paths of the deepest fields that differ, in the order of the old object, new fields last. A field that came or went
 * is named itself, not its inside. Lists with keys read `spec.containers[name=web].image`, others
 * `spec.args[0]`; an item that came or went is named too. An equal pair gives no path.
 */
export function changedPaths(old: unknown, now: unknown, options: DiffOptions = {}): readonly string[] {
  const { limit, listKeys } = { ...defaults, ...options };
  const found: string[] = [];
  const full = (): boolean => found.length >= limit;

  function visit(a: unknown, b: unknown, path: string, plain: string): void {
    if (full() || a === b) return;
    if (isRecord(a) && isRecord(b)) visitFields(a, b, path, plain);
    else if (Array.isArray(a) && Array.isArray(b)) visitItems(a, b, path, plain);
    else if (!deepEqual(a, b)) found.push(path);
  }

  function visitFields(a: Fields, b: Fields, path: string, plain: string): void {
    const step = (key: string): readonly [string, string] => {
      const name = simpleName.test(key) ? (path === "" ? key : `.${key}`) : `[${key}]`;
      return [path + name, plain === "" ? key : `${plain}.${key}`];
    };
    for (const key of Object.keys(a)) visit(a[key], own(b, key), ...step(key));
    for (const key of Object.keys(b)) if (!Object.hasOwn(a, key)) visit(undefined, b[key], ...step(key));
  }

  function visitItems(a: readonly unknown[], b: readonly unknown[], path: string, plain: string): void {
    const keys = listKeys?.(plain);
    const before = keys === undefined ? undefined : byKeys(a, keys);
    const after = keys === undefined ? undefined : byKeys(b, keys);
    if (before === undefined || after === undefined) {
      for (let i = 0; i < Math.max(a.length, b.length); i++) visit(a[i], b[i], `${path}[${i}]`, plain);
      return;
    }
    const known = found.length;
    for (const [key, item] of before) visit(item, after.get(key), `${path}[${key}]`, plain);
    for (const [key, item] of after) if (!before.has(key)) visit(undefined, item, `${path}[${key}]`, plain);
    // the same items in another order: report the list itself
    if (found.length === known && [...before.keys()].join() !== [...after.keys()].join() && !full()) found.push(path);
  }

  visit(old, now, "", "");
  return found;
}

const simpleName = /^[A-Za-z_$][\w$-]*$/;

/** Undefined if an item lacks a key or two items share one: such lists are compared by position. */
function byKeys(items: readonly unknown[], keys: readonly string[]): ReadonlyMap<string, unknown> | undefined {
  const found = new Map<string, unknown>();
  for (const item of items) {
    if (!isRecord(item)) return undefined;
    const values = keys.map((key) => own(item, key));
    if (values.every((value) => value === undefined)) return undefined;
    const name = keys
      .map((key, index) => `${key}=${String(values[index])}`)
      .filter((_, index) => values[index] !== undefined)
      .join(",");
    if (found.has(name)) return undefined;
    found.set(name, item);
  }
  return found;
}
