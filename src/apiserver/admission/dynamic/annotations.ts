/** The annotations that policies and webhooks give to the audit event of a write, in upstream's form. */
import { getOrMake } from "../../../base/containers/recent.js";
import { isQualifiedName } from "../../../api/index.js";
import { exactJson } from "../../../api/values/exact-json.js";
import type { AdmissionRequest } from "../../contracts/admission.js";
import { entriesByName } from "../../../base/members.js";

/** Of the keys that others choose, only qualified names are taken. */
export function annotate({ annotate: add }: AdmissionRequest, by: string, name: string, value: string): void {
  const key = `${by}/${name}`;
  if (add !== undefined && key.split("/").length === 2 && isQualifiedName(key).length === 0) add(key, value);
}

/** The place of a webhook's call in its write: its round, and the webhook's index. */
export interface Turn {
  readonly round: number;
  readonly index: number;
}

const keyOf = (by: string, { round, index }: Turn): string =>
  `${by}.webhook.admission.k8s.io/round_${round}_index_${index}`;

export interface Asked {
  readonly configuration: string;
  readonly webhook: string;
}

export function noteMutation(
  { annotate: add }: AdmissionRequest,
  turn: Turn,
  { configuration, webhook, mutated }: Asked & { readonly mutated: boolean },
): void {
  add?.(keyOf("mutation", turn), goJson({ configuration, webhook, mutated }));
}

/** A patch tells what the object is, so it is recorded where the object is. */
export function notePatch(
  { annotate: add }: AdmissionRequest,
  turn: Turn,
  { configuration, webhook, patch }: Asked & { readonly patch: readonly object[] },
): void {
  const operations = patch.map((one) => Object.fromEntries(entriesByName(one)));
  add?.(keyOf("patch", turn), goJson({ configuration, webhook, patch: operations, patchType: "JSONPatch" }), "Request");
}

/** The webhook could not be asked, and is passed over. */
export function noteFailOpen(
  { annotate: add }: AdmissionRequest,
  kind: "mutation" | "validating",
  turn: Turn,
  webhook: string,
): void {
  add?.(keyOf(`failed-open.${kind}`, turn), webhook);
}

interface ValidationFailure {
  readonly message: string;
  readonly policy: string;
  readonly binding: string;
  /** The index of the validation. */
  readonly expressionIndex: number;
  readonly validationActions: readonly string[];
}

/** As upstream, the first failure of a write stays. */
export function noteFailure({ annotate: add }: AdmissionRequest, failure: ValidationFailure): void {
  const { message, policy, binding, expressionIndex, validationActions } = failure;
  const value = goJson([{ message, policy, binding, expressionIndex, validationActions }]);
  add?.("validation.policy.admission.k8s.io/validation_failure", value);
}

/** encoding/json writes these characters as escapes, so that JSON may stand in HTML. */
const goJson = (value: unknown): string =>
  exactJson(value).replace(
    /[<>&\u2028\u2029]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );

const maxValueBytes = 10 * 1024;

/** Collects the values of a policy's annotations over its bindings and parameters. */
export class PolicyAnnotations {
  readonly #values = new Map<string, Map<string, Set<string>>>();

  add(policy: string, key: string, value: string): void {
    const keys = getOrMake(this.#values, policy, () => new Map());
    const values = getOrMake(keys, key, () => new Set());
    values.add(Buffer.from(value).subarray(0, maxValueBytes).toString());
  }

  publish(request: AdmissionRequest): void {
    for (const [policy, keys] of this.#values)
      for (const [key, values] of keys) annotate(request, policy, key, [...values].join(", "));
  }
}
