/** ValidatingAdmissionPolicy: expressions that a write must satisfy wherever a binding puts them into force. */
import { runWithin, type WaitingSteps } from "../../../base/index.js";
import { lookup } from "../../../base/members.js";
import {
  StatusError,
  type Status,
  type ValidatingAdmissionPolicy,
  type ValidatingAdmissionPolicyBinding,
  type Validation,
} from "../../../api/index.js";
import type { AdmissionPlugin, AdmissionRequest } from "../../contracts/admission.js";
import { atOnce } from "../../contracts/authorizer.js";
import { noteFailure, PolicyAnnotations } from "./annotations.js";
import { type Context, settled } from "./expressions.js";
import { isExempt } from "./matching.js";
import { concerned, forbiddenBy, hasPolicies, type Invocation, type PolicyOptions } from "./policies.js";
import { readyForAll } from "./versions.js";

type Judged = Invocation<ValidatingAdmissionPolicy, ValidatingAdmissionPolicyBinding>;

/** A policy's objection to a write. */
interface Objection {
  readonly message: string;
  readonly reason: string | undefined;
  /** The index of the validation; undefined for an audit annotation that failed, which is refused by any binding. */
  readonly index: number | undefined;
}

export function validatingPolicies(options: PolicyOptions): AdmissionPlugin {
  return {
    name: "ValidatingAdmissionPolicy",
    validate(request) {
      if (isExempt(request) || !hasPolicies(options, "validating")) return;
      const ready = readyForAll(request, options);
      if (ready === undefined) return runWithin(request.slice, judge(request, options));
      return ready.then(() => runWithin(request.slice, judge(request, options)));
    },
  };
}

/**
 * Evaluates every policy, so that the client gets all warnings; the first denial is the answer. The cost of each
 * expression is limited, but there may be many of them, for many parameters.
 */
function* judge(request: AdmissionRequest, options: PolicyOptions): WaitingSteps<void> {
  const { invocations, problems } = concerned<ValidatingAdmissionPolicy, ValidatingAdmissionPolicyBinding>(
    request,
    "validating",
    options,
  );
  let denial = problems.map(({ policy, binding, message }) =>
    denied(request, { policy, binding }, { message, reason: undefined }),
  )[0];
  const annotations = new PolicyAnnotations();
  for (const invocation of invocations) {
    for (const objection of yield* objections(request, invocation, { ...options, annotations })) {
      const { policy, binding } = invocation;
      const actions = binding.spec?.validationActions ?? [];
      if (objection.index === undefined) {
        denial ??= denied(request, invocation, objection);
        continue;
      }
      if (actions.includes("Warn"))
        request.warn(
          `Validation failed for ValidatingAdmissionPolicy '${policy.metadata.name}' with binding '${binding.metadata.name}': ${objection.message}`,
        );
      if (actions.includes("Audit"))
        noteFailure(request, {
          message: objection.message,
          policy: policy.metadata.name,
          binding: binding.metadata.name,
          expressionIndex: objection.index,
          validationActions: actions,
        });
      if (actions.includes("Deny")) denial ??= denied(request, invocation, objection);
    }
  }
  annotations.publish(request);
  if (denial !== undefined) throw denial;
}

function* objections(
  request: AdmissionRequest,
  invocation: Judged,
  { expressions, authorizer, annotations }: PolicyOptions & { readonly annotations: PolicyAnnotations },
): WaitingSteps<readonly Objection[]> {
  const { policy, match, params } = invocation;
  const {
    matchConditions = [],
    variables = [],
    validations = [],
    auditAnnotations = [],
    failurePolicy,
  } = policy.spec ?? {};
  const failed = (message: string, index?: number): readonly Objection[] =>
    failurePolicy === "Ignore" ? [] : [{ message, reason: undefined, index }];
  const subject = { request, match, params, variables, decide: atOnce(authorizer) };
  if (matchConditions.length > 0) {
    const hold = yield* settled(() => expressions.conditionsHold(matchConditions, subject));
    if (hold === false) return [];
    if (hold !== true) return failed(hold.error, 0);
  }
  const context = expressions.context(subject);
  const found: Objection[] = [];
  for (const [index, validation] of validations.entries()) {
    yield;
    const outcome = yield* settled(() => expressions.run(validation.expression, context));
    if ("error" in outcome) found.push(...failed(outcome.error, index));
    else if (outcome.value !== true)
      found.push({
        message: yield* settled(() => messageOf(validation, context, expressions)),
        reason: validation.reason,
        index,
      });
  }
  for (const { key, valueExpression } of auditAnnotations) {
    yield;
    const outcome = yield* settled(() => expressions.run(valueExpression, context));
    if ("error" in outcome) found.push(...failed(outcome.error));
    else if (typeof outcome.value === "string" && outcome.value.trim() !== "")
      annotations.add(policy.metadata.name, key, outcome.value.trim());
  }
  return found;
}

const maxMessage = 5 * 1024;

/** The text that messageExpression gives if it is usable, else the plain message, else the rule itself. */
function messageOf(
  { expression, message = "", messageExpression }: Validation,
  context: Context,
  expressions: PolicyOptions["expressions"],
): string {
  if (messageExpression) {
    const outcome = expressions.run(messageExpression, context);
    const text = "value" in outcome && typeof outcome.value === "string" ? outcome.value.trim() : "";
    if (text !== "" && text.length <= maxMessage && !text.includes("\n")) return text;
  }
  return message.trim() === "" ? `failed expression: ${expression.trim()}` : message.trim();
}

const codes: Readonly<Record<string, number>> = lookup({
  Forbidden: 403,
  Unauthorized: 401,
  RequestEntityTooLarge: 413,
});

function denied(
  request: AdmissionRequest,
  {
    policy,
    binding,
  }: { readonly policy: ValidatingAdmissionPolicy; readonly binding: ValidatingAdmissionPolicyBinding | undefined },
  { message, reason = "Invalid" }: Pick<Objection, "message" | "reason">,
): StatusError {
  const by = binding === undefined ? "" : ` with binding '${binding.metadata.name}'`;
  const text = `ValidatingAdmissionPolicy '${policy.metadata.name}'${by} denied request: ${message}`;
  const { status } = forbiddenBy(request, text);
  const details = { ...status.details, causes: [{ message: text }] };
  return new StatusError({ ...status, reason, code: codes[reason] ?? 422, details } as Status);
}
