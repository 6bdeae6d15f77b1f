// Generated from the published Kubernetes sources by `npm run generate`. Do not edit.
import { defineResource } from "../define-resource.js";
import type { ObjectMeta } from "../object.js";
import type { ResourceType } from "../resource-type.js";
import type { LabelSelector } from "./meta-v1.js";

export interface AggregationRule {
  readonly clusterRoleSelectors?: readonly LabelSelector[];
}

/** Permissions in all namespaces, or for kinds that have none. */
export interface ClusterRole {
  readonly apiVersion: "rbac.authorization.k8s.io/v1";
  readonly kind: "ClusterRole";
  readonly metadata: ObjectMeta;
  /** The permissions. */
  readonly rules?: readonly PolicyRule[];
  readonly aggregationRule?: AggregationRule;
}
export const ClusterRole: ResourceType<ClusterRole> = /* @__PURE__ */ defineResource<ClusterRole>({ group: "rbac.authorization.k8s.io", version: "v1", kind: "ClusterRole", plural: "clusterroles", scope: "Cluster" });

/** Gives a cluster role to somebody, everywhere. */
export interface ClusterRoleBinding {
  readonly apiVersion: "rbac.authorization.k8s.io/v1";
  readonly kind: "ClusterRoleBinding";
  readonly metadata: ObjectMeta;
  /** The users, groups and accounts that get it. */
  readonly subjects?: readonly Subject[];
  /** The role. Cannot be changed. */
  readonly roleRef: RoleRef;
}
export const ClusterRoleBinding: ResourceType<ClusterRoleBinding> = /* @__PURE__ */ defineResource<ClusterRoleBinding>({ group: "rbac.authorization.k8s.io", version: "v1", kind: "ClusterRoleBinding", plural: "clusterrolebindings", scope: "Cluster" });

/** One set of things that may be done. */
export interface PolicyRule {
  /** Such as get, list, watch, create; * for all. */
  readonly verbs: readonly string[];
  /** The groups of the resources; the empty text is the core group. */
  readonly apiGroups?: readonly string[];
  /** The resources, with subresources as pods/log; * for all. */
  readonly resources?: readonly string[];
  /** Only objects of these names; all if empty. */
  readonly resourceNames?: readonly string[];
  /** Paths that are no resources, such as /healthz. */
  readonly nonResourceURLs?: readonly string[];
}

/** Permissions within one namespace. */
export interface Role {
  readonly apiVersion: "rbac.authorization.k8s.io/v1";
  readonly kind: "Role";
  readonly metadata: ObjectMeta;
  /** The permissions. */
  readonly rules?: readonly PolicyRule[];
}
export const Role: ResourceType<Role> = /* @__PURE__ */ defineResource<Role>({ group: "rbac.authorization.k8s.io", version: "v1", kind: "Role", plural: "roles", scope: "Namespaced" });

/** Gives a role to somebody, within one namespace. */
export interface RoleBinding {
  readonly apiVersion: "rbac.authorization.k8s.io/v1";
  readonly kind: "RoleBinding";
  readonly metadata: ObjectMeta;
  /** The users, groups and accounts that get it. */
  readonly subjects?: readonly Subject[];
  /** The role. Cannot be changed. */
  readonly roleRef: RoleRef;
}
export const RoleBinding: ResourceType<RoleBinding> = /* @__PURE__ */ defineResource<RoleBinding>({ group: "rbac.authorization.k8s.io", version: "v1", kind: "RoleBinding", plural: "rolebindings", scope: "Namespaced" });

export interface RoleRef {
  readonly apiGroup?: string;
  readonly kind: string;
  readonly name: string;
}

export interface Subject {
  readonly kind: string;
  readonly apiGroup?: string;
  readonly name: string;
  readonly namespace?: string;
}
