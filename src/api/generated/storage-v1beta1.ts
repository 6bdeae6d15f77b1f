// Generated from the published Kubernetes sources by `npm run generate`. Do not edit.
import { defineResource } from "../define-resource.js";
import type { ObjectMeta } from "../object.js";
import type { ResourceType } from "../resource-type.js";

export interface VolumeAttributesClass {
  readonly apiVersion: "storage.k8s.io/v1beta1";
  readonly kind: "VolumeAttributesClass";
  readonly metadata: ObjectMeta;
  readonly driverName: string;
  readonly parameters?: Readonly<Record<string, string>>;
}
export const VolumeAttributesClass: ResourceType<VolumeAttributesClass> = /* @__PURE__ */ defineResource<VolumeAttributesClass>({ group: "storage.k8s.io", version: "v1beta1", kind: "VolumeAttributesClass", plural: "volumeattributesclasses", scope: "Cluster", shortNames: ["vac"] });
