/** An operator for the tests of manifests: a kind with status and finalizer, a child, a kind that it reads. */
import { ConfigMap, defineResource, Manager, type ManagerOptions, newControllerRef, type ObjectOf } from "coxswain";
import { Node } from "coxswain/api";

export const Gauge = defineResource({
  group: "manifests.example.com",
  version: "v1",
  kind: "Gauge",
  plural: "gauges",
  scope: "Namespaced",
  schema: {
    type: "object",
    description: "Braces such as {{ .Values.image }} are no template here.",
    required: ["spec"],
    properties: {
      spec: { type: "object", required: ["text"], properties: { text: { type: "string" } } },
      status: { type: "object", properties: { nodes: { type: "integer" } } },
    },
  },
});
export type Gauge = ObjectOf<typeof Gauge>;

export function operator(options: ManagerOptions): Manager {
  const eviction = { apiGroups: [""], resources: ["pods/eviction"], verbs: ["create"] };
  const manager = new Manager({ ...options, permissions: [eviction] });
  manager.controller({
    name: "gauges",
    for: Gauge,
    owns: [ConfigMap],
    reads: [Node],
    finalizer: { name: "manifests.example.com/gauge", run: () => Promise.resolve() },
    async reconcile({ object, client, cache, events }) {
      const { name, namespace = "" } = object.metadata;
      const metadata = { name, namespace, ownerReferences: [newControllerRef(object, Gauge)] };
      await client.apply({ apiVersion: "v1", kind: "ConfigMap", metadata, data: { text: object.spec.text } });
      await client.status(Gauge).patch(object, { nodes: cache.list(Node).length });
      events.normal(object, "Gauged", object.spec.text);
    },
  });
  return manager;
}
