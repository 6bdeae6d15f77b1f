/** Views JSON as expressions see the claims of a token: every number is a double, and names of members may be escaped. */
import { unescapedName } from "../values/names.js";
import { CelList, CelMap, type Value } from "../values/value.js";

export function claimValue(value: unknown): Value {
  if (value === undefined || value === null) return null;
  if (typeof value !== "object") return value as string | boolean | number;
  return Array.isArray(value) ? new ClaimList(value) : new ClaimMap(value as Record<string, unknown>);
}

class ClaimList extends CelList {
  readonly #items: readonly unknown[];

  constructor(items: readonly unknown[]) {
    super();
    this.#items = items;
  }

  get size(): number {
    return this.#items.length;
  }

  at(index: number): Value {
    return claimValue(this.#items[index]);
  }
}

class ClaimMap extends CelMap {
  readonly #members: Readonly<Record<string, unknown>>;
  #keys: readonly string[] | undefined;

  constructor(members: Readonly<Record<string, unknown>>) {
    super();
    this.#members = members;
  }

  get size(): number {
    return this.keys().length;
  }

  get(key: Value): Value | undefined {
    if (typeof key !== "string") return undefined;
    const name = unescapedName(key) ?? key;
    return Object.hasOwn(this.#members, name) ? claimValue(this.#members[name]) : undefined;
  }

  keys(): readonly string[] {
    return (this.#keys ??= Object.keys(this.#members));
  }
}
