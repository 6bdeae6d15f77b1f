/** Decodes the bodies of patches into JSON values, with the problems of strict validation. */
import { exactJson, parseExactJson } from "../../../api/values/exact-json.js";
import { isRecord } from "../../../base/members.js";
import { messageOf, type Steps } from "../../../base/index.js";
import { fieldPath, goText, type KubeObject, newBadRequest, newInvalid, type StatusError } from "../../../api/index.js";
import { jsonKind, type ObjectType } from "../../../api/schema/index.js";
import { YamlError, yamlToJson } from "../../../api/yaml/index.js";
import {
  duplicateFields,
  JsonSyntaxError,
  mayRepeatFields,
  overflowingNumber,
  refusedNumber,
  refusedOperand,
} from "../../codec/index.js";

export type PatchType =
  | "application/json-patch+json"
  | "application/merge-patch+json"
  | "application/strategic-merge-patch+json"
  | "application/apply-patch+yaml";

export type Strictness = "Ignore" | "Warn" | "Strict";

export interface PatchBody {
  readonly value: unknown;
  /** Duplicate fields, and unknown fields of JSON Patch operations. */
  readonly problems: readonly string[];
  /** The words in which Go refuses a number of the patch that the type does not take, if there is one. */
  readonly refusedNumber: (type: ObjectType) => string | undefined;
}

const decoder = new TextDecoder();

/**
 * Reads a patch in JSON: anything but an apply. The wording of a refusal depends on whether strict validation or the
 * patch itself looks first.
 */
export function* readPatch(bytes: Uint8Array, type: PatchType, strictness: Strictness): Steps<PatchBody> {
  const strict = strictness !== "Ignore";
  const isMerge = type === "application/merge-patch+json";
  const prefix = strict && type !== "application/strategic-merge-patch+json" ? "error decoding patch: " : "";
  const text = decoder.decode(bytes);
  let problems: readonly string[] = [];
  let value: unknown;
  try {
    value = parseExactJson(text);
    yield;
    if (strict && mayRepeatFields(text, value)) problems = duplicateFields(text);
  } catch (error) {
    throw newBadRequest(isMerge && !strict ? "Invalid JSON Patch" : `${prefix}${syntaxError(text, error)}`);
  }
  yield;
  const isList = type === "application/json-patch+json";
  const number = overflowingNumber(text);
  if (number !== undefined) {
    const into = isList ? "Go struct field jsonPatchOp.value" : "Go value";
    throw newBadRequest(`${prefix}json: cannot unmarshal number ${number} into ${into} of type float64`);
  }
  if (isList) return operationsOf({ text, value, problems }, { strict, prefix });
  if (isMerge && (value === null || (!strict && typeof value !== "object"))) throw newBadRequest("Invalid JSON Patch");
  if (value === null || isRecord(value)) {
    // the values of a strategic patch are converted, so that 1.0 is an integer
    return { value, problems, refusedNumber: (of) => (isMerge ? refusedNumber(text, of) : undefined) };
  }
  if (isMerge && !strict) throw patchRefused(type, { patch: value, result: value }, noObject);
  const why = `cannot unmarshal ${jsonKind(value, { kind: "json" })} into Go value of type map[string]interface {}`;
  throw newBadRequest(`${prefix}json: ${why}`);
}

function operationsOf(
  { text, value, problems }: Omit<PatchBody, "refusedNumber"> & { readonly text: string },
  { strict, prefix }: { readonly strict: boolean; readonly prefix: string },
): PatchBody {
  const operations = value ?? [];
  if (!Array.isArray(operations)) {
    const wanted = strict ? "[]handlers.jsonPatchOp" : "jsonpatch.Patch";
    throw newBadRequest(
      `${prefix}json: cannot unmarshal ${jsonKind(value, { kind: "json" })} into Go value of type ${wanted}`,
    );
  }
  const wrong = operations.find((operation) => operation !== null && !isRecord(operation)) as unknown;
  if (wrong !== undefined) {
    const wanted = strict ? "handlers.jsonPatchOp" : "jsonpatch.Operation";
    throw newBadRequest(
      `${prefix}json: cannot unmarshal ${jsonKind(wrong, { kind: "json" })} into Go value of type ${wanted}`,
    );
  }
  const untyped = strict ? untypedMember(operations) : undefined;
  if (untyped !== undefined) throw newBadRequest(`${prefix}json: ${untyped}`);
  const members = strict ? [...unknownMembers(operations), ...problems] : [];
  return {
    value: operations,
    problems: members.map((problem) => `json patch ${problem}`),
    refusedNumber: (type) => refusedOperand(text, operations, type),
  };
}

export const noObject: string = String.raw`couldn't get version/kind; json parse error: json: cannot unmarshal array into Go value of type struct { APIVersion string "json:\"apiVersion,omitempty\""; Kind string "json:\"kind,omitempty\"" }`;

