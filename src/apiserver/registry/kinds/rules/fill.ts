/** Making a changed object without touching the given one: nothing changed gives the very same object back. */
import { parseQuantity } from "../../../../api/index.js";

/** `object` with the fields of `defaults` that it lacks, or has as `null`. An empty text is something: typed form keeps it only where it counts. */
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

/** The same for texts that typed form writes even if they are empty. */
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

/** `object` with one field set, or taken away by `undefined`. */
export function having<T extends object, K extends keyof T>(object: T, field: K, value: T[K] | undefined): T {
  if (object[field] === value) return object;
  if (value !== undefined) return { ...object, [field]: value };
  const { [field]: _, ...rest } = object;
  return rest as T;
}

/** A list that is always written is written as `null` when it holds nothing, because protobuf cannot tell the two apart. */
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

/** Amounts of resources are kept in thousandths, rounded up. */
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

/** `limits` and `requests` of anything that has both. */
export function roundedRequirements<T extends { readonly limits?: Amounts; readonly requests?: Amounts }>(given: T): T {
  return changed(changed(given, "limits", roundedAmounts as never), "requests", roundedAmounts as never);
}
