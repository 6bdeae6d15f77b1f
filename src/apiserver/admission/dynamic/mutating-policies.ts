/** MutatingAdmissionPolicy: changes an object by expressions that give a JSON patch or an apply configuration. */
import { inOneGo, runWithin, type WaitingSteps } from "../../../base/index.js";
import {
  applyJsonPatch,
  deepEqual,
  type JsonPatchOperation,
  type KubeObject,
  type MutatingAdmissionPolicy,
  type MutatingAdmissionPolicyBinding,
  type Mutation,
  PatchError,
  type Status,
  StatusError,
} from "../../../api/index.js";
import { withoutManagedFields } from "../../../api/meta/managed-fields.js";
import type { FieldManager } from "../../contracts/field-manager.js";
import type { AdmissionPlugin, AdmissionRequest } from "../../contracts/admission.js";
import { atOnce, type Decide } from "../../contracts/authorizer.js";
import { type Context, type Expressions, settled } from "./expressions.js";
import { isExempt, type Match } from "./matching.js";
import { concerned, forbiddenBy, hasPolicies, type Invocation, type PolicyOptions } from "./policies.js";
import { inVersion, asStored } from "./versions.js";

type Changing = Invocation<MutatingAdmissionPolicy, MutatingAdmissionPolicyBinding>;

export function mutatingPolicies(options: PolicyOptions): AdmissionPlugin {
  return {
    name: "MutatingAdmissionPolicy",
    mutate(request) {
      if (isExempt(request) || !hasPolicies(options, "mutating")) return request.object;
      return runWithin(request.slice, mutated(request, options));
    },
  };
}

/** Each policy sees the result of the policies before it. The refusal names all failures of policies that fail closed. */
function* mutated(
  request: AdmissionRequest & { readonly object: KubeObject },
  options: PolicyOptions,
): WaitingSteps<KubeObject> {
  const { rounds } = request;
  const { invocations, problems } = concerned<MutatingAdmissionPolicy, MutatingAdmissionPolicyBinding>(
    request,
    "mutating",
    options,
  );
  const refusals = problems.map(
    ({ policy, binding, message }): Refusal => ({
      message: worded({ policy, binding }, message),
      reason: "Forbidden",
    }),
  );
  let { object } = request;
  rounds.enter(object);
  for (const invocation of invocations) {
    const { policy, binding, params, match } = invocation;
    const id = [policy, binding, params]
      .map((one) => `${one?.metadata.namespace ?? ""}/${one?.metadata.name ?? ""}`)
      .join(" ");
    if (!rounds.mayAsk(id)) continue;
    yield;
    const before = inVersion(match, object) as KubeObject;
    const now = { ...request, object };
    const decide = atOnce(options.authorizer);
    const outcome = yield* settled(() => changedBy(invocation, now, { before, options, decide }));
    if ("error" in outcome) {
      if (policy.spec?.failurePolicy !== "Ignore")
        refusals.push({ message: worded(invocation, outcome.error), reason: "Invalid" });
      continue;
    }
    const changed = match.kind.kind !== "Scale" && !deepEqual(outcome.object, before);
    if (changed) object = asStored(match.endpoint, outcome.object, object);
    rounds.asked(id, { changed, reinvocable: policy.spec?.reinvocationPolicy === "IfNeeded" });
  }
  rounds.leave(object);
  if (refusals.length > 0) throw refused(request, refusals);
  return object;
}

type Outcome = { readonly object: KubeObject } | { readonly error: string };

interface Changes {
  readonly before: KubeObject;
  readonly options: PolicyOptions;
  readonly decide: Decide;
}

function changedBy(
  { policy, params, match }: Changing,
  request: AdmissionRequest & { readonly object: KubeObject },
  { before, options, decide }: Changes,
): Outcome {
  const { expressions } = options;
  const { matchConditions = [], variables = [], mutations = [] } = policy.spec ?? {};
  const subject = { request, match, params, variables, decide };
  if (matchConditions.length > 0) {
    const hold = expressions.conditionsHold(matchConditions, subject);
    if (hold === false) return { object: before };
    if (hold !== true) return hold;
  }
  let object = before;
  for (const mutation of mutations) {
    const context = expressions.context({ ...subject, object });
    const outcome = mutate(mutation, object, { match, context, expressions });
    if ("error" in outcome) return outcome;
    object = outcome.object;
  }
  return { object };
}

interface Mutating {
  readonly match: Match;
  readonly context: Context;
  readonly expressions: Expressions;
}

function mutate(
  { patchType, jsonPatch, applyConfiguration }: Mutation,
  object: KubeObject,
  mutating: Mutating,
): Outcome {
  const { expressions, context, match } = mutating;
  const expression = (patchType === "JSONPatch" ? jsonPatch : applyConfiguration)?.expression ?? "";
  const outcome = expressions.run(expression, context);
  if ("error" in outcome) return outcome;
  const { value } = outcome;
  try {
    if (patchType === "JSONPatch")
      return { object: applyJsonPatch(object, value as readonly JsonPatchOperation[], { rules: "kubernetes" }) };
    return { object: applied(match.endpoint.fieldManager, object, value as object) };
  } catch (error) {
    // a failed test operation means that there is nothing to do
    if (error instanceof PatchError && error.failure === "inapplicable" && error.message.startsWith("testing value"))
      return { object };
    return {
      error: `${patchType === "JSONPatch" ? "JSON Patch" : "error applying patch"}: ${(error as Error).message}`,
    };
  }
}

const manager = "admission policy";

/** Merges as server-side apply does, but without recording an owner. */
function applied(fieldManager: FieldManager, object: KubeObject, configuration: object): KubeObject {
  const { kind, apiVersion, metadata } = object;
  const given = configuration as Partial<KubeObject>;
  const named = { ...given.metadata, name: metadata.name };
  const placed = metadata.namespace === undefined ? named : { ...named, namespace: metadata.namespace };
  // the entry is dropped again, so any time will do
  const request = { manager, apiVersion, subresource: "", time: "1970-01-01T00:00:00Z", force: true };
  const configured = { ...given, kind, apiVersion, metadata: placed } as KubeObject;
  return inOneGo(fieldManager.apply(withoutManagedFields(object), configured, request));
}

function worded(
  { policy, binding }: Pick<Changing, "policy"> & { readonly binding: Changing["binding"] | undefined },
  message: string,
): string {
  const { name } = policy.metadata;
  if (binding === undefined) return `policy ${JSON.stringify(name)} denied request: ${message}`;
  return `policy '${name}' with binding '${binding.metadata.name}' denied request: ${message}`;
}

interface Refusal {
  readonly message: string;
  readonly reason: string;
}

function refused(request: AdmissionRequest, refusals: readonly Refusal[]): StatusError {
  const { status } = forbiddenBy(request, "admission request denied by policy");
  const details = { ...status.details, causes: refusals.map(({ message }) => ({ message })) };
  return new StatusError({ ...status, ...refusals[0], details } as Status);
}
