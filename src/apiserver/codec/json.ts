/** The JSON codec: decodes a client's text, checked against the kind's type and brought into typed form; and encodes objects. */
import { exactJson, parseExactJson } from "../../api/values/exact-json.js";
import { isRecord } from "../../base/members.js";
import { openBrace, quote } from "../../api/decode/punctuation.js";
import {
  apiVersionOf,
  type GroupVersionKind,
  type KubeObject,
  newBadRequest,
  ParseError,
  parseGroupVersion,
} from "../../api/index.js";
import {
  jsonKind,
  type ObjectType,
  typedForm,
  typedFormWhole,
  TypeMismatch,
  typeNamed,
  builtInTypeOf,
} from "../../api/schema/index.js";
import type { Steps } from "../../base/index.js";
import type { Codec, Decoded } from "../contracts/codec.js";
import { JsonSyntaxError, scanJson } from "./json-scan.js";
import { overflowingNumber, refusedNumber } from "./number-literals.js";

type Json = Readonly<Record<string, unknown>>;

const jsonMediaType = "application/json";

/**
 * Objects of built-in kinds are decoded into typed form. For other kinds only the metadata is; their own schemas decide
 * about the rest.
 */
export const jsonCodec: Codec = {
  mediaType: jsonMediaType,
  decode: (bytes, expected) =>
    decodeJson(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString("utf8"), expected),
  encode: (object) => Buffer.from(exactJson(object)),
  encodeWatchEvent: (type, object) =>
    Buffer.concat([Buffer.from(`{"type":${JSON.stringify(type)},"object":`), object, Buffer.from("}\n")]),
};

const metadataType = (): ObjectType => typeNamed("meta/v1.ObjectMeta") as ObjectType;

export function* decodeJson(text: string, expected: GroupVersionKind | undefined): Steps<Decoded> {
  const metadata = metadataType();
  const parsed = parseObject(text, expected, metadata);
  yield;
  const isBuiltIn = expected === undefined || builtInTypeOf(apiVersionOf(expected), expected.kind) !== undefined;
  if (!isBuiltIn) checkIdentity(parsed, text, expected);
  const kind = textMember(parsed, "kind", text, expected) || (expected?.kind ?? "");
  const apiVersion = textMember(parsed, "apiVersion", text, expected) || (expected ? apiVersionOf(expected) : "");
  if (kind === "") throw unrecognized(text, expected, `Object 'Kind' is missing in '${summary(text)}'`);
  const type = builtInTypeOf(apiVersion, kind);
  const gvk = { ...groupVersion(apiVersion), kind };
  if (type === undefined && expected && builtInTypeOf(apiVersionOf(expected), expected.kind)) {
    throw unhandled(gvk, expected, unregistered(apiVersion, kind));
  }
  const given: Json = { ...parsed, kind, apiVersion };
  try {
    if (type !== undefined) return yield* decodeBuiltIn(type, text, { parsed, given });
    const object = customForm(given, metadata) as unknown as KubeObject;
    yield;
    return { object, problems: scanJson(text, { type, metadata }) };
  } catch (error) {
    if (error instanceof TypeMismatch || error instanceof ParseError || error instanceof JsonSyntaxError) {
      throw unhandled(gvk, expected ?? gvk, wordsOf(error));
    }
    throw error;
  }
}

/**
 * `managedFields: []` asks to forget all owners, but typed form leaves out empty lists; so it becomes `[{}]`, which
 * asks for the same.
 */
export function withReset(given: Json, form: Json): Json {
  const sent = (given["metadata"] as Json | null | undefined)?.["managedFields"];
  if (!Array.isArray(sent) || sent.length > 0) return form;
  return { ...form, metadata: { ...(form["metadata"] as Json), managedFields: [{}] } };
}

/**
 * False only if every colon after a quotation mark belongs to a parsed field, so that no field can be a duplicate. If
 * true, the text must be scanned.
 */
export function mayRepeatFields(text: string, parsed: unknown): boolean {
  let colons = 0;
  for (let at = text.indexOf(":"); at !== -1; at = text.indexOf(":", at + 1)) {
    let before = at - 1;
    while (isSpace(text.charCodeAt(before))) before--;
    if (text.charCodeAt(before) === quote) colons++;
  }
  return colons !== countFields(parsed);
}

const isSpace = (code: number): boolean => code === 0x20 || code === 0x0a || code === 0x0d || code === 0x09;

function countFields(value: unknown): number {
  let count = 0;
  if (Array.isArray(value)) for (const item of value) count += countFields(item);
  else if (typeof value === "object" && value !== null) {
    for (const name of Object.keys(value)) count += 1 + countFields((value as Json)[name]);
  }
  return count;
}

/** The object as parsed, and with the kind and version that the request implies. */
interface Read {
  readonly parsed: Json;
  readonly given: Json;
}

function* decodeBuiltIn(type: ObjectType, text: string, { parsed, given }: Read): Steps<Decoded> {
  const metadata = metadataType();
  const refused = refusedNumber(text, type);
  if (refused !== undefined) throw new TypeMismatch(refused);
  const { form, whole } = typedFormWhole(type, given);
  yield;
  const problems = whole && !mayRepeatFields(text, parsed) ? [] : scanJson(text, { type, metadata });
  return { object: withReset(given, form) as unknown as KubeObject, problems };
}

