/**
 * Tells which requests concern a webhook or policy: by rules, equivalent resources and selectors. Pure but for reading
 * namespaces.
 */
import { isEmptySelector } from "../../registry/kinds/rules/issues.js";
import {
  type GroupVersionKind,
  type GroupVersionResource,
  type KubeObject,
  type LabelSelector,
  labelSelectorAsSelector,
  type MatchResources,
  type NamedRuleWithOperations,
  newNotFound,
  type RuleWithOperations,
} from "../../../api/index.js";
import { type Endpoint, kindOf, subresourceOf } from "../../contracts/endpoint.js";
import type { Registry } from "../../registry/registry.js";
import type { Store } from "../../storage/contract.js";
import type { AdmissionRequest } from "../../contracts/admission.js";
import { covers } from "../../auth/rbac/rules.js";

/** The state that webhooks and policies read besides the request. */
export interface Surroundings {
  readonly store: Store;
  /** The resources served now, which may be more than at the start. */
  registry(): Registry;
}

type MatchPolicyType = NonNullable<MatchResources["matchPolicy"]>;

/** The requests that a hook asks for. */
export interface Criteria {
  readonly namespaceSelector?: LabelSelector;
  readonly objectSelector?: LabelSelector;
  /** Undefined for every resource. */
  readonly rules: readonly (RuleWithOperations | NamedRuleWithOperations)[] | undefined;
  readonly exclude?: readonly NamedRuleWithOperations[];
  readonly matchPolicy?: MatchPolicyType;
}

/** The request as the hook sees it, perhaps in another version than the client's. */
export interface Match {
  readonly endpoint: Endpoint;
  readonly resource: GroupVersionResource;
  readonly kind: GroupVersionKind;
}

/** Kinds that configure admission are exempt from it: otherwise nobody could repair a hook that refuses everything. */
const exempt = new Set([
  "ValidatingWebhookConfiguration",
  "MutatingWebhookConfiguration",
  "ValidatingAdmissionPolicy",
  "ValidatingAdmissionPolicyBinding",
  "MutatingAdmissionPolicy",
  "MutatingAdmissionPolicyBinding",
]);

export const isExempt = ({ kind }: AdmissionRequest): boolean =>
  kind.group === "admissionregistration.k8s.io" && exempt.has(kind.kind);

/** Undefined if the hook is not concerned. A request whose namespace is missing is refused only if all other criteria fit. */
export function matchOf(request: AdmissionRequest, criteria: Criteria, around: Surroundings): Match | undefined {
  const inNamespace = fitsNamespace(request, criteria.namespaceSelector, around);
  if (inNamespace === false || !fitsObject(request, criteria.objectSelector)) return undefined;
  const { matchPolicy } = criteria;
  if (ruled(request, criteria.exclude ?? [], { matchPolicy, around }) !== undefined) return undefined;
  const match =
    criteria.rules === undefined ? asAsked(request, around) : ruled(request, criteria.rules, { matchPolicy, around });
  if (match !== undefined && inNamespace === "missing")
    throw newNotFound({ group: "", resource: "namespaces" }, placeOf(request));
  return match;
}

/** For admission, a Namespace object counts as an object inside itself. */
export function placeOf({ resource, namespace, name }: AdmissionRequest): string {
  return resource.group === "" && resource.resource === "namespaces" ? name : namespace;
}

function fitsNamespace(
  request: AdmissionRequest,
  selector: LabelSelector | undefined,
  { store }: Surroundings,
): boolean | "missing" {
  const place = placeOf(request);
  if (place === "" || isEmptySelector(selector)) return true;
  const { resource, subresource, operation, object } = request;
  const own = resource.resource === "namespaces" && subresource === "" && operation !== "DELETE" ? object : undefined;
  const home = own ?? store.get("namespaces", place)?.object;
  if (home === undefined) return "missing";
  return labelSelectorAsSelector(selector).matches(home.metadata.labels ?? {});
}

/** It is enough if the new or the old object has the labels. */
function fitsObject({ object, old }: AdmissionRequest, selector: LabelSelector | undefined): boolean {
  if (isEmptySelector(selector)) return true;
  const wanted = labelSelectorAsSelector(selector);
  const has = (one: KubeObject | undefined): boolean =>
    one?.metadata !== undefined && wanted.matches(one.metadata.labels ?? {});
  return has(object) || has(old);
}

interface Ruling {
  readonly matchPolicy: MatchPolicyType | undefined;
  readonly around: Surroundings;
}

type AnyRule = RuleWithOperations | NamedRuleWithOperations;

function ruled(
  request: AdmissionRequest,
  rules: readonly AnyRule[],
  { matchPolicy, around }: Ruling,
): Match | undefined {
  if (rules.some((rule) => fitsRule(request, request.resource, rule))) return asAsked(request, around);
  if (matchPolicy !== "Equivalent") return undefined;
  const others = equivalents(request, around);
  for (const rule of rules) {
    for (const endpoint of others) {
      const { group, version, plural: resource } = endpoint.served;
      if (!fitsRule(request, { group, version, resource }, rule)) continue;
      const kind = request.subresource === "" ? undefined : subresourceOf(endpoint, request.subresource)?.kind;
      return { endpoint, resource: { group, version, resource }, kind: kind ?? kindOf(endpoint.served) };
    }
  }
  return undefined;
}

/** The endpoint to which the request was sent. */
export function ownEndpoint({ resource }: AdmissionRequest, { registry }: Surroundings): Endpoint | undefined {
  return registry().endpoint(resource.group, resource.version, resource.resource);
}

function asAsked(request: AdmissionRequest, around: Surroundings): Match | undefined {
  const { resource, kind } = request;
  const endpoint = ownEndpoint(request, around);
  return endpoint && { endpoint, resource, kind };
}

/** The endpoints of other versions and groups that serve the same objects. */
export function equivalents(request: AdmissionRequest, around: Surroundings): readonly Endpoint[] {
  const { subresource } = request;
  const own = ownEndpoint(request, around);
  if (own === undefined) return [];
  return [...around.registry().endpoints()].filter(
    (one) =>
      one !== own &&
      one.collection === own.collection &&
      (subresource === "" || subresourceOf(one, subresource) !== undefined),
  );
}

function fitsRule(request: AdmissionRequest, resource: GroupVersionResource, rule: AnyRule): boolean {
  return (
    fitsScope(request, rule.scope) &&
    covers(rule.operations, request.operation) &&
    covers(rule.apiGroups, resource.group) &&
    covers(rule.apiVersions, resource.version) &&
    (rule.resources ?? []).some((named) => fitsResource(named, resource.resource, request.subresource)) &&
    fitsName(request, rule)
  );
}

function fitsScope(request: AdmissionRequest, scope = "*"): boolean {
  if (scope === "*") return true;
  const { resource, namespace } = request;
  const inNamespace = !(resource.group === "" && resource.resource === "namespaces") && namespace !== "";
  return inNamespace === (scope === "Namespaced");
}

function fitsResource(named: string, resource: string, subresource: string): boolean {
  const slash = named.indexOf("/");
  const [main, sub] = slash === -1 ? [named, ""] : [named.slice(0, slash), named.slice(slash + 1)];
  return (main === "*" || main === resource) && (sub === "*" || sub === subresource);
}

function fitsName({ name }: AdmissionRequest, rule: AnyRule): boolean {
  const names = "resourceNames" in rule ? (rule.resourceNames ?? []) : [];
  return names.length === 0 || names.includes(name);
}