function syntaxError(text: string, fallback: unknown): string {
  try {
    duplicateFields(text);
  } catch (error) {
    if (error instanceof JsonSyntaxError) return error.message;
  }
  return messageOf(fallback);
}

const operationMembers: ReadonlySet<string> = new Set(["op", "path", "from", "value"]);

/** The first member that must be a text and is something else. */
function untypedMember(operations: readonly unknown[]): string | undefined {
  for (const operation of operations) {
    for (const [name, value] of isRecord(operation) ? Object.entries(operation) : []) {
      if (name === "value" || !operationMembers.has(name) || value === null || typeof value === "string") continue;
      const kind = jsonKind(value, { kind: "json" });
      return `cannot unmarshal ${kind} into Go struct field jsonPatchOp.${name} of type string`;
    }
  }
  return undefined;
}

/** Limit on the reported problems. */
const maxUnknown = 100;

function unknownMembers(operations: readonly unknown[]): readonly string[] {
  const unknown: string[] = [];
  for (const [index, operation] of operations.entries()) {
    for (const name of isRecord(operation) ? Object.keys(operation) : []) {
      if (!operationMembers.has(name)) unknown.push(`unknown field "[${index}].${name}"`);
      if (unknown.length === maxUnknown) return unknown;
    }
  }
  return unknown;
}

/** The refusal of a patch whose result does not fit the kind's type. */
export function patchRefused(
  type: PatchType,
  subject: { readonly patch: unknown; readonly result: unknown },
  why: string,
): StatusError {
  const isStrategic = type === "application/strategic-merge-patch+json";
  const shown = isStrategic ? goText(subject.patch) : exactJson(subject.result);
  const words = isStrategic ? restoringWords(why) : why;
  return newInvalid({ group: "", kind: "" }, "", [fieldPath("patch").invalid(shown, words)]);
}

/** Upstream converts the result of a strategic patch without JSON text, so a misfit is worded by its converter of values. */
function restoringWords(why: string): string {
  if (why.startsWith("illegal base64 data")) return `error decoding from json: ${why}`;
  const found = /^json: cannot unmarshal (?<given>\w+)(?: (?<literal>\S+))? into Go .* of type (?<wanted>\S+)$/.exec(
    why,
  )?.groups;
  if (found === undefined) return why;
  const { given = "", literal = "", wanted = "" } = found;
  if (literal.includes(".") && wanted.startsWith("int")) return `cannot convert float64 to ${wanted}`;
  const kind = { array: "slice", object: "map", number: "int64" }[given] ?? given;
  if (wanted.startsWith("map[")) return `cannot restore map from ${kind}`;
  if (wanted.startsWith("[]")) return `cannot restore slice from ${kind}`;
  if (wanted.includes(".")) return `cannot restore struct from: ${kind}`;
  return kind === "int64" && wanted === "string"
    ? `cannot convert ${kind} to ${wanted}`
    : `unrecognized type: ${wanted}`;
}

/** Reads an applied configuration, in YAML or JSON; `problem` is that of strict validation. */
export function* readApplied(
  bytes: Uint8Array,
  strictness: Strictness,
): Steps<{ readonly object: KubeObject; readonly problem: string | undefined }> {
  const { value, repeated } = yield* appliedValue(decoder.decode(bytes), strictness);
  if (value !== null && !isRecord(value)) {
    const why = `json: cannot unmarshal ${jsonKind(value, { kind: "json" })} into Go value of type map[string]interface {}`;
    throw newBadRequest(`error decoding YAML: error unmarshaling JSON: while decoding JSON: ${why}`);
  }
  const lines = repeated.map((line) => `  ${line}`).join("\n");
  return {
    object: (value ?? {}) as unknown as KubeObject,
    problem:
      strictness === "Ignore" || lines === ""
        ? undefined
        : `error converting YAML to JSON: yaml: unmarshal errors:\n${lines}`,
  };
}

function* appliedValue(
  text: string,
  strictness: Strictness,
): Steps<{ readonly value: unknown; readonly repeated: readonly string[] }> {
  // YAML reads a number that is too large as text
  const value = overflowingNumber(text) === undefined ? jsonValue(text) : undefined;
  yield;
  // JSON is YAML, but is parsed much faster as JSON; only duplicate fields, reported by line, need the YAML reader
  if (value !== undefined && (strictness === "Ignore" || duplicateFields(text).length === 0)) {
    return { value, repeated: [] };
  }
  try {
    const { json, repeated } = yamlToJson(text);
    yield;
    return { value: value ?? parseExactJson(json), repeated };
  } catch (error) {
    if (!(error instanceof YamlError)) throw error;
    throw newBadRequest(`error decoding YAML: error converting YAML to JSON: ${error.message}`);
  }
}

/** The value of a text that is a JSON object; undefined for any other. */
function jsonValue(text: string): unknown {
  if (!/^\s*\{/.test(text)) return undefined;
  try {
    return parseExactJson(text);
  } catch {
    return undefined;
  }
}
