/**
 * Complains of literals that must be mistakes: malformed times and patterns, lists and maps of mixed types, and format
 * strings that do not fit their values.
 */
import { Pattern, PatternError } from "../../text/pattern/pattern.js";
import { clauseTypes, templateOf } from "../values/format-text.js";
import { type CallExpr, type Expr, type Item, partsOf } from "../syntax/ast.js";
import type { Complaint } from "../syntax/source.js";
import { parseDurationText, parseTimestamp, timestampAt } from "../values/times.js";
import { type Literal, Timestamp } from "../values/value.js";
import type { Checked } from "./checker.js";
import { isOptional, type Type, typeName, typeText } from "../values/types.js";

/** Takes an expression that was checked without complaints. */
export function literalComplaints(checked: Checked): readonly Complaint[] {
  const complaints: Complaint[] = [];
  const visit = (expr: Expr, mixed: boolean): void => {
    if (expr.type === "call") complaints.push(...callComplaints(expr, checked));
    if (!mixed && expr.type === "list") complaints.push(...mixedItems(expr.items, checked, "list"));
    if (!mixed && expr.type === "map") {
      complaints.push(
        ...mixedItems(
          expr.entries.map(({ key }) => ({ value: key, optional: false })),
          checked,
          "map",
        ),
      );
      complaints.push(...mixedItems(expr.entries, checked, "map"));
    }
    // the arguments of `format` may have any types
    const within = mixed || (expr.type === "call" && expr.name === "format");
    for (const part of partsOf(expr)) visit(part, within);
  };
  visit(checked.expr, false);
  return complaints;
}

function sameMeaning(a: Type, b: Type): boolean {
  if (a.kind === "type" && b.kind === "type") return true;
  return (
    a.kind === b.kind &&
    a.name === b.name &&
    a.params.length === b.params.length &&
    a.params.every((inner, i) => sameMeaning(inner, b.params[i] as Type))
  );
}

function mixedItems(items: readonly Item[], checked: Checked, kind: "list" | "map"): readonly Complaint[] {
  const complaints: Complaint[] = [];
  let first: Type | undefined;
  for (const { value, optional } of items) {
    const whole = checked.typeOf(value);
    const type = optional && isOptional(whole) ? (whole.params[0] as Type) : whole;
    first ??= type;
    if (sameMeaning(first, type)) continue;
    complaints.push({ at: value.at, message: `expected type '${typeText(first)}' but found '${typeText(type)}'` });
    if (kind === "list") break;
  }
  return complaints;
}

function callComplaints(call: CallExpr, checked: Checked): readonly Complaint[] {
  const [argument] = call.args;
  if (call.name === "format") return formatComplaints(call, checked);
  if (argument?.type !== "literal") return [];
  const wrong = { at: argument.at, message: `invalid ${call.name} argument` };
  const { value } = argument;
  switch (call.name) {
    case "duration":
      return typeof value === "string" && parseDurationText(value) !== undefined ? [] : [wrong];
    case "timestamp":
      return isTime(value) ? [] : [wrong];
    case "matches":
      return typeof value !== "string" || isPattern(value) ? [] : [wrong];
    default:
      return [];
  }
}

function isTime(value: Literal): boolean {
  if (typeof value === "bigint") return timestampAt(value * 1_000_000_000n) instanceof Timestamp;
  return typeof value === "string" && parseTimestamp(value) !== undefined;
}

export function isPattern(source: string): boolean {
  try {
    new Pattern(source);
    return true;
  } catch (error) {
    if (error instanceof PatternError) return false;
    throw error;
  }
}

/** Complains of a call of `format` whose format string and values are both literals. */
function formatComplaints({ target, args, at }: CallExpr, checked: Checked): readonly Complaint[] {
  const [list] = args;
  if (target?.type !== "literal" || typeof target.value !== "string" || list?.type !== "list") return [];
  const { clauses, wrong } = templateOf(target.value);
  for (const [i, { verb }] of clauses.entries()) {
    const item = list.items[i]?.value;
    if (item === undefined) return [{ at, message: `index ${i} out of range` }];
    const { takes, otherwise } = clauseTypes[verb];
    const unfit =
      verb === "s" ? unfitWithin(item, checked) : takes.includes(checked.typeOf(item).kind) ? undefined : item;
    const type = unfit && checked.typeOf(unfit);
    if (unfit !== undefined && type !== undefined && type.kind !== "dyn")
      return [{ at: unfit.at, message: `error during formatting: ${otherwise} ${typeName(type)}` }];
  }
  if (wrong !== undefined)
    return [{ at, message: clauses.length >= list.items.length ? `index ${clauses.length} out of range` : wrong }];
  if (clauses.length === list.items.length) return [];
  const counts = `(expected ${clauses.length}, got ${list.items.length})`;
  return [{ at, message: `too many arguments supplied to string.format ${counts}` }];
}

/** The first part of a literal whose type `%s` cannot print. */
function unfitWithin(expr: Expr, checked: Checked): Expr | undefined {
  const { kind } = checked.typeOf(expr);
  if (kind !== "dyn" && !clauseTypes.s.takes.includes(kind)) return expr;
  if (expr.type !== "list" && expr.type !== "map") return undefined;
  for (const part of partsOf(expr)) {
    const unfit = unfitWithin(part, checked);
    if (unfit !== undefined) return unfit;
  }
  return undefined;
}
