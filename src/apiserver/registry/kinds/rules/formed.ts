/** Objects as strategies get them: in typed form, in which non-optional structs are always present. */

/** `T` with a spec, if only `{}`. */
export type WithSpec<T extends { readonly spec?: unknown }> = T & { readonly spec: NonNullable<T["spec"]> };

/** No rule reads the owners of fields, and there are many. */
const unread = "managedFields";

/** The same value without any `null`, which is how typed form writes lists and pointers that are absent. */
export function withoutNulls<T>(value: T): T {
  if (Array.isArray(value)) return cleanList(value) as T;
  if (typeof value !== "object" || value === null) return value;
  let clean: Record<string, unknown> | undefined;
  for (const key in value) {
    const inner = (value as Record<string, unknown>)[key];
    if ((inner !== null && typeof inner !== "object") || key === unread) continue;
    const next = withoutNulls(inner);
    if (next === inner && inner !== null) continue;
    clean ??= { ...(value as Record<string, unknown>) };
    if (next === null) delete clean[key];
    else clean[key] = next;
  }
  return (clean ?? value) as T;
}

function cleanList(items: readonly unknown[]): readonly unknown[] {
  let clean: unknown[] | undefined;
  for (let i = 0; i < items.length; i++) {
    const item = withoutNulls(items[i]);
    if (item !== items[i]) (clean ??= [...items])[i] = item;
  }
  return clean ?? items;
}
