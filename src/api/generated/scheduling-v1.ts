// Generated from the published Kubernetes sources by `npm run generate`. Do not edit.
import { defineResource } from "../define-resource.js";
import type { ObjectMeta } from "../object.js";
import type { ResourceType } from "../resource-type.js";

type PreemptionPolicy = "Never" | "PreemptLowerPriority";

export interface PriorityClass {
  readonly apiVersion: "scheduling.k8s.io/v1";
  readonly kind: "PriorityClass";
  readonly metadata: ObjectMeta;
  readonly value?: number;
  readonly globalDefault?: boolean;
  readonly description?: string;
  readonly preemptionPolicy?: PreemptionPolicy;
}
export const PriorityClass: ResourceType<PriorityClass> = /* @__PURE__ */ defineResource<PriorityClass>({ group: "scheduling.k8s.io", version: "v1", kind: "PriorityClass", plural: "priorityclasses", scope: "Cluster", shortNames: ["pc"] });
