/** Rules for the numbers in the status of workloads: never negative, never more than the total. */
import { type Issues, nonNegativeFields, type Path } from "../rules/issues.js";

/** `limits` lists, for each number that is a limit, the numbers that may not exceed it. */
export function* counts(
  at: Path,
  given: object | undefined,
  fields: readonly string[],
  limits: Readonly<Record<string, readonly string[]>> = {},
): Issues {
  const numbers = (given ?? {}) as Readonly<Record<string, number | undefined>>;
  yield* nonNegativeFields(at, numbers, fields);
  for (const [limit, limited] of Object.entries(limits)) {
    const most = numbers[limit.replace("status.", "")] ?? 0;
    for (const field of limited) {
      const number = numbers[field] ?? 0;
      if (number > most) yield at.child(field).invalid(number, `cannot be greater than ${limit}`);
    }
  }
}

interface Counted {
  readonly collisionCount?: number | undefined;
}

/** The number of collisions of names only grows. */
export function* collisions(at: Path, { collisionCount: now }: Counted = {}, old?: Counted): Issues {
  const before = old?.collisionCount;
  const why = "cannot be decremented";
  if (before !== undefined && (now === undefined || now < before))
    yield at.child("collisionCount").invalid(now ?? 0, why);
}
