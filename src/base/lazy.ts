/** Takes a function that makes a value; gives a function that makes it at its first call, and gives the same one ever after. */
export function lazy<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined;
  return () => (made ??= { value: make() }).value;
}
