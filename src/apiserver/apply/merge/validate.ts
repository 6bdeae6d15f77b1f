/**
 * Validates a value against its type, as far as ownership needs it: known fields, scalars of the right kind, items that
 * can be told apart.
 */
import { isNumeric } from "../../../api/values/exact-json.js";
import { isRecord, repeats } from "../../../base/members.js";
import { goQuote, goText } from "../../../api/index.js";
import { ItemError, itemStep } from "./list-items.js";
import { elementText, fieldStep, pathText } from "./path-element.js";
import { type ApplyType, formOf, type ListType, type MapType, memberType, type ScalarType } from "./types.js";

/** All problems in upstream's words; undefined if there are none. */
export function problemsOf(value: unknown, type: ApplyType): string | undefined {
  const problems: string[] = [];
  check(value, type, [], problems);
  if (problems.length <= 1) return problems[0];
  return ["errors:", ...problems.map((problem) => `  ${problem}`)].join("\n");
}

/** `path` grows and shrinks with the walk; it is printed only for a problem. */
function check(value: unknown, type: ApplyType, path: string[], problems: string[]): void {
  const report = (problem: string): void =>
    void problems.push(path.length === 0 ? problem : `${pathText(path)}: ${problem}`);
  switch (formOf(type, value)) {
    case "map":
      if (value === null) return;
      if (!isRecord(value)) return report(`expected map, got &{${goText(value)}}`);
      return checkMap(value, type.map as MapType, path, problems);
    case "list":
      if (value === null) return;
      if (!Array.isArray(value)) return report(`expected list, got &{${goText(value)}}`);
      return checkList(value, type.list as ListType, path, problems);
    case "scalar": {
      const problem = value === null ? undefined : scalarProblem(value, type.scalar as ScalarType);
      if (problem !== undefined) report(problem);
      return;
    }
    default:
      return report("schema error: invalid atom: inlined");
  }
}

function checkMap(value: Readonly<Record<string, unknown>>, type: MapType, path: string[], problems: string[]): void {
  for (const name of Object.keys(value)) {
    const childType = memberType(type, name);
    if (childType === undefined) {
      // upstream stops at the first unknown field of an object
      problems.push(`${pathText([...path, fieldStep(name)])}: field not declared in schema`);
      return;
    }
    path.push(fieldStep(name));
    check(value[name], childType, path, problems);
    path.pop();
  }
}

function checkList(items: readonly unknown[], type: ListType, path: string[], problems: string[]): void {
  const isRepeat = repeats();
  for (const [index, item] of items.entries()) {
    let step = `i:${index}`;
    if (!type.atomic) {
      try {
        step = itemStep(type, item);
      } catch (error) {
        if (!(error instanceof ItemError)) throw error;
        problems.push(`${pathText(path)}: element ${index}: ${error.message}`);
        return;
      }
      if (isRepeat(step)) problems.push(`${pathText(path)}: duplicate entries for key ${elementText(step)}`);
    }
    path.push(step);
    check(item, type.items, path, problems);
    path.pop();
  }
}

function scalarProblem(value: unknown, type: ScalarType): string | undefined {
  switch (type) {
    case "string":
      return typeof value === "string"
        ? undefined
        : `expected string, got &value.valueUnstructured{Value:${goSyntax(value)}}`;
    case "numeric":
      return isNumeric(value) ? undefined : `expected numeric (int or float), got ${goTypeName(value)}`;
    case "boolean":
      return typeof value === "boolean" ? undefined : `expected boolean, got &{${goText(value)}}`;
    default:
      return typeof value === "object" ? `expected any scalar, got &{${goText(value)}}` : undefined;
  }
}

/** Prints a value as Go's `%#v` does. */
function goSyntax(value: unknown): string {
  if (value === null) return "interface {}(nil)";
  if (Array.isArray(value)) return `[]interface {}{${value.map(goSyntax).join(", ")}}`;
  if (!isRecord(value)) return typeof value === "string" ? goQuote(value) : String(value);
  const members = Object.keys(value).toSorted();
  return `map[string]interface {}{${members.map((name) => `${goQuote(name)}:${goSyntax(value[name])}`).join(", ")}}`;
}

function goTypeName(value: unknown): string {
  if (Array.isArray(value)) return "[]interface {}";
  return isRecord(value) ? "map[string]interface {}" : typeof value === "boolean" ? "bool" : typeof value;
}
