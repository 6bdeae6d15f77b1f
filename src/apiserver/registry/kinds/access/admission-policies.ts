/** Strategies of admission policies and their bindings. Expressions are refused if they certainly fail. */
import {
  type AuditAnnotation,
  fieldPath,
  isDns1035Label,
  isDns1123Subdomain,
  type MatchResources,
  type MutatingAdmissionPolicy as AnyMutating,
  type MutatingAdmissionPolicyBinding as AnyMutatingBinding,
  type Mutation,
  type NamedRuleWithOperations,
  type ParamKind,
  type ParamRef,
  type ValidatingAdmissionPolicy as AnyValidating,
  type ValidatingAdmissionPolicyBinding as AnyValidatingBinding,
  type Validation,
  type Variable,
} from "../../../../api/index.js";
import { type Names, variableType, type VariableType, variableTypes } from "../../../cel/requests/check.js";
import type { Strategy } from "../../../contracts/strategy.js";
import { changed, each, filled } from "../rules/fill.js";
import type { WithSpec } from "../rules/formed.js";
import {
  dns1123Subdomain,
  type Issues,
  labelSelector,
  oneOf,
  optionalOneOf,
  type Path,
  pathSegmentName,
  qualifiedName,
  required,
} from "../rules/issues.js";
import { conditionRules } from "../rules/conditions.js";
import { expressionRules, matchConditionRules, ruleRules } from "./webhooks.js";
import { isIdentifier } from "../../../cel/values/names.js";
import { repeats } from "../../../../base/members.js";

type Validating = WithSpec<AnyValidating>;
type Mutating = WithSpec<AnyMutating>;
type ValidatingBinding = WithSpec<AnyValidatingBinding>;
type MutatingBinding = WithSpec<AnyMutatingBinding>;

const group = "admissionregistration.k8s.io";
const at = fieldPath("spec");
const mutatingOperations = ["*", "CONNECT", "CREATE", "UPDATE"];

function matchDefaults(match: MatchResources): MatchResources {
  let result = filled(match, { matchPolicy: "Equivalent", namespaceSelector: {}, objectSelector: {} });
  for (const list of ["resourceRules", "excludeResourceRules"] as const) {
    result = changed(result, list, (rules) => each(rules, (rule) => filled(rule, { scope: "*" })));
  }
  return result;
}

interface PolicySpec {
  readonly failurePolicy?: string;
  readonly paramKind?: ParamKind;
  readonly matchConstraints?: MatchResources;
  readonly matchConditions?: readonly { readonly name: string; readonly expression: string }[];
  readonly variables?: readonly Variable[];
}

function* commonRules(spec: PolicySpec, extra: () => Issues): Issues {
  if (spec.failurePolicy === undefined) yield at.child("failurePolicy").required();
  yield* optionalOneOf(at.child("failurePolicy"), spec.failurePolicy, ["Fail", "Ignore"]);
  if (spec.paramKind !== undefined) yield* paramKind(at.child("paramKind"), spec.paramKind);
  const here = at.child("matchConstraints");
  if (spec.matchConstraints === undefined) yield here.required();
  else {
    yield* matchResources(here, spec.matchConstraints);
    if ((spec.matchConstraints.resourceRules ?? []).length === 0) yield here.child("resourceRules").required();
    yield* extra();
  }
  const names = namesIn(spec);
  yield* matchConditionRules(at.child("matchConditions"), spec.matchConditions ?? [], {
    ...names,
    variables: undefined,
  });
  const earlier = new Map<string, VariableType>();
  for (const [here, variable] of at.child("variables").items(spec.variables)) {
    yield* variableRules(here, variable);
    const known = { ...names, variables: earlier };
    yield* expressionRules(here.child("expression"), variable.expression ?? "", known, "anything");
    earlier.set(variable.name ?? "", variableType(variable, known));
  }
}

function namesIn({ paramKind: kind, variables = [] }: PolicySpec): Names {
  const names = { params: kind !== undefined, authorizer: true };
  return { ...names, variables: variables.length === 0 ? undefined : variableTypes(variables, names) };
}

function* variableRules(here: Path, { name = "", expression = "" }: Partial<Variable>): Issues {
  if (name.trim() === "") yield here.child("name").required("name is not specified");
  else if (!isIdentifier(name)) {
    yield here.child("name").invalid(name, "must be a valid CEL identifier");
  }
  if (expression.trim() === "") yield here.child("expression").required("expression is not specified");
}