/** The error about a body without a kind quotes the whole body up to this length. */
const longestShown = 1_000;

/** Throws if a custom object does not name its kind and version. */
function checkIdentity(parsed: Json, text: string, expected: GroupVersionKind): void {
  const { kind, apiVersion } = parsed;
  if (kind === undefined || kind === null || kind === "") {
    throw unrecognized(
      text,
      expected,
      `Object 'Kind' is missing in '${text.length > longestShown ? summary(text) : text}'`,
    );
  }
  const number = overflowingNumber(text);
  if (number !== undefined) {
    const given = { group: "", version: expected.version, kind: String(kind) };
    throw unhandled(given, expected, `json: cannot unmarshal number ${number} into Go value of type float64`);
  }
  if (apiVersion === null) {
    const why = ".apiVersion accessor error: <nil> is of the type <nil>, expected string";
    throw unhandled({ group: "", version: "", kind: String(kind) }, expected, why);
  }
  if (apiVersion === undefined || apiVersion === "") {
    const wanted = apiVersionOf(expected);
    throw newBadRequest(`the API version in the data () does not match the expected API version (${wanted})`);
  }
}

/** An object of a kind without a built-in type: its metadata in typed form, the rest as it came. */
function customForm(given: Json, metadata: ObjectType): Json {
  const { kind, apiVersion, metadata: meta, ...rest } = given;
  if (meta !== undefined && meta !== null && !isRecord(meta)) {
    throw new TypeMismatch(
      `json: cannot unmarshal ${jsonKind(meta, { kind: "json" })} into Go value of type v1.ObjectMeta`,
    );
  }
  return { kind, apiVersion, metadata: typedForm(metadata, meta ?? {}), ...rest };
}

function parseObject(text: string, expected: GroupVersionKind | undefined, metadata: ObjectType): Json {
  let parsed: unknown;
  try {
    parsed = parseExactJson(text);
  } catch (cause) {
    throw unrecognized(
      text,
      expected,
      `couldn't get version/kind; json parse error: ${syntaxError(text, metadata, cause)}`,
    );
  }
  // Go reads null as an object without fields
  if (parsed === null) return {};
  if (isRecord(parsed)) return parsed;
  const kind = jsonKind(parsed, { kind: "json" });
  const target = String.raw`struct { APIVersion string "json:\"apiVersion,omitempty\""; Kind string "json:\"kind,omitempty\"" }`;
  const why = `json: cannot unmarshal ${kind} into Go value of type ${target}`;
  throw unrecognized(text, expected, `couldn't get version/kind; json parse error: ${why}`);
}

function syntaxError(text: string, metadata: ObjectType, fallback: unknown): string {
  try {
    scanJson(text, { type: undefined, metadata });
  } catch (error) {
    if (error instanceof JsonSyntaxError) return error.message;
  }
  return (fallback as Error).message;
}

function textMember(object: Json, name: string, text: string, expected: GroupVersionKind | undefined): string {
  const value = object[name] ?? "";
  if (typeof value === "string") return value;
  const kind = jsonKind(value, { kind: "json" });
  const why = `json: cannot unmarshal ${kind} into Go struct field .${name} of type string`;
  throw unrecognized(text, expected, `couldn't get version/kind; json parse error: ${why}`);
}

function groupVersion(apiVersion: string): { readonly group: string; readonly version: string } {
  try {
    return parseGroupVersion(apiVersion);
  } catch {
    return { group: "", version: apiVersion };
  }
}

export function unregistered(apiVersion: string, kind: string): string {
  // the name of upstream's scheme is part of the message
  return `no kind ${JSON.stringify(kind)} is registered for version ${JSON.stringify(apiVersion.replace(/^\//, ""))} in scheme "pkg/runtime/scheme.go:111"`;
}

/** The error for a body whose kind is known but whose content does not decode. */
export function unhandled(given: GroupVersionKind, expected: GroupVersionKind, why: string): Error {
  const { kind, version } = given;
  return newBadRequest(`${kind} in version ${JSON.stringify(version)} cannot be handled as a ${expected.kind}: ${why}`);
}

/** The error for a body whose kind cannot be determined. */
export function unrecognized(body: string | Uint8Array, expected: GroupVersionKind | undefined, why: string): Error {
  const wanted = expected === undefined ? "" : ` (must be of type ${expected.kind})`;
  return newBadRequest(`the object provided is unrecognized${wanted}: ${why} (${summary(body)})`);
}

/** The first thirty bytes: as text if they look like JSON, else in hexadecimal. */
function summary(body: string | Uint8Array): string {
  const bytes = typeof body === "string" ? Buffer.from(body.slice(0, 31)) : Buffer.from(body.subarray(0, 31));
  if (bytes.length === 0) return "<empty>";
  const head = bytes.subarray(0, 30).toString(bytes[0] === openBrace ? "utf8" : "hex");
  return bytes.length > 30 ? `${head} ...` : head;
}

/** The reason of a parser's error, without the position that `message` adds. */
function wordsOf(error: Error): string {
  return "reason" in error && typeof error.reason === "string" ? error.reason : error.message;
}
