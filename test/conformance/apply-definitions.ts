/** Definitions of custom kinds with every sort of list and map, for comparing owners. */

export const widgetDefinition = {
  apiVersion: "apiextensions.k8s.io/v1",
  kind: "CustomResourceDefinition",
  metadata: { name: "widgets.apply.example.com" },
  spec: {
    group: "apply.example.com",
    names: { plural: "widgets", singular: "widget", kind: "Widget" },
    scope: "Namespaced",
    versions: [
      {
        name: "v1",
        served: true,
        storage: true,
        subresources: { status: {} },
        schema: {
          openAPIV3Schema: {
            type: "object",
            properties: {
              spec: {
                type: "object",
                properties: {
                  size: { type: "integer" },
                  name: { type: "string" },
                  on: { type: "boolean" },
                  either: { "x-kubernetes-int-or-string": true },
                  tags: { type: "array", items: { type: "string" }, "x-kubernetes-list-type": "set" },
                  numbers: { type: "array", items: { type: "integer" }, "x-kubernetes-list-type": "set" },
                  order: { type: "array", items: { type: "string" } },
                  ports: {
                    type: "array",
                    "x-kubernetes-list-type": "map",
                    "x-kubernetes-list-map-keys": ["port", "protocol"],
                    items: {
                      type: "object",
                      required: ["port"],
                      properties: {
                        port: { type: "integer" },
                        protocol: { type: "string", default: "TCP" },
                        name: { type: "string" },
                      },
                    },
                  },
                  granular: { type: "object", additionalProperties: { type: "string" } },
                  atomic: {
                    type: "object",
                    additionalProperties: { type: "string" },
                    "x-kubernetes-map-type": "atomic",
                  },
                  struct: { type: "object", properties: { a: { type: "string" }, b: { type: "string" } } },
                  whole: {
                    type: "object",
                    "x-kubernetes-map-type": "atomic",
                    properties: { a: { type: "string" }, b: { type: "string" } },
                  },
                  free: { type: "object", "x-kubernetes-preserve-unknown-fields": true },
                },
              },
              status: {
                type: "object",
                properties: {
                  phase: { type: "string" },
                  conditions: {
                    type: "array",
                    "x-kubernetes-list-type": "map",
                    "x-kubernetes-list-map-keys": ["type"],
                    items: {
                      type: "object",
                      required: ["type"],
                      properties: { type: { type: "string" }, status: { type: "string" } },
                    },
                  },
                },
              },
            },
          },
        },
      },
    ],
  },
} as const;

const gizmoSchema = {
  openAPIV3Schema: {
    type: "object",
    properties: {
      spec: {
        type: "object",
        properties: {
          count: { type: "integer", default: 1 },
          groups: {
            type: "array",
            "x-kubernetes-list-type": "map",
            "x-kubernetes-list-map-keys": ["name"],
            items: {
              type: "object",
              required: ["name"],
              properties: {
                name: { type: "string" },
                members: {
                  type: "array",
                  "x-kubernetes-list-type": "map",
                  "x-kubernetes-list-map-keys": ["id"],
                  items: {
                    type: "object",
                    properties: { id: { type: "integer", default: 7 }, note: { type: "string" } },
                  },
                },
                limits: { type: "object", additionalProperties: { type: "array", items: { type: "string" } } },
              },
            },
          },
          template: {
            type: "object",
            "x-kubernetes-embedded-resource": true,
            "x-kubernetes-preserve-unknown-fields": true,
          },
          mode: { type: "string", nullable: true },
        },
      },
      status: { type: "object", "x-kubernetes-preserve-unknown-fields": true },
      count: { type: "integer" },
    },
  },
} as const;

/** Two versions, replicas that are scaled, objects in objects, defaults and nulls. */
export const gizmoDefinition = {
  apiVersion: "apiextensions.k8s.io/v1",
  kind: "CustomResourceDefinition",
  metadata: { name: "gizmos.apply.example.com" },
  spec: {
    group: "apply.example.com",
    names: { plural: "gizmos", singular: "gizmo", kind: "Gizmo" },
    scope: "Namespaced",
    versions: ["v1", "v2"].map((name) => ({
      name,
      served: true,
      storage: name === "v2",
      subresources: { status: {}, scale: { specReplicasPath: ".spec.count", statusReplicasPath: ".status.count" } },
      schema: gizmoSchema,
    })),
  },
} as const;
