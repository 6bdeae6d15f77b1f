/** Pods from templates: takes a controller's pod template, gives the pod to create. */
import {
  type Draft,
  isDns1123Subdomain,
  type KubeObject,
  newControllerRef,
  type Pod,
  type PodTemplateSpec,
} from "../../api/index.js";
import { defined } from "../../base/defined.js";

/** The prefix from which the server generates a pod's name. If a dash would make it invalid, it has none. */
export function generateNameFor(owner: string): string {
  const prefix = `${owner}-`;
  return isDns1123Subdomain(`${prefix}x`).length === 0 ? prefix : owner;
}

/** A pod with the template's labels, annotations, finalizers and spec, one controller reference and a generated name. */
export function podFromTemplate(template: PodTemplateSpec, owner: KubeObject): Draft<Pod> {
  const { labels, annotations, finalizers } = template.metadata ?? {};
  if (labels === undefined || Object.keys(labels).length === 0) {
    throw new Error(`unable to create pods, no labels`);
  }
  const { namespace } = owner.metadata;
  return {
    metadata: {
      ...defined({ namespace }),
      generateName: generateNameFor(owner.metadata.name),
      labels,
      ...defined({ annotations, finalizers }),
      ownerReferences: [newControllerRef(owner)],
    },
    ...defined({ spec: template.spec }),
  };
}
