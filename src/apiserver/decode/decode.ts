/** Request bodies in JSON and YAML to objects, as strictly as asked. From the HTTP layer; to the registry. */
import {
  apiVersionOf,
  type GroupVersionKind,
  type KubeObject,
  newBadRequest,
  parseGroupVersion,
} from "../../api/index.js";
import { typeOf } from "../../api/schema/index.js";
import type { Decoded } from "../http/providers.js";
import { goForm } from "./go-form.js";
import { GoTypeError } from "./go-scalars.js";
import { zeroObject } from "./go-zero.js";
import { type JsonText, JsonSyntaxError, readJson } from "./json-text.js";

const utf8 = new TextDecoder();

/**
 * One object. Throws a 400 StatusError for text that is no JSON object, and for values that do not fit the kind's type. What strict
 * validation objects to is in `problems`. Kinds that are not built in pass as they are.
 */
export function decodeJson(bytes: Uint8Array, expected: GroupVersionKind | undefined): Decoded {
  const text = utf8.decode(bytes);
  let read: JsonText;
  try {
    read = readJson(text);
  } catch (error) {
    if (!(error instanceof JsonSyntaxError)) throw error;
    throw unrecognized(`couldn't get version/kind; json parse error: ${error.message}`, text, expected);
  }
  return decodeValue(read, text, expected);
}

/** The value of a body that was read already, with the members that it had twice. */
export function decodeValue(
  { value, duplicates }: JsonText,
  text: string,
  expected: GroupVersionKind | undefined,
): Decoded {
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    const what = Array.isArray(value) ? "array" : typeof value;
    const why = `json: cannot unmarshal ${what} into Go value of type struct { APIVersion string "json:\\"apiVersion,omitempty\\""; Kind string "json:\\"kind,omitempty\\"" }`;
    throw unrecognized(`couldn't get version/kind; json parse error: ${why}`, text, expected);
  }
  const given = value as Partial<KubeObject>;
  const kind = given.kind || expected?.kind || "";
  const apiVersion = given.apiVersion || (expected === undefined ? "" : apiVersionOf(expected));
  const { object, problems } = normalize({ ...given, apiVersion, kind } as KubeObject, expected);
  return { object, problems: [...problems, ...duplicates.map((path) => `duplicate field "${path}"`)] };
}

/** Brings an object that was made otherwise, by a patch or an apply, into the form that a decoded one has. */
export function normalize(object: KubeObject, expected?: GroupVersionKind): Decoded {
  const { apiVersion, kind } = object;
  const type = typeOf(apiVersion, kind);
  if (type === undefined) return { object, problems: [] };
  try {
    const formed = goForm(object as unknown as Readonly<Record<string, unknown>>, type);
    const problems = formed.unknown.map((path) => `unknown field "${path}"`);
    return { object: formed.object as unknown as KubeObject, problems };
  } catch (error) {
    if (!(error instanceof GoTypeError)) throw error;
    const { version } = parseGroupVersion(apiVersion);
    const wanted = expected?.kind ?? kind;
    throw newBadRequest(`${kind} in version "${version}" cannot be handled as a ${wanted}: ${error.message}`);
  }
}

/** The kind's zero value; for a kind that is not built in, an object with nothing but its kind. */
export function emptyObject(apiVersion: string, kind: string): Readonly<Record<string, unknown>> {
  const type = typeOf(apiVersion, kind);
  return type === undefined ? { apiVersion, kind } : { ...zeroObject(type), apiVersion, kind };
}

function unrecognized(why: string, text: string, expected: GroupVersionKind | undefined): Error {
  const subject = expected === undefined ? "" : ` (must be of type ${expected.kind})`;
  return newBadRequest(`the object provided is unrecognized${subject}: ${why} (${summary(text)})`);
}

const summaryLength = 30;

function summary(text: string): string {
  if (text === "") return "<empty>";
  const shown = text.startsWith("{")
    ? text.slice(0, summaryLength)
    : Buffer.from(text).subarray(0, summaryLength).toString("hex");
  return text.length > summaryLength ? `${shown} ...` : shown;
}
