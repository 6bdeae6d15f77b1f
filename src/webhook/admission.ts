/** Answers AdmissionReviews by an author's functions: every failure of theirs becomes a refusal in clear words. */
import {
  type AdmissionRequest,
  type AdmissionResponse,
  createJsonPatch,
  deepFreeze,
  type KubeObject,
  newForbidden,
  newInvalid,
  type Status,
  StatusError,
  type StatusCause,
} from "../api/index.js";
import { messageOf, shown } from "../base/index.js";
import { isRecord } from "../base/members.js";
import type { AnyWebhook, Complaint, Review } from "./options.js";

/** The two ways in which the server asks. */
export type Asking = "default" | "validate";

/** Rejects with the author's error, or with a StatusError. */
export async function admit(
  webhook: AnyWebhook,
  asking: Asking,
  { request, signal }: { readonly request: AdmissionRequest; readonly signal: AbortSignal },
): Promise<AdmissionResponse> {
  const review = reviewOf(webhook, request, signal);
  return asking === "default" ? defaulted(webhook, review, request) : validated(webhook, review, request);
}

function reviewOf(webhook: AnyWebhook, request: AdmissionRequest, signal: AbortSignal): Review<KubeObject> {
  const { operation, object, oldObject, name = "", namespace = "", subResource = "", dryRun = false } = request;
  const shownObject = operation === "DELETE" ? oldObject : object;
  if (!isRecord(shownObject)) throw new Error(`the review of ${webhook.for.kind} has no object`);
  const whole = deepFreeze(shownObject) as unknown as KubeObject;
  return {
    operation: operation as Review<KubeObject>["operation"],
    object: whole,
    old: operation === "UPDATE" && isRecord(oldObject) ? (deepFreeze(oldObject) as unknown as KubeObject) : undefined,
    name: name || (whole.metadata?.name ?? ""),
    namespace,
    subresource: subResource,
    user: request.userInfo,
    dryRun,
    signal,
  };
}

async function defaulted(
  { default: fill, for: { kind } }: AnyWebhook,
  review: Review<KubeObject>,
  { uid }: AdmissionRequest,
): Promise<AdmissionResponse> {
  const result: unknown = await fill?.(review);
  if (!isRecord(result) || !isRecord(result["metadata"]))
    throw new TypeError(`default of ${kind} must return the whole object, not ${shown(result)}`);
  const patch = createJsonPatch(review.object, JSON.parse(JSON.stringify(result)));
  if (patch.length === 0) return { uid, allowed: true };
  const text = Buffer.from(JSON.stringify(patch)).toString("base64");
  return { uid, allowed: true, patchType: "JSONPatch", patch: text };
}

async function validated(
  webhook: AnyWebhook,
  review: Review<KubeObject>,
  { uid }: AdmissionRequest,
): Promise<AdmissionResponse> {
  const isDeletion = review.operation === "DELETE";
  const warned = isDeletion ? undefined : await webhook.warn?.(review);
  const warnings = listOf(warned).map((text) => inOneLine(String(text)));
  const judge = isDeletion ? webhook.validateDelete : webhook.validate;
  const complaints = listOf(await judge?.(review));
  const said = warnings.length === 0 ? {} : { warnings };
  if (complaints.length === 0) return { uid, allowed: true, ...said };
  return { uid, allowed: false, ...said, status: refusalOf(webhook, review, complaints) };
}

const listOf = <A>(answer: A | readonly A[] | undefined | void): readonly A[] =>
  answer === undefined || answer === null || answer === ""
    ? []
    : ((Array.isArray(answer) ? answer : [answer]) as readonly A[]);

/** Faults of fields make a 422 with a cause for each, texts alone a 403. */
function refusalOf(webhook: AnyWebhook, { name }: Review<KubeObject>, complaints: readonly Complaint[]): Status {
  const { group, kind, plural } = webhook.for;
  const texts = complaints.filter((one) => typeof one === "string");
  if (texts.length === complaints.length)
    return newForbidden({ group, resource: plural }, name, texts.join("; ")).status;
  return newInvalid(
    { group, kind },
    name,
    complaints.map((one) => causeOf(webhook, one)),
  ).status;
}

function causeOf({ for: { kind } }: AnyWebhook, complaint: Complaint): StatusCause {
  if (typeof complaint === "string") return { reason: "FieldValueInvalid", message: complaint };
  const { field, message } = Object(complaint) as Partial<StatusCause>;
  if (typeof field !== "string" || typeof message !== "string")
    throw new TypeError(`validate of ${kind} must answer with texts and { field, message }, not ${shown(complaint)}`);
  return { reason: "FieldValueInvalid", ...complaint };
}

/** A warning is a header, which has no line breaks. */
const inOneLine = (text: string): string =>
  text.includes("\n")
    ? text
        .split("\n")
        .map((line) => line.trim())
        .filter((line) => line !== "")
        .join(" ")
    : text;

/** The answer for an author's function that threw or was too slow: never a request without an answer. */
export function failedAnswer(
  webhook: AnyWebhook,
  asking: Asking,
  about: { uid: string; error: unknown },
): AdmissionResponse {
  const { uid, error } = about;
  if (error instanceof StatusError) return { uid, allowed: false, status: error.status };
  const message = `${asking} of ${webhook.for.kind} failed: ${messageOf(error)}`;
  const status = {
    kind: "Status",
    apiVersion: "v1",
    metadata: {},
    status: "Failure",
    reason: "InternalError",
    message,
    code: 500,
  };
  return { uid, allowed: false, status: status as Status };
}
