/** Request bodies: decodes bytes of a media type into objects, as strictly as the client asks. */
import { inOneGo, type Steps } from "../../base/index.js";
import {
  fieldPath,
  apiVersionOf,
  type GroupVersionKind,
  type KubeObject,
  newBadRequest,
  newInvalid,
  newUnsupportedMediaType,
  parseGroupVersion,
  type StatusCause,
} from "../../api/index.js";
import { type Endpoint, inNamespaceOf, internalName } from "../contracts/endpoint.js";
import { dryRunErrors } from "../registry/write/delete-options.js";
import { managerErrors } from "../registry/write/object-meta.js";
import type { PatchType } from "../registry/write/patch-body.js";
import type { Codec, Decoded } from "../contracts/codec.js";
import type { Template } from "../registry/write/templates.js";

type FieldValidation = "Ignore" | "Warn" | "Strict";

export interface WriteOptions {
  readonly dryRun: boolean;
  readonly fieldValidation: FieldValidation;
  readonly fieldManager: string;
  readonly force: boolean | undefined;
}

const validations: readonly string[] = ["Ignore", "Warn", "Strict"];

/** `kind` is the kind of the options, which a refusal names. */
export function parseWriteOptions(
  query: URLSearchParams,
  kind: "CreateOptions" | "UpdateOptions" | "PatchOptions",
  others: readonly StatusCause[] = [],
): WriteOptions {
  const dryRun = query.getAll("dryRun");
  const validation = query.get("fieldValidation") ?? "";
  const fieldManager = query.get("fieldManager") ?? "";
  const force = query.get("force");
  const errors: StatusCause[] = [...others, ...dryRunErrors(dryRun)];
  if (validation !== "" && !validations.includes(validation)) {
    errors.push(fieldPath("fieldValidation").notSupported(validation, ["", ...validations.toSorted()]));
  }
  errors.push(...managerErrors(fieldManager, fieldPath("fieldManager")));
  if (errors.length > 0) throw newInvalid({ group: "meta.k8s.io", kind }, "", errors);
  return {
    dryRun: dryRun.length > 0,
    fieldValidation: (validation || "Warn") as FieldValidation,
    fieldManager,
    force: force === null ? undefined : force !== "false" && force !== "0",
  };
}

/** As `parseWriteOptions`; only an apply may be forced, and it must name its manager. */
export function parsePatchOptions(query: URLSearchParams, type: PatchType): WriteOptions {
  const errors: StatusCause[] = [];
  if (type !== "application/apply-patch+yaml") {
    if (query.has("force")) errors.push(fieldPath("force").forbidden("may not be specified for non-apply patch"));
  } else if (!query.get("fieldManager")) errors.push(fieldPath("fieldManager").required("is required for apply patch"));
  return parseWriteOptions(query, "PatchOptions", errors);
}

/** In lower case and without parameters; JSON if there is none. */
export function mediaTypeOf(contentType: string | undefined): string {
  const type = contentType?.split(";")[0]?.trim().toLowerCase() ?? "";
  return type === "" ? "application/json" : type;
}

export function codecFor(codecs: readonly Codec[], mediaType: string): Codec {
  const codec = codecs.find((one) => one.mediaType === mediaType);
  if (codec !== undefined) return codec;
  const accepted = codecs.map((one) => one.mediaType).join(", ");
  throw newUnsupportedMediaType(
    `the body of the request was in an unknown format - accepted media types include: ${accepted}`,
  );
}

export interface BodySource {
  readonly bytes: Uint8Array | undefined;
  readonly contentType: string | undefined;
  readonly codecs: readonly Codec[];
}

export interface Reading {
  readonly expected: GroupVersionKind;
  /** Another accepted version of the expected kind, with the same fields. */
  readonly orOf?: string;
  readonly validation: FieldValidation;
  /** The template that the body is, if it is one. */
  readonly template?: Template | undefined;
  warn(text: string): void;
}

/** An object of the expected kind; problems become warnings or a refusal. */
export function* readObject(endpoint: Endpoint, source: BodySource, reading: Reading): Steps<KubeObject> {
  const { expected, orOf } = reading;
  const codec = codecFor(source.codecs, mediaTypeOf(source.contentType));
  const decode = (): Steps<Decoded> => endpoint.decode(codec, source.bytes ?? new Uint8Array(), expected);
  const decoded = reading.template?.decoded(() => inOneGo(decode())) ?? (yield* decode());
  const { object } = decoded;
  if (!endpoint.custom) checkConvertible(object, expected);
  // as upstream, which judges the fields of an object before its version
  if (object.kind === expected.kind) applyValidation(decoded, reading);
  checkKind(object, object.apiVersion === orOf ? { ...expected, ...parseGroupVersion(orOf) } : expected);
  return object.metadata === undefined ? ({ ...(object as object), metadata: {} } as KubeObject) : object;
}

function applyValidation({ object, problems }: Decoded, { expected, validation, warn }: Reading): void {
  if (validation === "Ignore") return;
  if (problems.length === 0) return;
  if (validation === "Warn") {
    for (const problem of problems) warn(problem);
    return;
  }
  throw newBadRequest(
    `${expected.kind} in version ${JSON.stringify(versionOf(object))} cannot be handled as a ${expected.kind}: strict decoding error: ${inOneText(problems)}`,
  );
}

/** The version of a custom object may be any text here. */
const versionOf = ({ apiVersion }: KubeObject): string => apiVersion.slice(apiVersion.lastIndexOf("/") + 1);

function checkConvertible(object: KubeObject, expected: GroupVersionKind): void {
  if (object.kind === expected.kind) return;
  const version = versionOf(object);
  throw newBadRequest(
    `${object.kind} in version ${JSON.stringify(version)} cannot be handled as a ${expected.kind}: converting (${version}.${object.kind}) to (${internalName(expected.group)}.${expected.kind}): unknown conversion`,
  );
}

function checkKind(object: KubeObject, expected: GroupVersionKind): void {
  const wanted = apiVersionOf(expected);
  if (object.apiVersion !== wanted) {
    throw newBadRequest(
      `the API version in the data (${object.apiVersion}) does not match the expected API version (${wanted})`,
    );
  }
  if (object.kind !== expected.kind) {
    const why = fieldPath("kind").invalid(object.kind, `must be ${expected.kind}`);
    throw newInvalid({ group: expected.group, kind: object.kind }, object.metadata.name ?? "", [why]);
  }
}

/** Checks that the object's name and namespace fit the URL; gives it the namespace of the URL. */
export function placed(
  object: KubeObject,
  { namespace, name }: { readonly namespace: string; readonly name: string },
): KubeObject {
  const { metadata } = object;
  const here = inNamespaceOf(object, namespace);
  if (name !== "" && metadata.name && metadata.name !== name) {
    throw newBadRequest(`the name of the object (${metadata.name}) does not match the name on the URL (${name})`);
  }
  if (name !== "" && !metadata.name) {
    throw newBadRequest(`the name of the object (${name} based on URL) was undeterminable: name must be provided`);
  }
  return here;
}

/** The YAML parser's problems about lines are reported together, as one text. */
function inOneText(problems: readonly string[]): string {
  const lines = problems.filter((problem) => problem.startsWith("line "));
  if (lines.length === 0) return problems.join(", ");
  const others = problems.filter((problem) => !problem.startsWith("line "));
  return [`yaml: unmarshal errors:\n  ${lines.join("\n  ")}`, ...others].join(", ");
}
