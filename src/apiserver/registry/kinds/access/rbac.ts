/** Strategies of roles and their bindings. */
import {
  type ClusterRole,
  type ClusterRoleBinding,
  deepEqual,
  type FieldError,
  fieldPath,
  type PolicyRule,
  type Role,
  type RoleBinding,
  type RoleRef,
  type Subject,
} from "../../../../api/index.js";
import type { Strategy } from "../../../contracts/strategy.js";
import { changed, each, filled, filledText, nullIfEmpty } from "../rules/fill.js";
import {
  dns1123Subdomain,
  inTurn,
  isReadableSelector,
  type Issues,
  labelSelector,
  optionalOneOf,
  type Path,
  pathSegmentName,
  required,
} from "../rules/issues.js";
import { pathSegment } from "../rules/names.js";

const group = "rbac.authorization.k8s.io";

function* policyRules(rules: readonly PolicyRule[] | undefined, namespaced: boolean): Issues {
  for (const [at, rule] of fieldPath("rules").items(rules)) {
    const { verbs, nonResourceURLs = [], apiGroups = [], resources = [], resourceNames = [] } = rule;
    if ((verbs ?? []).length === 0) yield at.child("verbs").required("verbs must contain at least one value");
    if (nonResourceURLs.length > 0) {
      const here = at.child("nonResourceURLs");
      if (namespaced) yield here.invalid(nonResourceURLs, "namespaced rules cannot apply to non-resource URLs");
      if (apiGroups.length + resources.length + resourceNames.length > 0) {
        const why = "rules cannot apply to both regular resources and non-resource URLs";
        yield here.invalid(nonResourceURLs, why);
      }
      continue;
    }
    if (apiGroups.length === 0) {
      yield at.child("apiGroups").required("resource rules must supply at least one api group");
    }
    if (resources.length === 0) {
      yield at.child("resources").required("resource rules must supply at least one resource");
    }
  }
}

function* aggregation({ aggregationRule }: ClusterRole): Issues {
  if (aggregationRule === undefined) return;
  const at = fieldPath("aggregationRule", "clusterRoleSelectors");
  const selectors = aggregationRule.clusterRoleSelectors ?? [];
  if (selectors.length === 0) {
    yield at.required("at least one clusterRoleSelector required if aggregationRule is non-nil");
  }
  for (const [here, selector] of at.items(selectors)) {
    yield* labelSelector(here, selector);
    if (!isReadableSelector(selector)) yield here.invalid(null, "invalid label selector.");
  }
}

const refAt = fieldPath("roleRef");

function* bindingRules(ref: RoleRef, subjects: readonly Subject[] | undefined, namespaced: boolean): Issues {
  if (ref.apiGroup !== group) yield refAt.child("apiGroup").notSupported(ref.apiGroup, [group]);
  const kinds = namespaced ? ["Role", "ClusterRole"] : ["ClusterRole"];
  yield* optionalOneOf(refAt.child("kind"), ref.kind ?? "", kinds);
  yield* required(refAt.child("name"), ref.name, pathSegmentName);
  for (const [here, subject] of fieldPath("subjects").items(subjects)) {
    yield* subjectRules(here, subject, namespaced);
  }
}

function* subjectRules(at: Path, subject: Subject, namespaced: boolean): Issues {
  const { kind, name, apiGroup = "", namespace } = subject;
  if (!name) yield at.child("name").required();
  if (kind === "ServiceAccount") {
    if (name) yield* dns1123Subdomain(at.child("name"), name);
    if (apiGroup !== "") yield at.child("apiGroup").notSupported(apiGroup, [""]);
    if (!namespaced && !namespace) yield at.child("namespace").required();
  } else if (kind === "User" || kind === "Group") {
    if (apiGroup !== group) yield at.child("apiGroup").notSupported(apiGroup, [group]);
  } else yield at.child("kind").notSupported(kind, ["ServiceAccount", "User", "Group"]);
}

function sameRole(now: RoleRef, old: RoleRef): readonly FieldError[] {
  if (deepEqual(now, old)) return [];
  const shown = { APIGroup: now.apiGroup, Kind: now.kind, Name: now.name };
  return [refAt.invalid(shown, "cannot change roleRef")];
}

function bindingDefaults<T extends RoleBinding | ClusterRoleBinding>(binding: T): T {
  const referred = changed(binding as RoleBinding, "roleRef", (ref) => filledText(ref, "apiGroup", group));
  return changed(referred, "subjects", (subjects) =>
    each(subjects, (subject) =>
      subject.kind === "User" || subject.kind === "Group" ? filled(subject, { apiGroup: group }) : subject,
    ),
  ) as T;
}

const common = { group, validateName: pathSegment, allowCreateOnUpdate: true } as const;

export const roleStrategy: Strategy<Role> = {
  ...common,
  kind: "Role",
  prepareForCreate: (role) => nullIfEmpty(role, "rules"),
  prepareForUpdate: (role) => nullIfEmpty(role, "rules"),
  validateCreate: ({ rules }) => policyRules(rules, true),
};

export const clusterRoleStrategy: Strategy<ClusterRole> = {
  ...common,
  kind: "ClusterRole",
  prepareForCreate: (role) => nullIfEmpty(role, "rules"),
  prepareForUpdate: (role) => nullIfEmpty(role, "rules"),
  validateCreate: (role) => inTurn(policyRules(role.rules, false), aggregation(role)),
};

export const roleBindingStrategy: Strategy<RoleBinding> = {
  ...common,
  kind: "RoleBinding",
  setDefaults: bindingDefaults,
  validateCreate: ({ roleRef, subjects }) => bindingRules(roleRef, subjects, true),
  validateUpdate: ({ roleRef, subjects }, old) =>
    inTurn(bindingRules(roleRef, subjects, true), sameRole(roleRef, old.roleRef)),
};

export const clusterRoleBindingStrategy: Strategy<ClusterRoleBinding> = {
  ...common,
  kind: "ClusterRoleBinding",
  setDefaults: bindingDefaults,
  validateCreate: ({ roleRef, subjects }) => bindingRules(roleRef, subjects, false),
  validateUpdate: ({ roleRef, subjects }, old) =>
    inTurn(bindingRules(roleRef, subjects, false), sameRole(roleRef, old.roleRef)),
};
