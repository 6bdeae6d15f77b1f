/**
 * Takes the rules of a user and the rules to be granted; gives the permissions that the user lacks. For checks on
 * granting roles.
 */
import type { PolicyRule } from "../../../api/index.js";
import { coversPath, ofAnyResource } from "./rules.js";

/**
 * Permissions that a user lacks. A role with n verbs, groups, resources and names each allows n⁴ combinations, which
 * are never enumerated: the owner's rules are narrowed down field by field, and two combinations that leave the same
 * rules are treated as one.
 */
export interface Gaps {
  readonly isEmpty: boolean;
  /** Rules with at most one verb, group, resource, name and path each, in the order of the rules; computed lazily. */
  missing(): Iterable<PolicyRule>;
}

/** Limits the work of one comparison. One step is the question whether a value is covered. */
export class StepBudget {
  readonly #limit: number;
  #taken = 0;

  constructor(limit: number) {
    this.#limit = limit;
  }

  get taken(): number {
    return this.#taken;
  }

  /** True once the comparison was given up: combinations that were not examined count as not covered. */
  get areSpent(): boolean {
    return this.#taken >= this.#limit;
  }

  /** Takes one step; false if there are none left. */
  take(): boolean {
    if (this.areSpent) return false;
    this.#taken++;
    return true;
  }
}

/** A set of many rules is a long number, so the more rules, the fewer steps. */
export const stepsFor = (owner: readonly PolicyRule[]): StepBudget =>
  new StepBudget(Math.ceil(1_000_000 / (1 + owner.length / 256)));

export function gapsBetween(owner: readonly PolicyRule[], granted: readonly PolicyRule[], steps: StepBudget): Gaps {
  const owned = new OwnedRules(owner, steps);
  const boxes = granted.flatMap((rule) => boxesOf(rule, owned).map((box) => new Box(box, owned.all(rule), steps)));
  return {
    isEmpty: !boxes.some((box) => box.hasGap()),
    missing: () => missingFrom(boxes),
  };
}

function* missingFrom(boxes: readonly Box[]): Generator<PolicyRule> {
  for (const box of boxes) yield* box.missing();
}

/** A set of the owner's rules, with one bit for each. */
type RuleSet = bigint;

const none: RuleSet = 0n;

/** One field of a rule: its values, and for each value the owner's rules that cover it. */
interface Axis {
  readonly field: "apiGroups" | "resources" | "verbs" | "resourceNames" | "nonResourceURLs";
  readonly values: readonly string[];
  readonly covering: readonly RuleSet[];
}

/** A rule allows every combination of its verbs with paths, and of its verbs with groups, resources and perhaps names. */
function boxesOf(rule: PolicyRule, owned: OwnedRules): readonly (readonly Axis[])[] {
  const { apiGroups = [], resources = [], resourceNames = [], nonResourceURLs = [], verbs = [] } = withoutNulls(rule);
  const verbAxis = owned.verbs(verbs);
  const names = resourceNames.length === 0 ? [] : [owned.names(resourceNames)];
  return [
    [owned.groups(apiGroups), owned.resources(resources), verbAxis, ...names],
    [owned.paths(nonResourceURLs), verbAxis],
  ].filter((axes) => axes.every(({ values }) => values.length > 0));
}

/** The rule without its null lists: a list that was sent as null is stored as null. */
function withoutNulls(rule: PolicyRule): Partial<PolicyRule> {
  return Object.fromEntries(Object.entries(rule).filter(([, items]) => items !== null));
}

/** All combinations of the values of some fields. */
class Box {
  readonly #axes: readonly Axis[];
  readonly #all: RuleSet;
  readonly #steps: StepBudget;
  /** By field: the rules that cover all values of this field and of all later fields. */
  readonly #whole: readonly RuleSet[];
  /** By field: for each remaining set of the owner's rules, whether there is a gap from this field on. */
  readonly #known: readonly Map<RuleSet, boolean>[];

  constructor(axes: readonly Axis[], all: RuleSet, steps: StepBudget) {
    this.#axes = axes;
    this.#all = all;
    this.#steps = steps;
    this.#known = axes.map(() => new Map());
    const whole: RuleSet[] = [all];
    for (const { covering } of axes.toReversed()) {
      whole.push(covering.reduce((left, one) => left & one, whole.at(-1) as RuleSet));
    }
    this.#whole = whole.toReversed();
  }

  hasGap(): boolean {
    return this.#hasGap(0, this.#all);
  }

