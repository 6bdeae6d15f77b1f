/** Takes a custom object and the paths that its definition names for `scale`; gives the faults of the values there. */
import { fieldPath, goText, type KubeObject, type StatusCause } from "../../api/index.js";
import { isRecord } from "../../base/members.js";
import type { ScaleFields } from "../contracts/endpoint.js";

const mostReplicas = 2 ** 31 - 1;

/** A write of the status changes no specification, and is not judged by it. */
export function scaleErrors(
  object: KubeObject,
  { spec, status, selector }: ScaleFields,
  of: "object" | "status",
): readonly StatusCause[] {
  return [
    ...(of === "object" ? replicasErrors(object, spec) : []),
    ...replicasErrors(object, status),
    ...(selector === undefined ? [] : selectorErrors(object, selector)),
  ];
}

function replicasErrors(object: KubeObject, path: readonly string[]): readonly StatusCause[] {
  const { value, fault } = valueOf(object, path, "int64");
  const at = fieldPath(textOf(path));
  if (fault !== undefined) return [at.invalid(0, fault)];
  if (value === undefined) return [];
  const replicas = value as number | bigint;
  if (replicas < 0) return [at.invalid(replicas, "should be a non-negative integer")];
  return replicas > mostReplicas ? [at.invalid(replicas, `should be less than or equal to ${mostReplicas}`)] : [];
}

function selectorErrors(object: KubeObject, path: readonly string[]): readonly StatusCause[] {
  const { fault } = valueOf(object, path, "string");
  return fault === undefined ? [] : [fieldPath(textOf(path)).invalid("", fault)];
}

interface Found {
  /** Undefined if there is none. */
  readonly value?: unknown;
  readonly fault?: string;
}

/** The value at the path, in the words of upstream's accessors if there is another one. */
function valueOf(object: KubeObject, path: readonly string[], wanted: "int64" | "string"): Found {
  const other = (value: unknown, depth: number, type: string): Found => ({
    fault: `${textOf(path.slice(0, depth))} accessor error: ${goText(value)} is of the type ${goTypeOf(value)}, expected ${type}`,
  });
  let value: unknown = object;
  for (const [i, name] of path.entries()) {
    if (value === null) return {};
    if (!isRecord(value)) return other(value, i + 1, "map[string]interface{}");
    if (!Object.hasOwn(value, name)) return {};
    value = value[name];
  }
  return goTypeOf(value) === wanted ? { value } : other(value, path.length, wanted);
}

const textOf = (path: readonly string[]): string => `.${path.join(".")}`;

/** The type that Go's JSON decoder gives the value. */
function goTypeOf(value: unknown): string {
  if (value === null) return "<nil>";
  if (Array.isArray(value)) return "[]interface {}";
  if (typeof value === "object") return "map[string]interface {}";
  if (typeof value === "boolean") return "bool";
  if (typeof value === "string") return "string";
  return typeof value === "bigint" || Number.isInteger(value) ? "int64" : "float64";
}
