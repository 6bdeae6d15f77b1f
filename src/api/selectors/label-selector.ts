/** Label selectors: taken as text or as `matchLabels`/`matchExpressions`, compiled once, matched many times. */
import type { LabelSelector, LabelSelectorOperator, LabelSelectorRequirement } from "../generated/meta-v1.js";
import { parseRequirements } from "./label-parser.js";
import {
  compileRequirement,
  type Labels,
  type LabelTest,
  newRequirement,
  printRequirement,
  type Requirement,
  type SelectorOperator,
} from "./requirement.js";
import { own } from "../../base/members.js";

/**
 * A compiled selector: immutable, so share it. `matches` does no validation and no allocation; undefined labels match
 * like an empty map. `String(selector)` is the canonical text, which parses to the same selector.
 */
export interface Selector {
  readonly matches: (labels: Labels | undefined) => boolean;
  /** Sorted by key; empty for both everything and nothing. */
  readonly requirements: readonly Requirement[];
  /** True if there is no restriction at all. */
  readonly isEverything: boolean;
  /** True for the selector of an absent LabelSelector. A contradiction (`a,!a`) is not detected. */
  readonly isNothing: boolean;
  /** The one value that the selector requires of this label, if there is exactly one. */
  exactMatch(key: string): string | undefined;
  /** A selector with these requirements in addition. Nothing stays nothing. */
  and(...more: readonly Requirement[]): Selector;
  toString(): string;
}

const noLabels: Labels = Object.freeze({});

function compile(requirements: readonly Requirement[]): (labels: Labels | undefined) => boolean {
  const tests = requirements.map((requirement) => compileRequirement(requirement));
  const [first, second] = tests as [LabelTest, LabelTest];
  switch (tests.length) {
    case 0:
      return () => true;
    case 1:
      return (labels = noLabels) => first(labels);
    case 2:
      return (labels = noLabels) => first(labels) && second(labels);
    default:
      return (labels = noLabels) => {
        for (const test of tests) if (!test(labels)) return false;
        return true;
      };
  }
}

function selectorOf(unsorted: readonly Requirement[]): Selector {
  const requirements = Object.freeze([...unsorted].sort((a, b) => (a.key < b.key ? -1 : a.key > b.key ? 1 : 0)));
  return {
    matches: compile(requirements),
    requirements,
    isEverything: requirements.length === 0,
    isNothing: false,
    exactMatch(key) {
      const found = requirements.find((requirement) => requirement.key === key);
      if (found === undefined || found.values.length !== 1) return undefined;
      return found.operator === "=" || found.operator === "==" || found.operator === "in" ? found.values[0] : undefined;
    },
    and: (...more) => selectorOf([...requirements, ...more]),
    toString: () => requirements.map((requirement) => printRequirement(requirement)).join(","),
  };
}

const all = selectorOf([]);

const none: Selector = {
  matches: () => false,
  requirements: [],
  isEverything: false,
  isNothing: true,
  exactMatch: () => undefined,
  and: () => none,
  toString: () => "",
};

/** Matches every object. */
export const everything = (): Selector => all;

/** Matches no object. */
export const nothing = (): Selector => none;

/** From validated requirements; see `newRequirement`. */
export const newSelector = (...requirements: readonly Requirement[]): Selector => selectorOf(requirements);

/** Parses the text form: `app=web,tier in (a,b),!canary,size>3`. Throws ParseError with the position of the fault. */
export function parseLabelSelector(text: string): Selector {
  return text === "" ? all : selectorOf(parseRequirements(text));
}

const fromApi: Readonly<Record<LabelSelectorOperator, SelectorOperator>> = {
  In: "in",
  NotIn: "notin",
  Exists: "exists",
  DoesNotExist: "!",
};

/** Compiles the form that objects carry: absent selects nothing, empty selects everything. Throws InvalidRequirementError. */
export function labelSelectorAsSelector(selector: LabelSelector | undefined): Selector {
  if (selector === undefined) return none;
  const requirements = Object.entries(selector.matchLabels ?? {}).map(([key, value]) =>
    newRequirement(key, "=", [value]),
  );
  for (const { key, operator, values } of selector.matchExpressions ?? []) {
    const known = own(fromApi, operator);
    if (known === undefined) throw new Error(`${JSON.stringify(operator)} is not a valid label selector operator`);
    requirements.push(newRequirement(key, known, values ?? []));
  }
  return requirements.length === 0 ? all : selectorOf(requirements);
}

/** Requires exactly these labels, without validation: for labels of an object that a server has accepted. */
export function selectorFromSet(labels: Labels | undefined): Selector {
  const entries = Object.entries(labels ?? {});
  return entries.length === 0
    ? all
    : selectorOf(entries.map(([key, value]) => ({ key, operator: "=", values: [value] })));
}

/** For people: the canonical text, `<none>` if there is no restriction, `<error>` if a rule is broken. */
export function formatLabelSelector(selector: LabelSelector | undefined): string {
  try {
    return String(labelSelectorAsSelector(selector)) || "<none>";
  } catch {
    return "<error>";
  }
}

/** The object form as a plain map of labels; throws if the selector cannot be written as one. */
export function labelSelectorAsMap(selector: LabelSelector | undefined): Readonly<Record<string, string>> {
  const labels: Record<string, string> = { ...selector?.matchLabels };
  for (const { key, operator, values = [] } of selector?.matchExpressions ?? []) {
    const shown = JSON.stringify(operator);
    if (!Object.hasOwn(fromApi, operator)) throw new Error(`${shown} is not a valid selector operator`);
    if (operator !== "In") {
      throw new Error(`operator ${shown} cannot be converted into the old label selector format`);
    }
    if (values.length !== 1) {
      throw new Error(
        `operator ${shown} without a single value cannot be converted into the old label selector format`,
      );
    }
    labels[key] = values[0] as string;
  }
  return labels;
}

/** Parses text into the form that objects carry. Throws for `gt` and `lt`, which that form lacks. */
export function parseToLabelSelector(text: string): LabelSelector {
  const matchLabels: Record<string, string> = {};
  const matchExpressions: LabelSelectorRequirement[] = [];
  for (const { key, operator, values } of parseLabelSelector(text).requirements) {
    if (operator === "=" || operator === "==") {
      matchLabels[key] = values[0] as string;
      continue;
    }
    const known = (Object.keys(fromApi) as LabelSelectorOperator[]).find((name) => fromApi[name] === operator);
    if (operator === "!=") matchExpressions.push({ key, operator: "NotIn", values });
    else if (known === undefined) throw new Error(`${JSON.stringify(operator)} isn't supported in label selectors`);
    else matchExpressions.push({ key, operator: known, values: [...values].sort() });
  }
  return { matchLabels, matchExpressions };
}
