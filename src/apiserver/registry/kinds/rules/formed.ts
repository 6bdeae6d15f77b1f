/** Objects as strategies get them: in typed form, in which non-optional structs are always present. */
import { remembered } from "../../../../base/recent.js";

/** `T` with a spec, if only `{}`. */
export type WithSpec<T extends { readonly spec?: unknown }> = T & { readonly spec: NonNullable<T["spec"]> };

/** The latest results: rules, updates and warnings ask for the same one or two objects in turn. */
const latest: { readonly value: object; readonly clean: object }[] = [];
const maxLatest = 4;

/** The same object without any `null`, the form in which typed form writes absent lists and pointers. */
export function withoutNulls<T extends object>(value: T): T {
  const known = latest.find((one) => one.value === value);
  if (known !== undefined) return known.clean as T;
  const clean = cleaned(value);
  latest.push({ value, clean });
  if (latest.length > maxLatest) latest.shift();
  return clean;
}

/** No rule reads managedFields, which are large. */
const unread = "managedFields";

/** Specs are cleaned once: writes of a status, and pods of one template, come with the very same spec. */
const kept = "spec";
const cleanedOnce = remembered((spec: object) => cleaned(spec));

function cleaned<T>(value: T): T {
  if (Array.isArray(value)) return cleanList(value) as T;
  if (typeof value !== "object" || value === null) return value;
  let clean: Record<string, unknown> | undefined;
  for (const key of Object.keys(value)) {
    const inner = (value as Record<string, unknown>)[key];
    if ((inner !== null && typeof inner !== "object") || key === unread) continue;
    const next: unknown = key === kept && inner !== null ? cleanedOnce(inner as object, undefined) : cleaned(inner);
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
    const item = cleaned(items[i]);
    if (item !== items[i]) (clean ??= [...items])[i] = item;
  }
  return clean ?? items;
}
