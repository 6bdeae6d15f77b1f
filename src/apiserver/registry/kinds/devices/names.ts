/** Rules for the names of drivers, pools, devices and attributes, and for lists and maps of bounded size. */
import { byteLength } from "../../../../api/index.js";
import { dns1123Subdomain, type Issues, type Path } from "../rules/issues.js";
import { csiDriverName } from "../volumes/sources.js";
import { repeats } from "../../../../base/members.js";

/** A driver's name follows the rules of a CSI driver's. */
export const driverName = (at: Path, name = ""): Issues => csiDriverName(at, name);

/** A pool's name is one name or several, with slashes between them. */
export function* poolName(at: Path, name = ""): Issues {
  if (name === "") {
    yield at.required();
    return;
  }
  if (byteLength(name) > 253) yield at.tooLong(253);
  for (const part of name.split("/")) yield* dns1123Subdomain(at, part);
}

const identifierForm = "[A-Za-z_][A-Za-z0-9_]*";
const identifierRule =
  "a valid C identifier must start with alphabetic character or '_', followed by a string of alphanumeric characters or '_'";
const identifierExamples = `(e.g. 'my_name',  or 'MY_NAME',  or 'MyName', regex used for validation is '${identifierForm}')`;
const identifierPattern = new RegExp(`^${identifierForm}$`);

function* identifier(at: Path, id: string): Issues {
  if (byteLength(id) > 32) yield at.tooLong(32);
  if (!identifierPattern.test(id)) yield at.invalid(id, `${identifierRule} ${identifierExamples}`);
}

/** The name of an attribute or capacity, with or without a domain. As upstream, a name with two slashes passes. */
export function* attributeName(at: Path, name: string): Issues {
  const [first = "", second, ...rest] = name.split("/");
  if (second === undefined) yield* identifier(at, first);
  else if (rest.length === 0) {
    if (first === "") yield at.invalid("", "the domain must not be empty");
    else yield* driverName(at, first);
    if (second === "") yield at.invalid("", "the name must not be empty");
    else yield* identifier(at, second);
  }
}

export function* fullAttributeName(at: Path, name: string): Issues {
  yield* attributeName(at, name);
  const why = "a fully qualified name must be a domain and a name separated by a slash";
  if (!name.includes("/")) yield at.invalid(name, why);
}

/** At most `limit` items; of a longer list nothing else is said. */
export function* limited<T>(
  at: Path,
  items: readonly T[] = [],
  limit: number,
  rule: (at: Path, item: T) => Issues,
): Issues {
  if (items.length > limit) {
    yield at.tooMany(items.length, limit);
    return;
  }
  for (const [here, item] of at.items(items)) yield* rule(here, item);
}

interface SetRules<T> {
  readonly limit: number;
  readonly rule: (at: Path, item: T) => Issues;
  /** The identity of an item, which no other item may have. */
  readonly key: (item: T) => string;
  /** The identity as messages print it. Default: the key. */
  readonly shown?: (item: T) => unknown;
}

/** As `limited`, for items that differ in their keys. */
export function* distinct<T>(
  at: Path,
  items: readonly T[] = [],
  { limit, rule, key, shown = key }: SetRules<T>,
): Issues {
  yield* limited(at, items, limit, rule);
  if (items.length > limit) return;
  const isRepeat = repeats();
  for (const [here, item] of at.items(items)) {
    if (isRepeat(key(item))) yield here.duplicate(shown(item));
  }
}

interface EntryRules<T> {
  /** The length from which a key is cut in the middle where a path names it. */
  readonly shownLength: number;
  readonly key: (at: Path, key: string) => Issues;
  readonly value?: (at: Path, value: T) => Issues;
}

export function* entries<T>(at: Path, map: Readonly<Record<string, T>> = {}, rules: EntryRules<T>): Issues {
  for (const [key, value] of Object.entries(map)) {
    yield* rules.key(at, key);
    if (rules.value !== undefined) yield* rules.value(at.key(shortened(key, rules.shownLength)), value);
  }
}

function shortened(text: string, length: number): string {
  if (text.length <= length) return text;
  const rest = length - 3;
  return `${text.slice(0, Math.floor((rest + 1) / 2))}...${text.slice(text.length - Math.floor(rest / 2))}`;
}
