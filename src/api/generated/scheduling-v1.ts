// Generated from the published Kubernetes sources by `npm run generate`. Do not edit.
import { defineResource } from "../define-resource.js";
import type { ObjectMeta } from "../object.js";
import type { ResourceType } from "../resource-type.js";

type PreemptionPolicy = "Never" | "PreemptLowerPriority";

/** How important pods are, under a name. */
export interface PriorityClass {
  readonly apiVersion: "scheduling.k8s.io/v1";
  readonly kind: "PriorityClass";
  readonly metadata: ObjectMeta;
  /** Higher is more important. */
  readonly value?: number;
  /** For pods that name no class. */
  readonly globalDefault?: boolean;
  /** Its purpose. */
  readonly description?: string;
  /** Whether such pods may push out others. */
  readonly preemptionPolicy?: PreemptionPolicy;
}
export const PriorityClass: ResourceType<PriorityClass> = /* @__PURE__ */ defineResource<PriorityClass>({ group: "scheduling.k8s.io", version: "v1", kind: "PriorityClass", plural: "priorityclasses", scope: "Cluster", shortNames: ["pc"] });