  missing(): Iterable<PolicyRule> {
    return this.#missing(0, this.#all, { verbs: [] });
  }

  #hasGap(depth: number, rules: RuleSet): boolean {
    if (rules === none) return true;
    if ((rules & (this.#whole[depth] as RuleSet)) !== none) return false;
    const known = this.#known[depth];
    const axis = this.#axes[depth];
    if (known === undefined || axis === undefined) return false;
    let found = known.get(rules);
    if (found === undefined) {
      found = axis.covering.some((one) => !this.#steps.take() || this.#hasGap(depth + 1, rules & one));
      known.set(rules, found);
    }
    return found;
  }

  *#missing(depth: number, rules: RuleSet, chosen: PolicyRule): Generator<PolicyRule> {
    const axis = this.#axes[depth];
    if (axis === undefined) {
      yield chosen;
      return;
    }
    for (const [index, one] of axis.covering.entries()) {
      if (!this.#steps.take()) return;
      const left = rules & one;
      if (!this.#hasGap(depth + 1, left)) continue;
      yield* this.#missing(depth + 1, left, { ...chosen, [axis.field]: [axis.values[index] as string] });
    }
  }
}

const everything = "*";

/** The owner's rules, indexed by value. */
class OwnedRules {
  readonly #rules: readonly PolicyRule[];
  readonly #steps: StepBudget;
  readonly #unnamed: RuleSet;
  readonly #fields = new Map<Axis["field"], ReadonlyMap<string, RuleSet>>();

  constructor(rules: readonly PolicyRule[], steps: StepBudget) {
    this.#rules = rules.map((rule) => withoutNulls(rule) as PolicyRule);
    this.#steps = steps;
    this.#unnamed = this.#where(({ resourceNames = [] }) => resourceNames.length === 0);
  }

  /** The owner's rules that can cover a rule: a rule for certain names only cannot cover a rule for all names. */
  all({ resourceNames }: PolicyRule): RuleSet {
    return (resourceNames ?? []).length === 0 ? this.#unnamed : (1n << BigInt(this.#rules.length)) - 1n;
  }

  verbs(values: readonly string[]): Axis {
    return this.#axis("verbs", values, (verb, having) => having(verb) | having(everything));
  }

  groups(values: readonly string[]): Axis {
    return this.#axis("apiGroups", values, (group, having) => having(group) | having(everything));
  }

  resources(values: readonly string[]): Axis {
    return this.#axis("resources", values, (resource, having) => {
      const any = ofAnyResource(resource);
      return having(resource) | having(everything) | (any === undefined ? none : having(any));
    });
  }

  names(values: readonly string[]): Axis {
    return this.#axis("resourceNames", values, (name, having) => having(name) | this.#unnamed);
  }

  paths(values: readonly string[]): Axis {
    const having = this.#having("nonResourceURLs");
    const patterns = [...having].filter(([path]) => path.endsWith(everything));
    const covering = values.map((path) =>
      patterns.reduce(
        (found, [pattern, rules]) => (this.#steps.take() && coversPath(pattern, path) ? found | rules : found),
        having.get(path) ?? none,
      ),
    );
    return { field: "nonResourceURLs", values, covering };
  }

  #axis(
    field: Axis["field"],
    values: readonly string[],
    coveredBy: (value: string, having: (item: string) => RuleSet) => RuleSet,
  ): Axis {
    const sets = this.#having(field);
    const having = (item: string): RuleSet => sets.get(item) ?? none;
    const covering = values.map((value) => (this.#steps.take() ? coveredBy(value, having) : none));
    return { field, values, covering };
  }

  /** For each item of the field, the rules that have it. */
  #having(field: Axis["field"]): ReadonlyMap<string, RuleSet> {
    const known = this.#fields.get(field);
    if (known !== undefined) return known;
    const sets = new Map<string, RuleSet>();
    for (const [index, rule] of this.#rules.entries()) {
      for (const item of rule[field] ?? []) {
        if (this.#steps.take()) sets.set(item, (sets.get(item) ?? none) | (1n << BigInt(index)));
      }
    }
    this.#fields.set(field, sets);
    return sets;
  }

  #where(test: (rule: PolicyRule) => boolean): RuleSet {
    let found = none;
    for (const [index, rule] of this.#rules.entries()) {
      if (test(rule) && this.#steps.take()) found |= 1n << BigInt(index);
    }
    return found;
  }
}