function* paramKind(here: Path, { apiVersion = "", kind = "" }: ParamKind): Issues {
  const [first = "", second, ...rest] = apiVersion.split("/");
  const [groupName, version] = second === undefined ? ["", first] : [first, second];
  if (apiVersion === "") yield here.child("apiVersion").required();
  else if (rest.length > 0) {
    yield here.child("apiVersion").invalid(apiVersion, `unexpected GroupVersion string: ${apiVersion}`);
  } else {
    const wrongGroup = groupName === "" ? [] : isDns1123Subdomain(groupName);
    if (wrongGroup.length > 0) yield here.child("apiVersion").invalid(groupName, wrongGroup.join(","));
    const wrong = version === "" ? ["version must be specified"] : isDns1035Label(version);
    if (wrong.length > 0) {
      yield here.child("apiVersion").invalid(version === "" ? apiVersion : version, wrong.join(","));
    }
  }
  const complaints = isDns1035Label(kind.toLowerCase());
  if (kind === "") yield here.child("kind").required();
  else if (complaints.length > 0) {
    const why = `may have mixed case, but should otherwise match: ${complaints.join(",")}`;
    yield here.child("kind").invalid(kind, why);
  }
}

function* matchResources(here: Path, match: MatchResources | undefined): Issues {
  if (match === undefined) return;
  yield* optionalOneOf(here.child("matchPolicy"), match.matchPolicy, ["Equivalent", "Exact"]);
  yield* labelSelector(here.child("namespaceSelector"), match.namespaceSelector);
  yield* labelSelector(here.child("objectSelector"), match.objectSelector);
  for (const list of ["resourceRules", "excludeResourceRules"] as const) {
    for (const [place, rule] of here.child(list).items(match[list])) yield* namedRule(place, rule);
  }
}

function* namedRule(here: Path, rule: NamedRuleWithOperations): Issues {
  const isRepeat = repeats();
  for (const [place, name] of here.child("resourceNames").items(rule.resourceNames)) {
    yield* pathSegmentName(place, name);
    if (isRepeat(name)) yield place.duplicate(name);
  }
  yield* ruleRules(here, rule);
}

function* validatingRules({ spec, metadata }: Validating): Issues {
  yield* commonRules(spec, () => []);
  const { validations = [], auditAnnotations = [] } = spec;
  if (validations.length === 0 && auditAnnotations.length === 0) {
    const why = "validations or auditAnnotations must contain at least one item";
    yield at.child("validations").required(why);
    yield at.child("auditAnnotations").required(why);
  }
  const names = namesIn(spec);
  for (const [place, one] of at.child("validations").items(validations)) yield* validationRules(place, one, names);
  if (auditAnnotations.length > 20) {
    yield at.child("auditAnnotations").invalid(auditAnnotations, "must not have more than 20 auditAnnotations");
  }
  const isRepeat = repeats();
  for (const [here, { key = "", valueExpression = "" }] of at
    .child("auditAnnotations")
    .items(auditAnnotations as readonly Partial<AuditAnnotation>[])) {
    yield* qualifiedName(here.child("key"), `${metadata.name}/${key}`);
    if (valueExpression.trim() === "") {
      yield here.child("valueExpression").required("valueExpression is not specified");
    }
    yield* expressionRules(here.child("valueExpression"), valueExpression, names, "annotation");
    if (isRepeat(key)) yield here.child("key").duplicate(key);
  }
}

function* validationRules(
  here: Path,
  { expression = "", message = "", messageExpression, reason }: Partial<Validation>,
  names: Names,
): Issues {
  if (expression.trim() === "") yield here.child("expression").required("expression is not specified");
  else yield* expressionRules(here.child("expression"), expression, names, "bool");
  const given = messageExpression ?? "";
  if (given !== "" && given.trim() === "") {
    yield here.child("messageExpression").invalid(given, "must be non-empty if specified");
  } else yield* expressionRules(here.child("messageExpression"), given, { ...names, authorizer: false }, "string");
  if (message !== "" && message.trim() === "") {
    yield here.child("message").invalid(message, "must be non-empty if specified");
  } else if (/[\n\r]/.test(message.trim())) {
    yield here.child("message").invalid(message, "must not contain line breaks");
  }
  yield* optionalOneOf(here.child("reason"), reason, ["Forbidden", "Invalid", "RequestEntityTooLarge"]);
}

function* onlyMutating(here: Path, match: MatchResources | undefined): Issues {
  const place = here.child("resourceRules", "operations");
  for (const { operations = [] } of match?.resourceRules ?? []) {
    for (const operation of operations) yield* optionalOneOf(place, operation, mutatingOperations);
  }
}

function* mutatingRules({ spec }: Mutating): Issues {
  yield* commonRules(spec, () => onlyMutating(at.child("matchConstraints"), spec.matchConstraints));
  const { mutations = [] } = spec;
  if (mutations.length === 0) yield at.child("mutations").required("mutations must contain at least one item");
  const names = namesIn(spec);
  for (const [here, one] of at.child("mutations").items(mutations)) yield* mutationRules(here, one, names);
  yield* oneOf(at.child("reinvocationPolicy"), spec.reinvocationPolicy, ["IfNeeded", "Never"]);
}

