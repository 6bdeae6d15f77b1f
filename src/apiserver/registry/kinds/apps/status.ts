/** Rules for the numbers in the status of workloads: never negative, never more than the total. */
import { type Issues, nonNegative, type Path } from "../rules/issues.js";

/** `limits` lists, for each number that is a limit, the numbers that may not exceed it. */
export function* counts(
  at: Path,
  given: object | undefined,
  fields: readonly string[],
  limits: Readonly<Record<string, readonly string[]>> = {},
): Issues {
  const numbers = (given ?? {}) as Readonly<Record<string, number | undefined>>;
  for (const field of fields) yield* nonNegative(at.child(field), numbers[field]);
  for (const [limit, limited] of Object.entries(limits)) {
    const most = numbers[limit.replace("status.", "")] ?? 0;
    for (const field of limited) {
      const number = numbers[field] ?? 0;
      if (number > most) yield at.child(field).invalid(number, `cannot be greater than ${limit}`);
    }
  }
}

export function* notDecremented(at: Path, now: number | undefined, old: number | undefined): Issues {
  if (old !== undefined && (now === undefined || now < old)) yield at.invalid(now ?? 0, "cannot be decremented");
}
