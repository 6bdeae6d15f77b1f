/** Compares the parts of a new value with those of an old one, where a part may be asked about after its whole. */
import { deepEqual } from "../../../api/index.js";
import { isRecord } from "../../../base/members.js";

/**
 * Invariant: for each list and record of the new value that has been compared, the memory holds the old one and the
 * answer, so that asking about a whole and then about its parts, at any depth, takes the time of one comparison.
 */
export class SameParts {
  readonly #known = new Map<object, { readonly old: unknown; readonly same: boolean }>();

  /** As deepEqual. */
  same(value: unknown, old: unknown): boolean {
    if (typeof value !== "object" || value === null || value === old) return deepEqual(value, old);
    const known = this.#known.get(value);
    if (known !== undefined && known.old === old) return known.same;
    const same = Array.isArray(value) ? this.#sameItems(value, old) : this.#sameMembers(value, old);
    this.#known.set(value, { old, same });
    return same;
  }

  #sameItems(value: readonly unknown[], old: unknown): boolean {
    return Array.isArray(old) && old.length === value.length && value.every((item, i) => this.same(item, old[i]));
  }

  #sameMembers(value: object, old: unknown): boolean {
    if (!isRecord(old)) return false;
    const members = Object.entries(value).filter(([, member]) => member !== undefined);
    const before = Object.values(old).filter((member) => member !== undefined);
    return (
      members.length === before.length &&
      members.every(([name, member]) => Object.hasOwn(old, name) && this.same(member, old[name]))
    );
  }
}
