/** The steps of programs: evaluate operators, members, indices and calls. */
import type { Reference } from "../checker/checker.js";
import type { Overload } from "../checker/environment.js";
import { type Type, typeName } from "../values/types.js";
import { type CallCost, callCost } from "../cost/call-costs.js";
import { typeOfValue } from "../values/equality.js";
import { doubleText } from "../values/numbers.js";
import { ArrayList, CelList, CelMap, ErrorValue, noSuchOverload, Optional, Uint, type Value } from "../values/value.js";
import type { Patterns } from "../../text/pattern/pattern.js";
import type { Meter } from "../values/meter.js";

/** Gives the value of a variable; called at most once for each time that the expression names it. */
export type Variables = (name: string) => Value;

interface Frame {
  readonly variables: Variables;
  readonly meter: Meter;
  readonly patterns: Patterns;
  /** The variables of loops. Each loop has places of its own, because no loop can run within itself. */
  readonly locals: Value[];
}

export type EvaluationStep = (frame: Frame) => Value;

/** The list that a `map` or `filter` loop appends to. Only the loop's own steps can see it, so it may change. */
export class GrowingList extends ArrayList {
  declare readonly items: Value[];
}

/** The items of a list, or the keys of a map; undefined for other values. */
export function iterated(over: Value, meter: Meter): readonly Value[] | undefined {
  if (over instanceof ArrayList) return over.items;
  if (over instanceof CelMap) {
    meter.toil(1 + over.size);
    return over.keys();
  }
  if (!(over instanceof CelList)) return undefined;
  meter.toil(1 + over.size);
  return Array.from({ length: over.size }, (_, i) => over.at(i));
}

/** The name of a value's kind in kube-apiserver's messages. */
export function goName(value: Value): string {
  const { kind } = typeOfValue(value);
  return `types.${kind[0]?.toUpperCase()}${kind.slice(1)}`;
}

export function fieldOf(value: Value, field: string): Value {
  if (value instanceof ErrorValue) return value;
  if (value instanceof Optional) {
    if (value.value === undefined) return value;
    const inner = value.value instanceof CelMap ? value.value.get(field) : undefined;
    return inner === undefined ? Optional.none : inner instanceof ErrorValue ? inner : new Optional(inner);
  }
  const found = value instanceof CelMap ? value.get(field) : undefined;
  return found === undefined ? new ErrorValue(`no such key: ${field}`) : found;
}

export function isPresent(value: Value, field: string): Value {
  const inner = value instanceof Optional ? (value.value ?? null) : value;
  if (inner instanceof ErrorValue) return inner;
  const found = inner instanceof CelMap ? inner.get(field) : undefined;
  return found instanceof ErrorValue ? found : found !== undefined;
}

/** The item itself; for an optional item, its content, or undefined if it is empty. */
export function itemOf(value: Value, optional: boolean): Value | undefined {
  if (!optional) return value;
  return value instanceof Optional ? value.value : value instanceof ErrorValue ? value : noSuchOverload;
}

/** `&&` and `||`: the `decisive` value settles the result, whatever the other operand is, even an error. */
export function logical([left, right]: readonly EvaluationStep[], decisive: boolean): EvaluationStep {
  return (frame) => {
    const a = (left as EvaluationStep)(frame);
    if (a === decisive) return a;
    const b = (right as EvaluationStep)(frame);
    if (b === decisive) return b;
    if (a instanceof ErrorValue) return a;
    if (b instanceof ErrorValue) return b;
    return typeof a === "boolean" && typeof b === "boolean" ? !decisive : noSuchOverload;
  };
}

/** `or` and `orValue`: the second operand is evaluated only if the first is empty. */
export function lazily(
  [left, right]: readonly [EvaluationStep, EvaluationStep],
  name: "or" | "orValue",
): EvaluationStep {
  return (frame) => {
    const optional = left(frame);
    if (!(optional instanceof Optional)) return optional instanceof ErrorValue ? optional : noSuchOverload;
    if (optional.value === undefined) return right(frame);
    return name === "or" ? optional : optional.value;
  };
}

export function appending(
  [left, right]: readonly [EvaluationStep, EvaluationStep],
  otherwise: EvaluationStep,
): EvaluationStep {
  return (frame) => {
    const list = left(frame);
    if (!(list instanceof GrowingList)) {
      // the lookup of the name was already counted
      frame.meter.spend(-1);
      return otherwise(frame);
    }
    const item = right(frame);
    if (!(item instanceof ArrayList)) return item;
    frame.meter.spend(1);
    list.items.push(item.items[0] as Value);
    return list;
  };
}

