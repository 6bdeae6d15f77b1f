/** ConversionReview: makes the question to a conversion webhook and reads its answer, in upstream's words. Pure. */
import { exactJson } from "../../../api/values/exact-json.js";
import { type FieldError, fieldPath, type KubeObject, printFieldErrors } from "../../../api/index.js";
import { isRecord, without } from "../../../base/members.js";
import { annotationMap, labelMap } from "../../registry/kinds/rules/issues.js";

type Json = Readonly<Record<string, unknown>>;

const known = ["v1", "v1beta1"] as const;

export type ReviewVersion = (typeof known)[number];

/** The first version in the webhook's list that this server knows; undefined if there is none. */
export function conversionVersion(versions: readonly string[]): ReviewVersion | undefined {
  return versions.find((version) => (known as readonly string[]).includes(version)) as ReviewVersion | undefined;
}

export interface ConversionQuestion {
  readonly uid: string;
  readonly version: ReviewVersion;
  /** The apiVersion that the objects are to have. */
  readonly desired: string;
  readonly objects: readonly KubeObject[];
}

export function conversionReview({ uid, version, desired, objects }: ConversionQuestion): object {
  return {
    kind: "ConversionReview",
    apiVersion: `apiextensions.k8s.io/${version}`,
    request: { uid, desiredAPIVersion: desired, objects },
    response: { uid: "", convertedObjects: null, result: { metadata: {} } },
  };
}

/** The objects of a successful answer. Throws an Error if the answer is malformed, a refusal, or answers another question. */
export function answeredObjects(answer: unknown, { uid, version }: ConversionQuestion): readonly unknown[] {
  const { kind = "", apiVersion = "", response } = isRecord(answer) ? answer : {};
  if (version === "v1" && (kind !== "ConversionReview" || apiVersion !== "apiextensions.k8s.io/v1")) {
    if (kind === "ConversionReview" && apiVersion === "apiextensions.k8s.io/v1beta1")
      throw new Error("converting (v1beta1.ConversionReview) to (v1.ConversionReview): unknown conversion");
    const wanted = "apiextensions.k8s.io/v1, Kind=ConversionReview";
    throw new Error(
      `expected webhook response of ${wanted}, got ${shownVersion(shown(apiVersion))}, Kind=${shown(kind)}`,
    );
  }
  if (!isRecord(response)) throw new Error("no response provided");
  if (version === "v1" && response["uid"] !== uid)
    throw new Error(`expected response.uid=${JSON.stringify(uid)}, got ${exactJson(response["uid"] ?? "")}`);
  const { status = "", message = "" } = isRecord(response["result"]) ? response["result"] : {};
  if (status !== "Success") {
    throw new Error(shown(message || `response.result.status was '${shown(status)}', not 'Success'`));
  }
  const { convertedObjects } = response;
  return Array.isArray(convertedObjects) ? (convertedObjects as readonly unknown[]) : [];
}

/** Go prints the empty group and the version with a slash between them. */
const shownVersion = (apiVersion: string): string => (apiVersion.includes("/") ? apiVersion : `/${apiVersion}`);

/** `group/version, Kind=kind`, as upstream names the kind of the original. */
export function kindName({ apiVersion, kind }: KubeObject): string {
  return `${apiVersion}, Kind=${kind}`;
}

/**
 * The converted object with the metadata of the original: of metadata, a webhook may change labels and annotations
 * alone. Throws an Error if the answer is no conversion of the original.
 */
export function checkedConversion(original: KubeObject, converted: unknown, desired: string): KubeObject {
  const at = (why: string): Error => new Error(`conversion webhook for ${kindName(original)} ${why}`);
  const { kind, apiVersion = "", metadata } = isRecord(converted) ? converted : {};
  if (typeof kind !== "string" || kind === "") throw new Error(`Object 'Kind' is missing in '${textOf(converted)}'`);
  if (apiVersion !== desired)
    throw at(
      `returned invalid object at index 0: invalid groupVersion (expected ${desired}, received ${shown(apiVersion)})`,
    );
  if (kind !== original.kind)
    throw at(`returned invalid object at index 0: invalid kind (expected ${original.kind}, received ${kind})`);
  const meta = isRecord(metadata) ? metadata : {};
  for (const [name, words] of identity) {
    const [before, after] = [original.metadata[name] ?? "", meta[name] ?? ""];
    if (before !== after)
      throw at(`returned invalid object: must have the same ${words}: ${before} != ${shown(after)}`);
  }
  if (metadata === undefined) throw at("returned invalid metadata: missing metadata in converted object");
  try {
    return { ...(converted as unknown as KubeObject), metadata: restored(original.metadata, meta) };
  } catch (error) {
    throw at(`returned invalid metadata: ${(error as Error).message}`);
  }
}

const identity = [
  ["name", "name"],
  ["namespace", "namespace"],
  ["uid", "UID"],
] as const;

const changeable = [
  ["labels", (value: Record<string, string>) => labelMap(fieldPath("metadata", "labels"), value)],
  ["annotations", (value: Record<string, string>) => annotationMap(fieldPath("metadata", "annotation"), value)],
] as const;

function restored(original: KubeObject["metadata"], converted: Json): KubeObject["metadata"] {
  let metadata = original;
  for (const [name, rules] of changeable) {
    const value = converted[name];
    if (value === undefined || value === null) {
      metadata = without(metadata, name) as KubeObject["metadata"];
      continue;
    }
    if (!isRecord(value)) throw new Error(`invalid metadata.${name} of type ${goType(value)} in converted object`);
    for (const [key, text] of Object.entries(value)) {
      if (typeof text === "string") continue;
      throw new Error(`metadata.${name}[${key}] must be a string, but is ${goType(text)} in converted object`);
    }
    const errors = [...rules(value as Record<string, string>)];
    if (errors.length > 0) throw new Error(printFieldErrors(errors as readonly FieldError[]));
    metadata = { ...metadata, [name]: value };
  }
  return metadata;
}

function goType(value: unknown): string {
  if (value === null) return "<nil>";
  if (Array.isArray(value)) return "[]interface {}";
  if (typeof value === "object") return "map[string]interface {}";
  if (typeof value === "bigint") return "int64";
  if (typeof value === "number") return Number.isInteger(value) ? "int64" : "float64";
  return typeof value === "boolean" ? "bool" : "string";
}

const textOf = (value: unknown): string => exactJson(value ?? null);

/** A member of the answer in a message. It may be anything, even an object that cannot be made a string. */
const shown = (value: unknown): string => (typeof value === "string" ? value : textOf(value));
