/** The kinds that the rules of a policy name: takes the rules and the server's resources. Pure. */
import type { NamedRuleWithOperations } from "../../api/index.js";
import { byEntryName } from "../../base/members.js";

/** A kind that is written and read under its names. */
export interface NamedKind {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  readonly plural: string;
  readonly singular: string;
}

/** The greatest number of kinds of one rule that are looked at. */
const mostKinds = 10;

interface Named {
  readonly kinds: readonly NamedKind[];
  /** True if the server has nothing under one of the names. */
  readonly isPartial: boolean;
}

/** In the order of group, version and kind. Rules with wildcards in place of groups or versions name no kinds. */
export function namedKinds(rules: readonly NamedRuleWithOperations[], resources: readonly NamedKind[]): Named {
  const found = new Map<string, NamedKind>();
  let isPartial = false;
  for (const rule of rules) {
    let count = 0;
    for (const place of placesOf(rule)) {
      const matching = resources.filter((one) => isAt(one, place));
      isPartial ||= matching.length === 0;
      for (const one of matching) {
        found.set(idOf(one), one);
        count += 1;
        if (count === mostKinds) return { kinds: sorted(found), isPartial };
      }
    }
  }
  return { kinds: sorted(found), isPartial };
}

const idOf = ({ group, version, kind }: NamedKind): string => [group, version, kind].join("\0");

const sorted = (found: ReadonlyMap<string, NamedKind>): readonly NamedKind[] =>
  [...found].toSorted(byEntryName).map(([, one]) => one);

interface Place {
  readonly group: string;
  readonly version: string;
  readonly resource: string;
}

function placesOf({ apiGroups = [], apiVersions = [], resources = [] }: NamedRuleWithOperations): readonly Place[] {
  const isWild = (name: string): boolean => name.includes("*");
  if (apiGroups.some(isWild) || apiVersions.some(isWild)) return [];
  const whole = resources.filter((resource) => !/[*/]/.test(resource));
  return apiGroups
    .toSorted()
    .flatMap((group) =>
      apiVersions.toSorted().flatMap((version) => whole.toSorted().map((resource) => ({ group, version, resource }))),
    );
}

/** The core group's empty name stands for any group, as in upstream's RESTMapper. */
function isAt({ plural, singular, ...one }: NamedKind, { group, version, resource }: Place): boolean {
  const name = resource.toLowerCase();
  return (group === "" || group === one.group) && version === one.version && (name === plural || name === singular);
}
