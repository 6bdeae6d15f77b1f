/**
 * Finds the policies and bindings in the store that concern a request, with their parameters. Shared by validating and
 * mutating policies.
 */
import { objectsIn } from "../../storage/contract.js";
import { defined } from "../../../base/defined.js";
import {
  type KubeObject,
  labelSelectorAsSelector,
  type MatchResources,
  type MutatingAdmissionPolicy,
  type MutatingAdmissionPolicyBinding,
  newForbidden,
  type ParamKind,
  type ParamRef,
  type StatusError,
  type ValidatingAdmissionPolicy,
  type ValidatingAdmissionPolicyBinding,
} from "../../../api/index.js";
import type { Endpoint } from "../../contracts/endpoint.js";
import type { AdmissionRequest } from "../../contracts/admission.js";
import type { Authorizer } from "../../contracts/authorizer.js";
import type { Expressions } from "./expressions.js";
import { type Criteria, type Match, matchOf, placeOf, type Surroundings } from "./matching.js";

export interface PolicyOptions extends Surroundings {
  readonly expressions: Expressions;
  readonly authorizer: Authorizer;
}

export type AdmissionPolicy = ValidatingAdmissionPolicy | MutatingAdmissionPolicy;
export type PolicyBinding = ValidatingAdmissionPolicyBinding | MutatingAdmissionPolicyBinding;

/** A policy that applies, through one binding, with one set of parameters. */
export interface Invocation<P extends AdmissionPolicy, B extends PolicyBinding> {
  readonly policy: P;
  readonly binding: B;
  readonly match: Match;
  /** Null if the binding names no parameters; undefined if the policy takes none. */
  readonly params: KubeObject | null | undefined;
}

/** A policy that cannot be applied, because its configuration is wrong. */
interface Misconfigured<P extends AdmissionPolicy, B extends PolicyBinding> {
  readonly policy: P;
  readonly binding: B | undefined;
  readonly message: string;
}

export interface Concerned<P extends AdmissionPolicy, B extends PolicyBinding> {
  readonly invocations: readonly Invocation<P, B>[];
  /** The problems of policies that fail closed. */
  readonly problems: readonly Misconfigured<P, B>[];
}

const group = "admissionregistration.k8s.io";

/** Whether there are any policies in force, so that a server without policies spends nothing on them. */
export function hasPolicies({ store }: Surroundings, kind: "validating" | "mutating"): boolean {
  return store.count(`${group}/${kind}admissionpolicybindings`) > 0;
}

export function concerned<P extends AdmissionPolicy, B extends PolicyBinding>(
  request: AdmissionRequest,
  kind: "validating" | "mutating",
  around: Surroundings,
): Concerned<P, B> {
  const bindings = objectsIn<B>(around.store, `${group}/${kind}admissionpolicybindings`);
  const invocations: Invocation<P, B>[] = [];
  const problems: Misconfigured<P, B>[] = [];
  for (const policy of objectsIn<P>(around.store, `${group}/${kind}admissionpolicies`)) {
    const bound = bindings.filter(({ spec }) => spec?.policyName === policy.metadata.name);
    if (bound.length === 0) continue;
    const match = matchOf(request, criteriaOf(policy.spec?.matchConstraints), around);
    if (match === undefined) continue;
    for (const binding of bound) {
      const narrowed = binding.spec?.matchResources;
      if (narrowed !== undefined && matchOf(request, criteriaOf(narrowed), around) === undefined) continue;
      const found = paramsOf(policy.spec?.paramKind, binding.spec?.paramRef, { request, around });
      if (typeof found === "string") {
        if (policy.spec?.failurePolicy !== "Ignore")
          problems.push({ policy, binding, message: `failed to configure binding: ${found}` });
      } else for (const params of found) invocations.push({ policy, binding, match, params });
    }
  }
  return { invocations, problems };
}

function criteriaOf(resources: MatchResources = {}): Criteria {
  const { resourceRules = [], excludeResourceRules = [], namespaceSelector, objectSelector, matchPolicy } = resources;
  return {
    rules: resourceRules.length === 0 ? undefined : resourceRules,
    exclude: excludeResourceRules,
    ...defined({ namespaceSelector, objectSelector, matchPolicy }),
  };
}

interface Asking {
  readonly request: AdmissionRequest;
  readonly around: Surroundings;
}

/**
 * The parameters; a text explains why there are none. An empty list means that none were found and that this is no
 * reason to refuse.
 */
function paramsOf(
  kind: ParamKind | undefined,
  reference: ParamRef | undefined,
  { request, around }: Asking,
): readonly (KubeObject | null | undefined)[] | string {
  if (kind === undefined) return [undefined];
  if (reference === undefined) return [null];
  const endpoint = around.registry().endpointOfKind(kind.apiVersion ?? "", kind.kind ?? "");
  if (endpoint === undefined) return `paramKind kind \`${kind.apiVersion}, Kind=${kind.kind}\` not known`;
  const inNamespace = endpoint.served.scope === "Namespaced";
  if (!inNamespace && reference.namespace)
    return "paramRef.namespace must not be provided for a cluster-scoped `paramKind`";
  const namespace = inNamespace ? reference.namespace || placeOf(request) : "";
  if (inNamespace && namespace === "")
    return "cannot use namespaced paramRef in policy binding that matches cluster-scoped resources";
  const found = lookUp(endpoint, reference, { namespace, around });
  if (found.length === 0 && reference.parameterNotFoundAction === "Deny")
    return "no params found for policy binding with `Deny` parameterNotFoundAction";
  return found;
}

function lookUp(
  endpoint: Endpoint,
  { name, selector }: ParamRef,
  { namespace, around }: { readonly namespace: string; readonly around: Surroundings },
): readonly KubeObject[] {
  const { collection } = endpoint;
  const prefix = namespace === "" ? "" : `${namespace}/`;
  if (name) {
    const found = around.store.get(collection, prefix + name);
    return found === undefined ? [] : [endpoint.view(found).object];
  }
  const wanted = labelSelectorAsSelector(selector ?? {});
  return around.store
    .list({ collection, prefix, from: "" })
    .items.filter(({ labels }) => wanted.matches(labels ?? {}))
    .map((found) => endpoint.view(found).object);
}

/** The refusal that the client gets. */
export function forbiddenBy({ resource, name }: AdmissionRequest, message: string): StatusError {
  return newForbidden({ group: resource.group, resource: resource.resource }, name, message);
}
