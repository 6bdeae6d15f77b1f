/** Deep freeze. Caches give out shared objects; tests freeze them so that a write to one fails at once. */
import type { DeepReadonly } from "../object.js";

/**
 * Freezes in place, all the way down, and gives the same object back. A part that is frozen already is taken to be
 * frozen below, too.
 */
export function deepFreeze<T>(value: T): DeepReadonly<T> {
  if (typeof value === "object" && value !== null) freeze(value);
  return value as DeepReadonly<T>;
}

function freeze(value: object): void {
  if (Object.isFrozen(value)) return;
  if (Array.isArray(value)) {
    for (const item of value as unknown[]) if (typeof item === "object" && item !== null) freeze(item);
  } else {
    for (const key in value) {
      const item: unknown = (value as Record<string, unknown>)[key];
      if (typeof item === "object" && item !== null) freeze(item);
    }
  }
  Object.freeze(value);
}
