/** Objects whose optional fields may not be undefined: leaves out the members that are, in the value and in the type. */

type Defined<T> = { [K in keyof T as undefined extends T[K] ? never : K]: T[K] } & {
  [K in keyof T as undefined extends T[K] ? K : never]?: Exclude<T[K], undefined>;
};

/** A copy of `object` without the members that are undefined. */
export function defined<const T extends object>(object: T): Defined<T> {
  const kept: Partial<T> = {};
  for (const key in object) if (object[key] !== undefined) kept[key] = object[key];
  return kept as unknown as Defined<T>;
}

/** The list or record, or undefined if it is empty: for fields that are left out then, as by Go's `omitempty`. */
export function unlessEmpty<T extends object>(value: T | undefined): T | undefined {
  if (value === undefined) return undefined;
  return (Array.isArray(value) ? value.length : Object.keys(value).length) > 0 ? value : undefined;
}
