/** The kind of this controller. The schema gives the TypeScript type, the descriptor and the CRD. */
import { crdOf, type CustomResourceDefinition, defineResource, type ObjectOf } from "coxswain/api";

export const Foo = defineResource({
  group: "samplecontroller.k8s.io",
  version: "v1alpha1",
  kind: "Foo",
  plural: "foos",
  scope: "Namespaced",
  schema: {
    type: "object",
    properties: {
      spec: {
        type: "object",
        properties: {
          deploymentName: { type: "string" },
          replicas: { type: "integer", minimum: 1, maximum: 10 },
        },
      },
      status: {
        type: "object",
        properties: { availableReplicas: { type: "integer" } },
      },
    },
  },
});
export type Foo = ObjectOf<typeof Foo>;

/** The server requires this annotation for groups under k8s.io. */
export function fooDefinition(): CustomResourceDefinition {
  const definition = crdOf(Foo);
  const annotations = { "api-approved.kubernetes.io": "unapproved, experimental-only" };
  return { ...definition, metadata: { ...definition.metadata, annotations } };
}
