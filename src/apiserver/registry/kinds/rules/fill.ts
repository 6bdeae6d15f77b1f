/** Makes changed copies of objects; if nothing changes, gives the very same object back. */
import { parseQuantity } from "../../../../api/index.js";

/**
 * `object` with the fields of `defaults` that it lacks or has as `null`. An empty text counts as set: typed form keeps
 * it only where it matters.
 */
export function filled<T extends object>(object: T, defaults: Partial<T>): T {
  let missing: Partial<T> | undefined;
  for (const key in defaults) {
    const value: unknown = object[key];
    if ((value === undefined || value === null) && defaults[key] !== undefined) {
      missing ??= {};
      missing[key] = defaults[key];
    }
  }
  return missing === undefined ? object : { ...object, ...missing };
}

/** As `filled`, for a text that typed form writes even if it is empty; empty counts as missing. */
export function filledText<T extends object>(object: T, field: keyof T, text: T[keyof T]): T {
  return object[field] ? object : { ...object, [field]: text };
}

/** `object` with one field passed through `change`, if it has that field. */
export function changed<T extends object, K extends keyof T>(
  object: T,
  field: K,
  change: (value: NonNullable<T[K]>) => NonNullable<T[K]>,
): T {
  const value = object[field];
  if (value === undefined || value === null) return object;
  const next = change(value);
  return next === value ? object : { ...object, [field]: next };
}

/** `object` with one field set, or removed by `undefined`. */
export function having<T extends object, K extends keyof T>(object: T, field: K, value: T[K] | undefined): T {
  if (object[field] === value) return object;
  if (value !== undefined) return { ...object, [field]: value };
  const { [field]: _, ...rest } = object;
  return rest as T;
}

/** Typed form writes an empty list that is always present as `null`, because protobuf cannot tell the two apart. */
export function nullIfEmpty<T extends object>(object: T, field: keyof T): T {
  const value: unknown = object[field];
  return Array.isArray(value) && value.length === 0 ? { ...object, [field]: null } : object;
}

/** Every item passed through `change`. */
export function each<T>(items: readonly T[], change: (item: T) => T): readonly T[] {
  let next: T[] | undefined;
  for (const [index, item] of items.entries()) {
    const now = change(item);
    if (now === item) continue;
    next ??= [...items];
    next[index] = now;
  }
  return next ?? items;
}

type Amounts = Readonly<Record<string, string>>;

/** Amounts of resources are stored in thousandths, rounded up. */
export function roundedAmounts(amounts: Amounts): Amounts {
  let next: Record<string, string> | undefined;
  for (const [name, text] of Object.entries(amounts)) {
    const rounded = String(parseQuantity(text).roundUp(-3));
    if (rounded === text) continue;
    next ??= { ...amounts };
    next[name] = rounded;
  }
  return next ?? amounts;
}

/** Rounds `limits` and `requests` of an object that has both. */
export function roundedRequirements<T extends { readonly limits?: Amounts; readonly requests?: Amounts }>(given: T): T {
  return changed(changed(given, "limits", roundedAmounts as never), "requests", roundedAmounts as never);
}