function* mutationRules(here: Path, mutation: Mutation, names: Names): Issues {
  const forms = { JSONPatch: "jsonPatch", ApplyConfiguration: "applyConfiguration" } as const;
  const type: string = mutation.patchType ?? "";
  yield* oneOf(here.child("patchType"), type, ["ApplyConfiguration", "JSONPatch"]);
  if (type === "JSONPatch" || type === "ApplyConfiguration") {
    const own = forms[type];
    const other = type === "JSONPatch" ? forms.ApplyConfiguration : forms.JSONPatch;
    if (mutation[own] === undefined) yield here.child(own).required(`must be specified when patchType is ${type}`);
    else if ((mutation[own].expression ?? "").trim() === "") {
      yield here.child(own, "expression").required();
    } else {
      const result = type === "JSONPatch" ? "patch" : "object";
      yield* expressionRules(here.child(own, "expression"), (mutation[own].expression ?? "").trim(), names, result);
    }
    if (mutation[other] !== undefined) {
      yield here.child(other).invalid(`{${other}}`, `must not be specified when patchType is ${type}`);
    }
  }
}

interface BindingSpec {
  readonly policyName?: string;
  readonly paramRef?: ParamRef;
  readonly matchResources?: MatchResources;
}

function* bindingRules({ policyName = "", paramRef, matchResources: match }: BindingSpec): Issues {
  yield* required(at.child("policyName"), policyName, dns1123Subdomain);
  if (paramRef !== undefined) yield* parameters(at.child("paramRef"), paramRef);
  yield* matchResources(at.child("matchResources"), match);
}

function* parameters(here: Path, { name = "", selector, parameterNotFoundAction: action }: ParamRef): Issues {
  const exclusive = "name and selector are mutually exclusive";
  if (name !== "") {
    yield* pathSegmentName(here.child("name"), name);
    if (selector !== undefined) yield here.child("name").forbidden(exclusive);
  }
  if (selector !== undefined) {
    yield* labelSelector(here.child("selector"), selector);
    if (name !== "") yield here.child("selector").forbidden(exclusive);
  }
  if (name === "" && selector === undefined) yield here.required("one of name or selector must be specified");
  yield* oneOf(here.child("parameterNotFoundAction"), action, ["Deny", "Allow"]);
}

function* actions(here: Path, given: readonly string[]): Issues {
  const isRepeat = repeats();
  for (const [place, action] of here.items(given)) {
    yield* optionalOneOf(place, action, ["Audit", "Deny", "Warn"]);
    if (isRepeat(action)) yield place.duplicate(action);
  }
  if (given.includes("Deny") && given.includes("Warn")) {
    const why =
      "must not contain both Deny and Warn (repeating the same validation failure information in the API response and headers serves no purpose)";
    yield here.invalid(given, why);
  }
  if (given.length === 0) yield here.required("at least one validation action is required");
}

const withPolicyDefaults = <T extends Validating | Mutating>(policy: T): T =>
  changed(policy as Validating, "spec", (spec) =>
    changed(filled(spec, { failurePolicy: "Fail" }), "matchConstraints", matchDefaults),
  ) as T;

const withBindingDefaults = <T extends ValidatingBinding | MutatingBinding>(binding: T): T =>
  changed(binding as MutatingBinding, "spec", (spec) => changed(spec, "matchResources", matchDefaults)) as T;

const common = {
  lenient: { finalizers: true },
  group,
  generation: "spec",
  allowUnconditionalUpdate: false,
} as const;

function* policyStatus({ status }: Validating): Issues {
  const at = fieldPath("status");
  yield* conditionRules(at.child("conditions"), status?.conditions);
  const warnings = status?.typeChecking?.expressionWarnings ?? [];
  for (const [here, { fieldRef, warning }] of at.child("typeChecking", "expressionWarnings").items(warnings)) {
    if (!fieldRef) yield here.child("fieldRef").required();
    if (!warning) yield here.child("warning").required();
  }
}

export const validatingPolicyStrategy: Strategy<Validating> = {
  ...common,
  kind: "ValidatingAdmissionPolicy",
  status: { validateUpdate: policyStatus },
  setDefaults: withPolicyDefaults,
  validateCreate: validatingRules,
};

export const mutatingPolicyStrategy: Strategy<Mutating> = {
  ...common,
  kind: "MutatingAdmissionPolicy",
  setDefaults: withPolicyDefaults,
  validateCreate: mutatingRules,
};

function* validatingBinding({ spec }: ValidatingBinding): Issues {
  yield* bindingRules(spec);
  yield* actions(at.child("validationActions"), spec.validationActions ?? []);
}

function* mutatingBinding({ spec }: MutatingBinding): Issues {
  yield* bindingRules(spec);
  yield* onlyMutating(at.child("matchResources"), spec.matchResources);
}

export const validatingBindingStrategy: Strategy<ValidatingBinding> = {
  ...common,
  kind: "ValidatingAdmissionPolicyBinding",
  setDefaults: withBindingDefaults,
  validateCreate: validatingBinding,
};

export const mutatingBindingStrategy: Strategy<MutatingBinding> = {
  ...common,
  kind: "MutatingAdmissionPolicyBinding",
  setDefaults: withBindingDefaults,
  validateCreate: mutatingBinding,
};
