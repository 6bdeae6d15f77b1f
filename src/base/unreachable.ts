/** Ends a switch over a union: the compiler refuses a forgotten case, and at run time an unexpected value throws. */
export function unreachable(value: never): never {
  throw new Error(`unexpected value: ${JSON.stringify(value)}`);
}