/** Indexes a list by position or a map by key; indexing an optional gives an optional. */
export function indexing([left, right]: readonly [EvaluationStep, EvaluationStep], optional: boolean): EvaluationStep {
  return (frame) => {
    const [container, index] = [left(frame), right(frame)];
    frame.meter.spend(1);
    if (container instanceof ErrorValue) return container;
    if (index instanceof ErrorValue) return index;
    const inner = container instanceof Optional ? container.value : container;
    if (inner === undefined) return Optional.none;
    const found = itemAt(inner, index);
    if (!optional && !(container instanceof Optional)) return found === undefined ? missing(inner, index) : found;
    return found === undefined ? Optional.none : found instanceof ErrorValue ? found : new Optional(found);
  };
}

/** Undefined if there is no such item. */
function itemAt(container: Value, index: Value): Value | undefined {
  if (container instanceof CelMap) return container.get(index);
  if (!(container instanceof CelList)) return undefined;
  const position = index instanceof Uint ? Number(index.value) : Number(index as number);
  if (typeof index === "number" && !Number.isInteger(index))
    return new ErrorValue(`unsupported index value ${doubleText(index)} in list`);
  if (!(typeof index === "bigint" || typeof index === "number" || index instanceof Uint))
    return new ErrorValue(`unsupported index type '${typeOfValue(index).name}' in list`);
  return position >= 0 && position < container.size ? container.at(position) : undefined;
}

function missing(container: Value, index: Value): ErrorValue {
  const shown = String(index instanceof Uint ? index.value : (index as string));
  return new ErrorValue(container instanceof CelList ? `index out of bounds: ${shown}` : `no such key: ${shown}`);
}

/** `cost` replaces the function's own cost. */
export function called(
  { name, overloads }: Reference,
  steps: readonly EvaluationStep[],
  cost?: CallCost,
): EvaluationStep {
  const only = overloads.length === 1 ? overloads[0] : undefined;
  const reckoned = cost ?? callCost(name, only?.id);
  const guarded = overloads.map((overload) => ({ run: overload.run, guards: guardsOf(overload) }));
  return (frame) => {
    const values: Value[] = [];
    for (const step of steps) {
      const value = step(frame);
      if (value instanceof ErrorValue) {
        frame.meter.spend(1);
        return value;
      }
      values.push(value);
    }
    let result: Value | undefined;
    for (const { run, guards } of guarded)
      if (guards.every((guard, i) => guard(values[i] as Value))) {
        result = run(values, frame.meter, frame.patterns);
        break;
      }
    frame.meter.spend(reckoned === undefined || result === undefined ? 1 : reckoned(values, result));
    if (result !== undefined) return result;
    return mismatch(
      name,
      values,
      guarded.some(({ guards }) => guards[0]?.(values[0] as Value) === true),
    );
  };
}

/** Functions that are chosen by their first operand alone. */
const operators = new Set(
  "_+_ _-_ _*_ _/_ _%_ -_ !_ _<_ _<=_ _>_ _>=_ @in contains startsWith endsWith matches".split(" "),
);

/** kube-apiserver's error for arguments that no overload takes. */
function mismatch(name: string, values: readonly Value[], firstFits: boolean): ErrorValue {
  if (name === "size") return new ErrorValue("no such overload: size");
  if (!operators.has(name))
    return new ErrorValue(
      `no such overload: ${name}(${values.map((value) => typeName(typeOfValue(value))).join(", ")})`,
    );
  const isNull = values[0] === null && name.startsWith("_");
  return isNull && !firstFits ? new ErrorValue(`no such overload: ${name}`) : noSuchOverload;
}

type Guard = (value: Value) => boolean;

const guardsOf = ({ params }: Overload): readonly Guard[] => params.map(guardOf);

function guardOf({ kind, name }: Type): Guard {
  switch (kind) {
    case "param":
    case "dyn":
      return () => true;
    case "string":
      return (value) => typeof value === "string";
    case "int":
      return (value) => typeof value === "bigint";
    case "bool":
      return (value) => typeof value === "boolean";
    case "list":
      return (value) => value instanceof CelList;
    case "map":
      return (value) => value instanceof CelMap;
    case "opaque":
      if (name === "optional_type") return (value) => value instanceof Optional;
      return (value) => typeOfValue(value).name === name;
    default:
      return (value) => typeOfValue(value).kind === kind;
  }
}
