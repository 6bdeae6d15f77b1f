/** AdmissionReview: makes the question to a webhook and reads its answer. Pure. */
import { exactJson } from "../../../api/values/exact-json.js";
import { defined } from "../../../base/defined.js";
import type { GroupVersionKind, KubeObject, Status } from "../../../api/index.js";
import { isRecord } from "../../../base/members.js";
import { shownUser } from "../../contracts/user.js";
import type { AdmissionRequest } from "../../contracts/admission.js";
import { type Match, placeOf } from "./matching.js";
import { inVersion } from "./versions.js";

/** A webhook's decision. */
export interface WebhookVerdict {
  readonly allowed: boolean;
  readonly result: Partial<Status> | undefined;
  readonly warnings: readonly string[];
  readonly auditAnnotations: Readonly<Record<string, string>>;
  /** A JSON patch as JSON text. */
  readonly patch: string | undefined;
}

/** The first version in the webhook's list that this server knows; undefined if there is none. */
export function reviewVersion(versions: readonly string[]): "v1" | "v1beta1" | undefined {
  return versions.find((version) => version === "v1" || version === "v1beta1") as "v1" | "v1beta1" | undefined;
}

/** The request as policies and webhooks see it, without its objects. */
export function describeRequest(request: AdmissionRequest, { resource, kind }: Match): object {
  const { subresource, operation, name, dryRun, user } = request;
  const namespace = placeOf(request);
  const sub = defined({ subResource: subresource || undefined });
  const requestedSub = defined({ requestSubResource: subresource || undefined });
  return {
    kind: plainKind(kind),
    resource: { ...resource },
    ...sub,
    requestKind: plainKind(request.kind),
    requestResource: { ...request.resource },
    ...requestedSub,
    ...defined({ name: name || undefined, namespace: namespace || undefined }),
    operation,
    userInfo: shownUser(user),
    dryRun,
  };
}

const plainKind = ({ group, version, kind }: GroupVersionKind): object => ({ group, version, kind });

export function reviewOf(
  request: AdmissionRequest,
  match: Match,
  { uid, version, object }: { readonly uid: string; readonly version: string; readonly object: KubeObject | undefined },
): object {
  return {
    kind: "AdmissionReview",
    apiVersion: `admission.k8s.io/${version}`,
    request: {
      uid,
      ...describeRequest(request, match),
      object: object ?? null,
      oldObject: inVersion(match, request.old) ?? null,
      options: optionsOf(request),
    },
  };
}

const optionKinds = { CREATE: "CreateOptions", UPDATE: "UpdateOptions", DELETE: "DeleteOptions" } as const;

/** A connection has none: its query is the object. */
export function optionsOf({ operation, options }: AdmissionRequest): object | null {
  if (operation === "CONNECT") return null;
  return { kind: optionKinds[operation], apiVersion: "meta.k8s.io/v1", ...options };
}

/** Throws an Error in upstream's words if the answer is malformed or answers another question. */
export function readVerdict(answer: unknown, { uid, version, mutating }: Expected): WebhookVerdict {
  const { response, kind, apiVersion } = isRecord(answer) ? answer : {};
  if (!isRecord(response)) throw new Error("webhook response was absent");
  checkTypes(response);
  const { patch: sent, patchType } = response;
  if (version === "v1") {
    if (response["uid"] !== uid)
      throw new Error(`expected response.uid=${JSON.stringify(uid)}, got ${exactJson(response["uid"] ?? "")}`);
    if (kind !== "AdmissionReview" || apiVersion !== "admission.k8s.io/v1")
      throw new Error(
        `expected webhook response of admission.k8s.io/v1, Kind=AdmissionReview, got ${shown(apiVersion)}, Kind=${shown(kind)}`,
      );
    checkPatch(Boolean(sent), patchType, mutating);
  }
  return {
    allowed: response["allowed"] === true,
    result: (response["status"] ?? undefined) as Partial<Status> | undefined,
    warnings: (response["warnings"] ?? []) as readonly string[],
    auditAnnotations: (response["auditAnnotations"] ?? {}) as Readonly<Record<string, string>>,
    patch: typeof sent === "string" && sent !== "" && mutating ? Buffer.from(sent, "base64").toString() : undefined,
  };
}

/** It may be anything, even an object that cannot be made a string. */
const shown = (value: unknown): string => (typeof value === "string" ? value : exactJson(value ?? ""));

/** A webhook is another's program: a member of the wrong type fails here, as it fails in upstream's decoder. */
function checkTypes(response: Readonly<Record<string, unknown>>): void {
  const { allowed, status, warnings, auditAnnotations, patch, patchType } = response;
  const check = (field: string, wanted: string, fits: boolean): void => {
    if (!fits) throw new Error(`json: cannot unmarshal response.${field} into Go value of type ${wanted}`);
  };
  const isText = (value: unknown): boolean => (value ?? "") === "" || typeof value === "string";
  check("allowed", "bool", typeof (allowed ?? false) === "boolean");
  check("patch", "[]uint8", isText(patch));
  check("patchType", "v1.PatchType", isText(patchType));
  check("warnings", "[]string", Array.isArray(warnings ?? []) && ((warnings ?? []) as unknown[]).every(isText));
  const notes = auditAnnotations ?? {};
  check("auditAnnotations", "map[string]string", isRecord(notes) && Object.values(notes).every(isText));
  check("status", "v1.Status", isRecord(status ?? {}));
  const { message, reason, code, details } = (status ?? {}) as Readonly<Record<string, unknown>>;
  check("status.message", "string", isText(message));
  check("status.reason", "v1.StatusReason", isText(reason));
  check("status.code", "int32", Number.isInteger(code ?? 0));
  check("status.details", "v1.StatusDetails", isRecord(details ?? {}));
}

export interface Expected {
  readonly uid: string;
  readonly version: "v1" | "v1beta1";
  readonly mutating: boolean;
}

function checkPatch(hasPatch: boolean, patchType: unknown, mutating: boolean): void {
  if (!mutating && hasPatch) throw new Error("validating webhook may not return response.patch");
  if (!mutating && patchType !== undefined) throw new Error("validating webhook may not return response.patchType");
  if (hasPatch && patchType === undefined)
    throw new Error("webhook returned response.patch but not response.patchType");
  if (!hasPatch && patchType !== undefined)
    throw new Error("webhook returned response.patchType but not response.patch");
  if (patchType === "") throw new Error('webhook returned invalid response.patchType of ""');
}
