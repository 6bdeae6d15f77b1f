/** Rules for the capacities of a device: the amounts that a claim may ask for. */
import {
  type CapacityRequestPolicy,
  type CapacityRequestPolicyRange,
  type DeviceCapacity,
  parseQuantity,
} from "../../../../api/index.js";
import type { Issues, Path } from "../rules/issues.js";
import { distinct } from "./names.js";

type Amount = ReturnType<typeof parseQuantity>;

const maxChoices = 10;

/** Only a device that is allocated several times has a policy. */
export function* capacityRules(at: Path, { value, requestPolicy }: DeviceCapacity, isShared: boolean): Issues {
  if (requestPolicy === undefined) return;
  const here = at.child("requestPolicy");
  if (isShared) yield* policyRules(here, requestPolicy, parseQuantity(value ?? "0"));
  else yield here.forbidden("allowMultipleAllocations must be true");
}

function* policyRules(at: Path, policy: CapacityRequestPolicy, capacity: Amount): Issues {
  const { validValues = [], validRange, default: given } = policy;
  const field = validValues.length > 0 ? "validValues" : validRange === undefined ? undefined : "validRange";
  if (field === undefined) return;
  if (validValues.length > 0 && validRange !== undefined) {
    const why = 'exactly one policy can be specified, cannot specify "validValues" and "validRange" at the same time';
    yield at.forbidden(why);
  } else if (given === undefined) yield at.child("default").required(`required when ${field} is defined`);
  else {
    const limits = { preset: parseQuantity(given), capacity };
    if (validRange === undefined) yield* choiceRules(at.child(field), validValues.map(parseQuantity), limits);
    else yield* rangeRules(at.child(field), validRange, limits);
  }
}

interface Limits {
  readonly preset: Amount;
  readonly capacity: Amount;
}

function* choiceRules(at: Path, choices: readonly Amount[], { preset, capacity }: Limits): Issues {
  for (const [index, choice] of choices.entries()) {
    const before = choices[index - 1];
    if (before !== undefined && before.compare(choice) > 0) {
      yield at.index(index).invalid(String(choice), "values must be sorted in ascending order");
    }
  }
  yield* distinct(at, choices, {
    limit: maxChoices,
    key: (choice) => String(choice.value()),
    rule: (here, choice) => choiceRule(here, choice, capacity),
  });
  if (choices.length > maxChoices || !choices.some((choice) => choice.equals(preset))) {
    yield at.invalid(String(preset), "default value is not valid according to the requestPolicy");
  }
}

function* choiceRule(at: Path, choice: Amount, capacity: Amount): Issues {
  const why = `option is larger than capacity value: ${capacity}`;
  if (choice.compare(capacity) > 0) yield at.invalid(String(choice), why);
}

function* rangeRules(at: Path, range: Partial<CapacityRequestPolicyRange>, { preset, capacity }: Limits): Issues {
  if (range.min === undefined) {
    yield at.child("min").required("required when validRange is defined");
    return;
  }
  const min = parseQuantity(range.min);
  const max = range.max === undefined ? undefined : parseQuantity(range.max);
  const lowest = at.child("min");
  if (min.compare(capacity) > 0) {
    yield lowest.invalid(String(min), `min is larger than capacity value: ${capacity}`);
  }
  if (preset.compare(min) < 0) yield lowest.invalid(String(preset), `default is less than min: ${min}`);
  if (max !== undefined) {
    const highest = at.child("max");
    if (min.compare(max) > 0) yield highest.invalid(String(min), `min is larger than max: ${max}`);
    if (max.compare(capacity) > 0) {
      yield highest.invalid(String(max), `max is larger than capacity value: ${capacity}`);
    }
    if (preset.compare(max) > 0) yield highest.invalid(String(preset), `default is more than max: ${max}`);
  }
  if (range.step === undefined) return;
  const step = parseQuantity(range.step);
  const first = min.add(step);
  if (first.compare(capacity) > 0) {
    const why = `one step ${first} is larger than capacity value: ${capacity}`;
    yield at.child("step").invalid(String(step), why);
  }
  for (const value of max === undefined ? [preset] : [preset, max]) {
    if (isReached(value, min, step)) continue;
    const why = `value is not a multiple of a given step (${step}) from (${min})`;
    yield at.child("step").invalid(String(value), why);
  }
}

/** Upstream divides by zero if there is no step. */
const isReached = (value: Amount, min: Amount, step: Amount): boolean =>
  step.value() !== 0n && (value.value() - min.value()) % step.value() === 0n;
