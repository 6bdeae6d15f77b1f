/** Leaves out the members that are undefined, in the value and in the type: for objects whose optional fields may not be undefined. */

type Defined<T> = { [K in keyof T as undefined extends T[K] ? never : K]: T[K] } & {
  [K in keyof T as undefined extends T[K] ? K : never]?: Exclude<T[K], undefined>;
};

/** A copy of `object` without the members that are undefined. */
export function defined<const T extends object>(object: T): Defined<T> {
  const kept: Partial<T> = {};
  for (const key in object) if (object[key] !== undefined) kept[key] = object[key];
  return kept as unknown as Defined<T>;
}
