/** Ends a switch over a union: the compiler refuses a case that was forgotten, the run refuses a value that lies. */
export function unreachable(value: never): never {
  throw new Error(`unexpected value: ${JSON.stringify(value)}`);
}
