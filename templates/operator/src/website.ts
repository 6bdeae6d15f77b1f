/** The kind Website: its schema is its type, its validation on the server and its definition. */
import { conditionsSchema, defineResource, type ObjectOf } from "coxswain/api";

export const Website = defineResource({
  group: "example.com",
  version: "v1",
  kind: "Website",
  plural: "websites",
  scope: "Namespaced",
  schema: {
    type: "object",
    required: ["spec"],
    properties: {
      spec: {
        type: "object",
        required: ["image"],
        properties: {
          image: { type: "string", minLength: 1 },
          replicas: { type: "integer", minimum: 0, default: 1 },
        },
      },
      status: {
        type: "object",
        properties: { available: { type: "integer" }, conditions: conditionsSchema },
      },
    },
  },
  printerColumns: [
    { name: "Image", type: "string", jsonPath: ".spec.image" },
    { name: "Available", type: "integer", jsonPath: ".status.available" },
    { name: "Age", type: "date", jsonPath: ".metadata.creationTimestamp" },
  ],
});
export type Website = ObjectOf<typeof Website>;
