/** Objects as strategies get them: in typed form, in which structs that are not optional are always there. */

/** `T` whose spec is there, if only as `{}`. */
export type WithSpec<T extends { readonly spec?: unknown }> = T & { readonly spec: NonNullable<T["spec"]> };

/** The same without any `null`, which is how typed form writes lists and pointers that are not there. */
export function withoutNulls<T>(value: T): T {
  if (Array.isArray(value)) return cleanList(value) as T;
  if (typeof value !== "object" || value === null) return value;
  let clean: Record<string, unknown> | undefined;
  for (const [key, inner] of Object.entries(value)) {
    const next: unknown = withoutNulls(inner);
    if (next === inner && inner !== null) continue;
    clean ??= { ...(value as Record<string, unknown>) };
    if (next === null) delete clean[key];
    else clean[key] = next;
  }
  return (clean ?? value) as T;
}

function cleanList(items: readonly unknown[]): readonly unknown[] {
  const clean = items.map((item) => withoutNulls(item));
  return clean.some((item, index) => item !== items[index]) ? clean : items;
}
